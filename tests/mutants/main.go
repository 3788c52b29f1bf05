// Mutants disables one mechanism after the other, and checks that its test then fails:
// `make mutants`. Package table lists the mechanisms. No file of the repository is
// changed: the compiler gets each changed file as an overlay, which contains the edits of
// all rows, each behind a condition.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/declprov/declprov/tests/internal/memory"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/mutants/mutant"
	"github.com/declprov/declprov/tests/mutants/table"
)

func main() {
	// Not flag.CommandLine, because a library of the Pulumi SDK defines flags there.
	flags := flag.NewFlagSet("mutants", flag.ExitOnError)
	only := flags.String("run", "", "run only the rows of which a field matches this regular expression")
	list := flags.Bool("list", false, "print the table, and run nothing")
	verbose := flags.Bool("v", false, "print the output of each test")
	side := flags.Int("j", 2*runtime.NumCPU(), "number of rows to run at once")
	_ = flags.Parse(os.Args[1:]) // exits on an error
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, table.All(), *only, *list, *verbose, *side); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, rows []mutant.Mutant, only string, list, verbose bool, side int) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(m mutant.Mutant) bool { return !wanted.MatchString(textOf(m)) })
	if len(rows) == 0 {
		return fmt.Errorf("no row matches %q", only)
	}
	if list {
		printTable(out, rows)
		return nil
	}
	root, err := tools.Root()
	if err := errors.Join(err, tools.SaveCPU()); err != nil {
		return err
	}
	var stale error
	for _, m := range rows {
		stale = errors.Join(stale, m.Stale(root))
	}
	if stale != nil {
		return stale
	}
	work, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	runs := memory.MkdirTemp("mutants-")
	if runs == "" {
		runs = work
	}
	defer os.RemoveAll(runs)
	b := &bench{root: root, work: work, runs: runs, out: out, verbose: verbose, side: max(side, 1)}
	return b.tryAll(ctx, rows)
}

// textOf returns all fields of a row as text.
func textOf(m mutant.Mutant) string {
	return strings.Join([]string{m.String(), m.Promise, m.File, m.Find, m.Replace, m.Package, m.Test, m.Fails}, "\n")
}

// printTable prints the promise, mechanism, edit and test of each row.
func printTable(out io.Writer, rows []mutant.Mutant) {
	promise := ""
	for _, m := range rows {
		if m.Promise != promise {
			promise = m.Promise
			fmt.Fprintf(out, "%s\n", promise)
		}
		fmt.Fprintf(out, "  %s\n    off:   %s: %q becomes %q\n    fails: %s %s, saying %q\n", m, m.File, m.Find, m.Replace, m.Package, m.Test, m.Fails)
	}
}
