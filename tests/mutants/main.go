// Mutants switches off one mechanism after the other, and sees that the test
// which stands for it fails: `make mutants`. The table of mechanisms is package
// table. Nothing in the repository is changed: the compiler gets each changed
// file as an overlay, with the edits of all rows in it, each behind a condition.
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

	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/mutants/table"
)

func main() {
	// Not flag.CommandLine, where a library of the Pulumi SDK has its own.
	flags := flag.NewFlagSet("mutants", flag.ExitOnError)
	only := flags.String("run", "", "only the rows that match this regular expression, in any of their fields")
	list := flags.Bool("list", false, "print the table, and run nothing")
	verbose := flags.Bool("v", false, "print what each test says")
	side := flags.Int("j", 2*runtime.NumCPU(), "how many to try side by side: many of their tests wait")
	_ = flags.Parse(os.Args[1:]) // it exits on an error
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, table.All(), *only, *list, *verbose, *side); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, rows []table.Mutant, only string, list, verbose bool, side int) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(m table.Mutant) bool { return !wanted.MatchString(wordsOf(m)) })
	if len(rows) == 0 {
		return fmt.Errorf("no row matches %q", only)
	}
	if list {
		printTable(out, rows)
		return nil
	}
	root, err := tools.Root()
	if err != nil {
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
	b := &bench{root: root, work: work, out: out, verbose: verbose, side: max(side, 1)}
	return b.tryAll(ctx, rows)
}

// wordsOf is all that a row says.
func wordsOf(m table.Mutant) string {
	return strings.Join([]string{m.String(), m.Promise, m.File, m.Find, m.Replace, m.Package, m.Test, m.Fails}, "\n")
}

// printTable prints the rows for a person: promise, mechanism, edit, test.
func printTable(out io.Writer, rows []table.Mutant) {
	promise := ""
	for _, m := range rows {
		if m.Promise != promise {
			promise = m.Promise
			fmt.Fprintf(out, "%s\n", promise)
		}
		fmt.Fprintf(out, "  %s\n    off:   %s: %q becomes %q\n    fails: %s %s, saying %q\n", m, m.File, m.Find, m.Replace, m.Package, m.Test, m.Fails)
	}
}
