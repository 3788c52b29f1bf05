// Command pulumi-resource-declprov is the provider's process by itself, without
// the evaluator of specs and the command line: what `declprov install` installs
// under the name of a provider where it lies beside declprov. It starts in half
// the time and memory that the whole binary takes, and does the same; a spec
// that is not compiled yet it hands to declprov, beside it or on the PATH.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/declprov/declprov/actions/sys/process/supervisor"
	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
)

// version is set by the release build: -ldflags "-X main.version=1.2.3".
var version string

func main() {
	if supervisor.Main(os.Args) {
		return // this was the supervisor of a command
	}
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt does not wait
	name, ok := door.ProviderName(os.Args[0])
	if !ok {
		fmt.Fprintf(os.Stderr, "%s: this is a provider, to be started as pulumi-resource-NAME; declprov is the command line\n", os.Args[0])
		return 2
	}
	tool := serving.Tool{Version: version, Evaluator: serving.FindEvaluator()}
	return tool.Run(ctx, name, os.Args[1:])
}
