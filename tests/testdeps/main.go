// Testdeps brings the programs that the tests need: with -go-only those that
// Go can build, else all of them. `make demo`, `make test` and `make test-deps`
// run it; what is there already costs nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/declprov/declprov/tests/internal/tools"
)

func main() {
	goOnly := flag.Bool("go-only", false, "bring only what Go alone can build")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bring(ctx, *goOnly); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

// bring goes on after a failure, so that one missing package does not hide the
// next.
func bring(ctx context.Context, goOnly bool) error {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	var failed error
	for _, tool := range tools.All() {
		if goOnly && !tool.GoOnly {
			continue
		}
		failed = errors.Join(failed, tool.Install(ctx, root, os.Stderr))
	}
	return failed
}
