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
)

// Run is the whole of a process that a host started as pulumi-resource-NAME. It
// serves the spec that lies beside it, and returns the exit code. What it
// writes to standard error, Pulumi shows.
func (t Tool) Run(ctx context.Context, name string, args []string) int {
	err := t.serveNamed(ctx, name, args)
	var mistakes *build.Mistakes
	switch {
	case err == nil:
		return 0
	case errors.As(err, &mistakes):
		if err := WriteMistakes(os.Stderr, mistakes, terminal.Colors(os.Stderr, "auto")); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	default:
		fmt.Fprintf(os.Stderr, "pulumi-resource-%s: %v\n", name, err)
	}
	return 1
}

func (t Tool) serveNamed(ctx context.Context, name string, args []string) error {
	log := NewLog(os.Stderr, false)
	path, err := door.FindSpec(os.Args[0], name)
	if err != nil {
		return err
	}
	log.Debug("found the spec", "provider", name, "path", path)
	c, err := t.openBeside(ctx, log, path)
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

// openBeside opens the spec that was found, whichever form it has.
func (t Tool) openBeside(ctx context.Context, log *slog.Logger, path string) (*container.Container, error) {
	if filepath.Ext(path) != door.CompiledExt {
		c, err := t.Builder(os.Stderr, log).Open(ctx, build.Spec{Path: path})
		return c, withoutEvaluator(err)
	}
	c, err := container.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: run `declprov install` again, on the spec's source", err)
	}
	return c, nil
}

// gcPercent is how far the heap of a provider may grow between two collections.
// Its live part is small, and nearly all of what a call allocates is garbage at
// its end: docs/performance.md has what each value costs and gains.
const gcPercent = 250

// Serve serves a compiled spec until the host has enough of it.
func Serve(ctx context.Context, log *slog.Logger, p *engine.Program, c *container.Container, address string) error {
	Hush()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
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
