// Package serving implements the process that Pulumi starts as pulumi-resource-NAME. It
// does not import the evaluator of specs or the command line, which would cost each start
// of a provider milliseconds and memory.
package serving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/plugin"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/screen"
)

// Run runs a process that Pulumi started as pulumi-resource-NAME. It serves the spec in
// the folder of the binary, and returns the exit code. Pulumi shows what it writes to
// standard error.
func (t Tool) Run(ctx context.Context, name string, args []string) int {
	return t.report("pulumi-resource-"+name, func(stderr io.Writer) error { return t.serveNamed(ctx, name, args, stderr) })
}

// SpecCommand is the argument with which this binary serves the spec of a checked-out
// project. The next argument is the build.Spec as JSON; the others are those that Pulumi
// passes to a provider.
const SpecCommand = "__serve"

// RunSpec is Run for a process that was started with SpecCommand; args are the arguments
// after it.
func (t Tool) RunSpec(ctx context.Context, args []string) int {
	return t.report("declprov", func(stderr io.Writer) error { return t.serveSpec(ctx, args, stderr) })
}

// report writes the error of serve to standard error, as that of the command, and returns
// the exit code.
func (t Tool) report(command string, serve func(stderr io.Writer) error) int {
	stderr := screen.NewWriter(os.Stderr, terminal.Colors(os.Stderr, "auto"))
	err := serve(stderr)
	var mistakes *build.Mistakes
	switch {
	case err == nil:
		return 0
	case errors.As(err, &mistakes):
		if err := WriteMistakes(stderr, mistakes, terminal.Colors(os.Stderr, "auto")); err != nil {
			fmt.Fprintln(stderr, err)
		}
	default:
		fmt.Fprintf(stderr, "%s: %s\n", command, screen.Show(err.Error(), nil))
	}
	return 1
}

func (t Tool) serveSpec(ctx context.Context, args []string, stderr io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("%s requires a spec", SpecCommand)
	}
	var spec build.Spec
	if err := json.Unmarshal([]byte(args[0]), &spec); err != nil {
		return fmt.Errorf("%s: %w", SpecCommand, err)
	}
	log := NewLog(stderr, false)
	c, err := t.Builder(stderr, log).Open(ctx, spec)
	if err != nil {
		return err
	}
	p, err := t.Program(c)
	if err != nil {
		return err
	}
	return serve(ctx, log, p, c, pulumi.Options{EngineAddress: plugin.ParseArgs(args[1:]), Hosted: true})
}

func (t Tool) serveNamed(ctx context.Context, name string, args []string, stderr io.Writer) error {
	log := NewLog(stderr, false)
	path, err := startup.FindSpec(os.Args[0], name)
	if err != nil && name == BaseName {
		prepareProcess()
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
	p, err := t.Program(c)
	if err != nil {
		return err
	}
	if actual := p.Metadata().Name; actual != name {
		return fmt.Errorf("%s is the spec of the provider %q: rename the binary to pulumi-resource-%s", path, actual, actual)
	}
	return Serve(ctx, log, p, c, plugin.ParseArgs(args))
}

// Open opens the spec of an installed provider, compiled or not.
func (t Tool) Open(ctx context.Context, log *slog.Logger, path string, stderr io.Writer) (*container.Container, error) {
	if filepath.Ext(path) != startup.CompiledExt {
		c, err := t.Builder(stderr, log).Open(ctx, build.Spec{Path: path})
		return c, explainMissingEvaluator(err)
	}
	c, err := container.OpenFile(path)
	if errors.Is(err, container.ErrOlder) {
		log.Debug("the compiled spec has an older format", "path", path)
		return t.rebuild(ctx, log, path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: run `declprov install` again, with the source of the spec", err)
	}
	return c, nil
}

// rebuild compiles a spec again that an older version of declprov compiled.
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
	return c, explainMissingEvaluator(err)
}

// gcPercent is the GOGC value of a provider. Its live heap is small, and nearly all that a
// call allocates is garbage afterwards. docs/internals/performance.md compares values.
const gcPercent = 250

// heapLimit is the heap size above which garbage is collected earlier than gcPercent says.
// A large response is copied several times before it is in the state; these copies would
// otherwise take twice the memory that is in use.
const heapLimit = 224 << 20

// prepareProcess sets the log and the garbage collector of a serving process.
func prepareProcess() {
	DiscardStandardLog()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapLimit)
	}
}

// Serve serves a compiled spec until the host ends the process.
func Serve(ctx context.Context, log *slog.Logger, p *engine.Program, c *container.Container, address string) error {
	return serve(ctx, log, p, c, pulumi.Options{EngineAddress: address})
}

// serve serves a compiled spec. options say who started the process.
func serve(ctx context.Context, log *slog.Logger, p *engine.Program, c *container.Container, options pulumi.Options) error {
	prepareProcess()
	options.Program, options.Version, options.Schema = p, p.Metadata().Version, c.Schema
	options.Stdin, options.Debug = os.Stdin, log.Enabled(ctx, slog.LevelDebug)
	return pulumi.Serve(ctx, options)
}

// WriteMistakes writes the mistakes of a spec.
func WriteMistakes(w io.Writer, m *build.Mistakes, color bool) error {
	return diag.WriteText(w, m.Findings, diag.TextOptions{Sources: m.Sources, Color: color})
}
