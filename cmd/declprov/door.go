package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/evaluate"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/spec/screen"
)

// twice is how close to the first an interrupt is still the same.
const twice = time.Second

// Main is the front door. The binary's own name and first argument say what it
// is: a provider, the child that evaluates a spec, or the command line. It
// returns the exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt does not wait. Some send the first twice, to the process
	// and to its group (timeout(1)).
	context.AfterFunc(ctx, func() { time.AfterFunc(twice, stop) })
	if len(os.Args) == 2 && os.Args[1] == build.ChildCommand {
		return evaluateAsChild(ctx)
	}
	if name, ok := door.ProviderName(os.Args[0]); ok {
		return tool().Run(ctx, name, os.Args[1:])
	}
	return newApp(os.Stdin, os.Stdout, os.Stderr).run(ctx, os.Args[1:])
}

// tool is this binary, which evaluates specs itself.
func tool() serving.Tool { return serving.Tool{Version: version} }

// evaluateAsChild is the hidden process that a parent started; see
// internal/evaluate.
func evaluateAsChild(ctx context.Context) int {
	if err := evaluate.Child(ctx, tool().Evaluates, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, screen.Show(err.Error(), nil))
		return exitCrash
	}
	return exitClean
}
