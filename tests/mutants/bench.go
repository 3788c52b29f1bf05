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
	// tests are the programs of the tests as they are, by package.
	tests map[string]string
}

// tryAll tries the rows: first every test as things are, since a test that fails
// anyway proves nothing; then each with its mechanism off.
func (b *bench) tryAll(ctx context.Context, rows []table.Mutant) error {
	began := time.Now()
	fmt.Fprintf(b.out, "%d mechanisms; first their tests with nothing switched off ...\n", len(rows))
	if err := b.prepare(ctx, rows); err != nil {
		return err
	}
	var single []table.Mutant
	for _, m := range rows {
		if !slices.ContainsFunc(single, func(s table.Mutant) bool { return s.Package == m.Package && s.Test == m.Test }) {
			single = append(single, m)
		}
	}
	left := map[string]bool{}
	wrong := b.each(ctx, single, func(ctx context.Context, i int, m table.Mutant) error {
		got, err := b.asItIs(ctx, i, m)
		if got == leftOut {
			b.say("left out: %s %s, for want of a program: see the end of make test\n", m.Package, m.Test)
			b.mu.Lock()
			left[m.Package+" "+m.Test] = true
			b.mu.Unlock()
		}
		return err
	})
	if wrong != nil {
		return fmt.Errorf("%w\nwith nothing switched off, so nothing was", wrong)
	}
	b.say("%d tests work; now without what they are about (%s)\n", len(single)-len(left), time.Since(began).Round(time.Second))
	rows = slices.DeleteFunc(slices.Clone(rows), func(m table.Mutant) bool { return left[m.Package+" "+m.Test] })
	if wrong = b.each(ctx, rows, b.switchedOff); wrong != nil {
		return fmt.Errorf("mechanisms whose absence went unnoticed, each told above:\n%w", wrong)
	}
	b.say("%d mechanisms were switched off, and a test noticed each (%s)\n", len(rows), time.Since(began).Round(time.Second))
	return nil
}

// each tries rows side by side, and goes on after a failure, so that one does not
// hide the next.
func (b *bench) each(ctx context.Context, rows []table.Mutant, try func(context.Context, int, table.Mutant) error) error {
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
