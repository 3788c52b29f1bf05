// Command declprov-server serves providers. It has no command line, and cannot evaluate specs, so
// it starts in half the time of declprov and uses half the memory. If it is in the same folder as
// declprov, `declprov install` installs a copy of it as the binary pulumi-resource-NAME, with the
// compiled spec. To open a spec that is not compiled, it runs declprov, from its own folder or the
// PATH.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/declprov/declprov/actions/sys/process/supervisor"
	"github.com/declprov/declprov/cmd/declprov/internal/plugin"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
)

// version is set by the release build: -ldflags "-X main.version=1.2.3".
var version string

func main() {
	if supervisor.Main(os.Args) {
		return // this process was the supervisor of a command
	}
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	tool := serving.Tool{Version: version, Evaluator: serving.FindEvaluator()}
	code, ok := plugin.Run(ctx, tool, os.Args)
	if !ok {
		fmt.Fprintf(os.Stderr, "%s: this binary is a plugin of Pulumi and must be named pulumi-resource-NAME; the command line is declprov\n", os.Args[0])
		return 2
	}
	return code
}
