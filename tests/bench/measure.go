package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/tools"
)

// starts measures from exec to the answer to Configure.
func (b *bench) starts(ctx context.Context) error {
	fmt.Println("starting ...")
	evaluator, err := b.wholeStart(ctx)
	if err != nil {
		return err
	}
	for _, types := range []int{3, 30, 50, 300} {
		ours, err := b.ours(types)
		if err != nil {
			return err
		}
		raw, own, err := b.startsOf(ctx, b.raw, ours, 4*b.rounds)
		if err != nil {
			return err
		}
		budget := 1.5
		if types > 30 {
			budget = 1.8
		}
		b.rows = append(b.rows, row{
			what: fmt.Sprintf("start, %d types, cache warm", types), got: median(ratios(own, raw)), budget: budget, unit: "x",
			detail: fmt.Sprintf("(%s, by hand %s)", ms(median(own)), ms(median(raw))),
		})
		cold, err := b.cold(ctx, ours)
		if err != nil {
			return err
		}
		// The evaluation, a start of the provider, and one of its evaluator.
		allowed := float64(types)*0.0015 + median(own) + evaluator
		b.rows = append(b.rows, row{what: fmt.Sprintf("start, %d types, cache cold", types), got: cold * 1000, budget: allowed * 1000, unit: "ms"})
	}
	return nil
}

// wholeStart is how many seconds the whole binary takes to start as a provider,
// which is shown apart from the budget.
func (b *bench) wholeStart(ctx context.Context) (float64, error) {
	whole, err := b.with(b.whole, 3)
	if err != nil {
		return 0, err
	}
	raw, own, err := b.startsOf(ctx, b.raw, whole, 4*b.rounds)
	if err != nil {
		return 0, err
	}
	fmt.Printf("apart from the budget: declprov itself, under the name of a provider, starts in %s (by hand %s, %.2f x)\n",
		ms(median(own)), ms(median(raw)), median(ratios(own, raw)))
	return median(own), nil
}

// calls measures every verb on files, by both providers.
func (b *bench) calls(ctx context.Context) error {
	ours, err := b.ours(3)
	if err != nil {
		return err
	}
	return b.compare(ctx, fileWork(), b.raw, ours, 1.3)
}

// compare measures every verb at three concurrencies, round by round. Change is
// the budget of the processor time of what changes or reads the world.
func (b *bench) compare(ctx context.Context, w workload, raw, ours peer, change float64) error {
	fmt.Printf("\n%s\n%-3s %-15s %22s %22s %22s %20s\n", w.token, "at", "verb", "p50 us (by hand)", "p99 us (by hand)", "CPU us (by hand)", "ops/s (by hand)")
	for _, concurrency := range []int{1, 8, 64} {
		var hand, own []map[string]figures
		for i := range b.rounds {
			pair := []peer{raw, ours}
			if i%2 == 1 {
				slices.Reverse(pair)
			}
			for _, p := range pair {
				got, err := w.round(ctx, p, b.dir, b.ops, concurrency)
				if err != nil {
					return err
				}
				if p.name == raw.name {
					hand = append(hand, got)
				} else {
					own = append(own, got)
				}
			}
		}
		for _, v := range w.verbs() {
			b.rows = append(b.rows, w.rows(v.name, concurrency, own, hand, change)...)
		}
	}
	return nil
}

// rows prints a verb's figures and gives its rows of the budget.
func (w workload) rows(name string, concurrency int, own, raw []map[string]figures, change float64) []row {
	series := func(all []map[string]figures, of func(figures) float64) []float64 {
		out := make([]float64, len(all))
		for i, round := range all {
			out[i] = of(round[name])
		}
		return out
	}
	p50 := func(f figures) float64 { return us(f.p50) }
	p99 := func(f figures) float64 { return us(f.p99) }
	cpu := func(f figures) float64 { return us(f.cpu) }
	rate := func(f figures) float64 { return f.rate }
	line := fmt.Sprintf("%-3d %-15s", concurrency, name)
	for _, of := range []func(figures) float64{p50, p99, cpu, rate} {
		line += fmt.Sprintf(" %10.0f (%8.0f)", median(series(own, of)), median(series(raw, of)))
	}
	fmt.Println(line)
	ratio := func(of func(figures) float64) float64 { return median(ratios(series(own, of), series(raw, of))) }
	what := w.title + name
	switch concurrency {
	case 1:
		return []row{
			{what: what + ", p50 at 1", got: ratio(p50), budget: 1.15, unit: "x"},
			{what: what + ", p99 at 1", got: ratio(p99), budget: 1.5, unit: "x"},
		}
	case 8:
		budget := change
		if name == "Check" || name == "Diff" || name == "Create preview" {
			budget = 1.35
		}
		return []row{{what: what + ", CPU at 8", got: ratio(cpu), budget: budget, unit: "x"}}
	default:
		return nil
	}
}

// footprint measures memory, the first schema, initialisation and size.
func (b *bench) footprint(ctx context.Context) error {
	const files = 10_000
	ours, err := b.ours(3)
	if err != nil {
		return err
	}
	rawIdle, rawAfter, err := b.memory(ctx, b.raw, files)
	if err != nil {
		return err
	}
	idle, after, err := b.memory(ctx, ours, files)
	if err != nil {
		return err
	}
	schema, err := b.firstSchema(ctx, ours)
	if err != nil {
		return err
	}
	inits, err := initialisation(ctx, ours.program)
	if err != nil {
		return err
	}
	size := map[string]float64{}
	for _, path := range []string{b.whole, b.serving} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		size[path] = float64(info.Size()) / 1e6
	}
	mb := func(bytes float64) string { return fmt.Sprintf("%.1f MB", bytes/1e6) }
	b.rows = append(b.rows,
		row{what: "memory idle", got: idle / rawIdle, budget: 1.7, unit: "x", detail: fmt.Sprintf("(%s, by hand %s)", mb(idle), mb(rawIdle))},
		row{what: "memory after 10,000 resources", got: after / rawAfter, budget: 1.9, unit: "x", detail: fmt.Sprintf("(%s, by hand %s)", mb(after), mb(rawAfter))},
		row{what: "first GetSchema", got: schema.Seconds() * 1000, budget: 1, unit: "ms"},
		row{what: "package initialisation", got: inits.Seconds() * 1000, budget: 5, unit: "ms"},
		row{what: "stripped size, serving", got: size[b.serving], budget: 30, unit: "MB"},
		row{what: "stripped size, declprov", got: size[b.whole], budget: 30, unit: "MB"})
	return nil
}

// disk shows what syncing costs on a real disk, apart from the budget.
func (b *bench) disk(ctx context.Context) error {
	dir, err := os.MkdirTemp(filepath.Join(b.root, ".tools"), "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, err := b.ours(3)
	if err != nil {
		return err
	}
	fmt.Printf("\nOn the disk of this folder, at 1:\n")
	for _, p := range []peer{b.rawOff, b.raw, ours} {
		got, err := fileWork().round(ctx, p, dir, min(b.ops, 500), 1)
		if err != nil {
			return err
		}
		fmt.Printf("  %-20s Create p50 %6.0f us, Update p50 %6.0f us\n", p.name, us(got["Create"].p50), us(got["Update"].p50))
	}
	return nil
}

// cli measures `pulumi up` of one and of a hundred files.
func (b *bench) cli(ctx context.Context) error {
	fmt.Println("\nthe Pulumi CLI ...")
	paths := map[string]string{}
	for _, name := range []string{tools.Pulumi, tools.PulumiYAML} {
		tool, err := tools.ByName(name)
		if err != nil {
			return err
		}
		if err := tool.Install(ctx, b.root, os.Stdout); err != nil {
			return err
		}
		if paths[name], err = tool.Find(b.root); err != nil {
			return err
		}
	}
	ours, err := b.ours(3)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		files  int
		budget float64
	}{{1, 1.05}, {100, 1.02}} {
		var raw, own []float64
		for range b.rounds {
			for _, p := range []peer{b.raw, ours} {
				took, err := b.up(ctx, p, paths, c.files)
				if err != nil {
					return err
				}
				if p.name == b.raw.name {
					raw = append(raw, took.Seconds())
				} else {
					own = append(own, took.Seconds())
				}
			}
		}
		b.rows = append(b.rows, row{
			what: fmt.Sprintf("pulumi up of %d", c.files), got: median(ratios(own, raw)), budget: c.budget, unit: "x",
			detail: fmt.Sprintf("(%s, by hand %s)", ms(median(own)), ms(median(raw))),
		})
	}
	return nil
}

// up is how long `pulumi up` takes to create so many files.
func (b *bench) up(ctx context.Context, p peer, paths map[string]string, files int) (time.Duration, error) {
	dir, err := os.MkdirTemp(b.dir, "up-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	project, err := pulumicli.Open(pulumicli.Options{
		Dir: dir, CLI: paths[tools.Pulumi], YAMLHost: paths[tools.PulumiYAML],
		Providers: map[string]string{"files": filepath.Dir(p.program)},
	})
	if err != nil {
		return 0, err
	}
	body := "resources:\n"
	for i := range files {
		body += fmt.Sprintf("  f%d:\n    type: files:File\n    properties: {path: f%d.txt, content: hello}\n", i, i)
	}
	if err := project.SetProgram(body); err != nil {
		return 0, err
	}
	begun := time.Now()
	r, err := project.Up(ctx)
	if err != nil {
		return 0, err
	}
	return time.Since(begun), r.Failure()
}
