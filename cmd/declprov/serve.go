package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/spec/container"
)

// serveBeside is the whole of a process that Pulumi started as
// pulumi-resource-NAME. It shares nothing with the command line, whose start
// would cost it time. What it writes to standard error, Pulumi shows.
func serveBeside(ctx context.Context, name string, args []string) int {
	err := serveNamed(ctx, name, args)
	var mistakes *build.Mistakes
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &mistakes):
		if err := writeMistakes(os.Stderr, mistakes, terminal.Colors(os.Stderr, "auto")); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return exitFindings
	default:
		fmt.Fprintf(os.Stderr, "pulumi-resource-%s: %v\n", name, err)
		return exitFindings
	}
}

func serveNamed(ctx context.Context, name string, args []string) error {
	log := newLog(os.Stderr, false)
	path, err := door.FindSpec(os.Args[0], name)
	if err != nil {
		return err
	}
	log.Debug("found the spec", "provider", name, "path", path)
	c, err := openBeside(ctx, log, path)
	if err != nil {
		return err
	}
	p, err := program(c)
	if err != nil {
		return err
	}
	if actual := p.Metadata().Name; actual != name {
		return fmt.Errorf("%s describes the provider %q: it is served as pulumi-resource-%s", path, actual, actual)
	}
	return serveProgram(ctx, log, p, c, pulumi.ParseArgs(args))
}

// openBeside opens the spec that was found, whichever form it has.
func openBeside(ctx context.Context, log *slog.Logger, path string) (*container.Container, error) {
	if filepath.Ext(path) != door.CompiledExt {
		return newBuilder(os.Stderr, log).Open(ctx, build.Spec{Path: path})
	}
	c, err := container.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: run `declprov install` again, on the spec's source", err)
	}
	return c, nil
}

// serveProgram serves a compiled spec until the host has enough of it.
func serveProgram(ctx context.Context, log *slog.Logger, p *engine.Program, c *container.Container, address string) error {
	return pulumi.Serve(ctx, pulumi.Options{
		Program:       p,
		Version:       p.Metadata().Version,
		Schema:        c.Schema,
		EngineAddress: address,
		Stdin:         os.Stdin,
		Debug:         log.Enabled(ctx, slog.LevelDebug),
	})
}

const serveHelp = `Serve runs the provider of a spec until it is interrupted, and prints its port.
Pulumi uses it instead of starting one when PULUMI_DEBUG_PROVIDERS names it:

  declprov serve petstore.cue          prints 40123
  PULUMI_DEBUG_PROVIDERS=petstore:40123 pulumi up

With --debug it says on standard error what happens.`

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "serve SPEC",
		Short:             "Serve a spec for a Pulumi that attaches to it",
		Long:              serveHelp,
		Args:              specArgument,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.compiled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer c.Close()
			p, err := program(c)
			if err != nil {
				return err
			}
			return serveProgram(cmd.Context(), a.log(), p, c, "")
		},
	}
	a.addTagFlag(cmd)
	return cmd
}
