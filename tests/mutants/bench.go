package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/declprov/declprov/tests/mutants/table"
)

// bench is where mutants are made and tried. It is safe for concurrent use.
type bench struct {
	root, work string
	verbose    bool
	side       int

	mu  sync.Mutex
	out io.Writer

	programs *programs
}

// tryAll tries the rows: first every test with nothing switched off, since a test that
// fails anyway proves nothing; then each with its mechanism off.
func (b *bench) tryAll(ctx context.Context, rows []table.Mutant) error {
	began := time.Now()
	b.say("%d mechanisms; compiling ...\n", len(rows))
	if err := b.compile(ctx, rows); err != nil {
		return err
	}
	b.say("compiled, %d each for itself (%s); first their tests with nothing switched off ...\n", len(b.programs.alone), time.Since(began).Round(time.Second))
	var single []table.Mutant
	for _, m := range rows {
		if !slices.ContainsFunc(single, func(s table.Mutant) bool { return s.Package == m.Package && s.Test == m.Test }) {
			single = append(single, m)
		}
	}
	// untold are the tests that cannot tell: they were left out, or fail anyway.
	untold := map[string]bool{}
	wrong := each(ctx, b, single, func(ctx context.Context, i int, m table.Mutant) error {
		got, err := b.asItIs(ctx, i, m)
		if got == leftOut {
			b.say("left out: %s %s, for want of a program: see the end of make test\n", m.Package, m.Test)
		}
		if got != passed {
			b.mu.Lock()
			untold[m.Package+" "+m.Test] = true
			b.mu.Unlock()
		}
		return err
	})
	if wrong != nil {
		b.say("FAILING ANYWAY, with nothing switched off:\n%v\n", wrong)
		wrong = fmt.Errorf("tests that fail with nothing switched off, told above; nothing was tried with them")
	}
	b.say("%d tests work; now without what they are about (%s)\n", len(single)-len(untold), time.Since(began).Round(time.Second))
	off := slices.DeleteFunc(slices.Clone(b.programs.rows), func(m numbered) bool { return untold[m.Package+" "+m.Test] })
	unnoticed := each(ctx, b, off, b.switchedOff)
	if unnoticed != nil {
		unnoticed = fmt.Errorf("mechanisms whose absence went unnoticed, each told above:\n%w", unnoticed)
	}
	if err := errors.Join(wrong, unnoticed); err != nil {
		return err
	}
	b.say("%d mechanisms were switched off, and a test noticed each (%s)\n", len(off), time.Since(began).Round(time.Second))
	return nil
}

// each tries rows side by side, and goes on after a failure, so that one does not
// hide the next.
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

func (b *bench) say(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.out, format, args...)
}
