// Testdeps installs the programs that the tests require: with -go-only only those that Go
// can build. `make demo`, `make test` and `make test-deps` run it. It skips programs that
// are already installed.
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
	goOnly := flag.Bool("go-only", false, "install only programs that Go can build")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := install(ctx, *goOnly); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

// install installs the programs. It continues after a failure, to report all missing
// programs at once.
func install(ctx context.Context, goOnly bool) error {
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
