// Package serving is the process of a provider: what a host starts under the
// name pulumi-resource-NAME. It carries no evaluator of specs and no command
// line; either would cost each start of a provider milliseconds and memory.
package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/screen"
)

// Run is the whole of a process that a host started as pulumi-resource-NAME. It
// serves the spec that lies beside it, and returns the exit code. What it
// writes to standard error, Pulumi shows.
func (t Tool) Run(ctx context.Context, name string, args []string) int {
	stderr := screen.NewWriter(os.Stderr, terminal.Colors(os.Stderr, "auto"))
	err := t.serveNamed(ctx, name, args, stderr)
	var mistakes *build.Mistakes
	switch {
	case err == nil:
		return 0
	case errors.As(err, &mistakes):
		if err := WriteMistakes(stderr, mistakes, terminal.Colors(os.Stderr, "auto")); err != nil {
			fmt.Fprintln(stderr, err)
		}
	default:
		fmt.Fprintf(stderr, "pulumi-resource-%s: %s\n", name, screen.Show(err.Error(), nil))
	}
	return 1
}

func (t Tool) serveNamed(ctx context.Context, name string, args []string, stderr io.Writer) error {
	log := NewLog(stderr, false)
	path, err := door.FindSpec(os.Args[0], name)
	if err != nil && name == BaseName {
		prepare()
		return t.serveBase(ctx, log, args)
	}
	if err != nil {
		return err
	}
	log.Debug("found the spec", "provider", name, "path", path)
	c, err := t.Open(ctx, log, path, stderr)
	if err != nil {
		return err
	}
	p, err := Program(c)
	if err != nil {
		return err
	}
	if actual := p.Metadata().Name; actual != name {
		return fmt.Errorf("%s describes the provider %q: it is served as pulumi-resource-%s", path, actual, actual)
	}
	return Serve(ctx, log, p, c, pulumi.ParseArgs(args))
}

// Open opens the spec of an installed provider, whichever form it has.
func (t Tool) Open(ctx context.Context, log *slog.Logger, path string, stderr io.Writer) (*container.Container, error) {
	if filepath.Ext(path) != door.CompiledExt {
		c, err := t.Builder(stderr, log).Open(ctx, build.Spec{Path: path})
		return c, withoutEvaluator(err)
	}
	c, err := container.OpenFile(path)
	if errors.Is(err, container.ErrOlder) {
		log.Debug("the compiled spec has a former format", "path", path)
		return t.rebuild(ctx, log, path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: run `declprov install` again, on the spec's source", err)
	}
	return c, nil
}

// rebuild compiles again what an older declprov has compiled.
func (t Tool) rebuild(ctx context.Context, log *slog.Logger, path string) (*container.Container, error) {
	old, err := container.SalvageFile(path)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	c, err := t.Builder(os.Stderr, log).Rebuild(ctx, path, whole, old)
	return c, withoutEvaluator(err)
}

// gcPercent is how far the heap of a provider may grow between two collections.
// Its live part is small, and nearly all of what a call allocates is garbage at
// its end: docs/internals/performance.md has what each value costs and gains.
const gcPercent = 250

// mostHeap is where garbage is collected earlier than gcPercent says: a large response
// is copied on its way into the state, and what lies around of it would be twice as much
// as what is in use.
const mostHeap = 224 << 20

// prepare makes the process one that serves.
func prepare() {
	Hush()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(mostHeap)
	}
}

// Serve serves a compiled spec until the host has enough of it.
func Serve(ctx context.Context, log *slog.Logger, p *engine.Program, c *container.Container, address string) error {
	prepare()
	return pulumi.Serve(ctx, pulumi.Options{
		Program:       p,
		Version:       p.Metadata().Version,
		Schema:        c.Schema,
		EngineAddress: address,
		Stdin:         os.Stdin,
		Debug:         log.Enabled(ctx, slog.LevelDebug),
	})
}

// Program opens a compiled spec for use.
func Program(c *container.Container) (*engine.Program, error) {
	p, err := engine.Open(c, builtin.Families())
	if err != nil {
		return nil, fmt.Errorf("opening the compiled spec: %w", err)
	}
	return p, nil
}

// WriteMistakes shows what keeps a spec from being used.
func WriteMistakes(w io.Writer, m *build.Mistakes, color bool) error {
	return diag.WriteText(w, m.Findings, diag.TextOptions{Sources: m.Sources, Color: color})
}
