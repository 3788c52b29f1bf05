// Command declprov turns a document into a provider: it checks specs, serves
// them over the real plugin protocols, and puts them where hosts find them.
// What it is depends on how it is started; see door.go.
package main

import "os"

func main() { os.Exit(Main()) }
