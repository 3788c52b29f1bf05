// Command declprov turns a document into a provider: it checks specs, serves
// them over the real plugin protocols, and puts them where hosts find them.
// What it is depends on how it is started; see door.go.
package main

import (
	"os"

	"github.com/declprov/declprov/actions/sys/process/supervisor"
)

func main() {
	if supervisor.Main(os.Args) {
		return // this was the supervisor of a command
	}
	os.Exit(Main())
}
