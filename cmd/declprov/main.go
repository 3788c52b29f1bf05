// Command declprov turns a document into a provider: it checks specs, serves them
// over the Pulumi provider protocol, and installs them where Pulumi finds them. Its
// name and first argument determine what it does: see run.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/declprov/declprov/actions/sys/process/supervisor"
	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/evaluate"
	"github.com/declprov/declprov/cmd/declprov/internal/plugin"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/spec/screen"
)

func main() {
	if supervisor.Main(os.Args) {
		return // this process was the supervisor of a command
	}
	os.Exit(run())
}

// duplicateInterval is the time within which a second interrupt counts as the first.
const duplicateInterval = time.Second

// run runs a plugin of Pulumi, the child process that evaluates a spec, or the command line,
// depending on the name of the binary and its first argument. It returns the exit
// code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt ends the process at once. Some programs send the first one
	// twice, to the process and to its group (timeout(1)).
	context.AfterFunc(ctx, func() { time.AfterFunc(duplicateInterval, stop) })
	if len(os.Args) == 2 && os.Args[1] == build.ChildCommand {
		return evaluateAsChild(ctx)
	}
	if code, ok := plugin.Run(ctx, tool(), os.Args); ok {
		return code
	}
	return newApp(os.Stdin, os.Stdout, os.Stderr).run(ctx, os.Args[1:])
}

// tool returns this binary as the tool that evaluates specs.
func tool() serving.Tool { return serving.Tool{Version: version} }

// evaluateAsChild runs the hidden child process that evaluates a spec; see
// internal/evaluate.
func evaluateAsChild(ctx context.Context) int {
	if err := evaluate.Child(ctx, tool().CheckEvaluates, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, screen.Show(err.Error(), nil))
		return exitCrash
	}
	return exitClean
}
