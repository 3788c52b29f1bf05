package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// bench compiles and runs the rows. It is safe for concurrent use.
type bench struct {
	root string
	// work is the folder of the compiled tests, runs that of declprov and of what each run writes.
	work, runs string
	verbose    bool
	side       int

	mu  sync.Mutex
	out io.Writer

	programs *programs
}

// tryAll runs every test without an edit first, because a test that fails anyway proves
// nothing. Then it runs the test of each row with its mechanism disabled.
func (b *bench) tryAll(ctx context.Context, rows []mutant.Mutant) error {
	began := time.Now()
	b.printf("%d mechanisms; compiling ...\n", len(rows))
	if err := b.compile(ctx, rows); err != nil {
		return err
	}
	b.printf("compiled, %d rows separately (%s); running the tests with all mechanisms enabled ...\n", len(b.programs.alone), time.Since(began).Round(time.Second))
	var single []mutant.Mutant
	for _, m := range rows {
		if !slices.ContainsFunc(single, func(s mutant.Mutant) bool { return s.Package == m.Package && s.Test == m.Test }) {
			single = append(single, m)
		}
	}
	// unusable are the tests that were left out, or fail with all mechanisms enabled.
	unusable := map[string]bool{}
	wrong := each(ctx, b, single, func(ctx context.Context, i int, m mutant.Mutant) error {
		got, err := b.runUnchanged(ctx, i, m)
		if got == leftOut {
			b.printf("left out: %s %s, because a program is missing: see the end of make test\n", m.Package, m.Test)
		}
		if got != passed {
			b.mu.Lock()
			unusable[m.Package+" "+m.Test] = true
			b.mu.Unlock()
		}
		return err
	})
	if wrong != nil {
		b.printf("FAILED with all mechanisms enabled:\n%v\n", wrong)
		wrong = fmt.Errorf("the tests listed above fail with all mechanisms enabled; their rows were not run")
	}
	b.printf("%d tests pass; running them with their mechanisms disabled (%s)\n", len(single)-len(unusable), time.Since(began).Round(time.Second))
	off := slices.DeleteFunc(slices.Clone(b.programs.rows), func(m numbered) bool { return unusable[m.Package+" "+m.Test] })
	unnoticed := each(ctx, b, off, b.runSwitchedOff)
	if unnoticed != nil {
		unnoticed = fmt.Errorf("no test detected that these mechanisms were disabled (see above):\n%w", unnoticed)
	}
	if err := errors.Join(wrong, unnoticed); err != nil {
		return err
	}
	b.printf("%d mechanisms were disabled, and a test detected each (%s)\n", len(off), time.Since(began).Round(time.Second))
	return nil
}

// each runs rows concurrently. It continues after a failure, to report all failures.
func each[T any](ctx context.Context, b *bench, rows []T, try func(context.Context, int, T) error) error {
	var (
		all    sync.WaitGroup
		failed = make([]error, len(rows))
		next   = make(chan int)
	)
	for range b.side {
		all.Go(func() {
			for i := range next {
				if failed[i] = ctx.Err(); failed[i] == nil {
					failed[i] = try(ctx, i, rows[i])
				}
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(failed...)
}

func (b *bench) printf(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.out, format, args...)
}
