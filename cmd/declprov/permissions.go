package main

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/door"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
)

const permissionsHelp = `Permissions prints what a spec may do to your machine and to others: the files it
may read and write, the servers it may reach, the programs it may run, the
variables it may see, the packages that its components make resources of.
Whatever is not listed is refused.

A grant in ${...} is decided when the provider runs: ${config.x} by its
configuration; ${inputs.x} by the program that uses it ("chosen by the
program"), or by the default that the author gives it, which stands beside it. A
grant that the spec does not spell out, but that follows from what it names
elsewhere, is marked as implied: a permissions block makes it explicit.

What programs do once they run, the kernel keeps to the grants where it can; the
list of programs says whether it does.

With --diff OLD, it prints what SPEC asks for more (+) and less (-) than that
spec, which may also be an installed one (NAME.declprov), and exits with 1 where
it asks for more.`

// granted is a spec, and what it may do.
type granted struct {
	about  spec.Metadata
	grants []permissions.Grant
}

func grantsOf(c *container.Container) (granted, error) {
	p, err := serving.Program(c)
	if err != nil {
		return granted{}, err
	}
	grants, err := permissions.Of(p.Program)
	return granted{p.Metadata(), grants}, err
}

// grantsAt are those of the spec at a path.
func (a *app) grantsAt(ctx context.Context, path string) (granted, error) {
	if filepath.Ext(path) == door.CompiledExt {
		return a.installedGrants(ctx, path)
	}
	c, err := a.compiled(ctx, path)
	if err != nil {
		return granted{}, err
	}
	defer c.Close()
	return grantsOf(c)
}

// installedGrants are those of a spec that declprov has installed, whichever form it has.
func (a *app) installedGrants(ctx context.Context, path string) (granted, error) {
	c, err := tool().Open(ctx, a.log(), path, a.err)
	if err != nil {
		return granted{}, err
	}
	defer c.Close()
	return grantsOf(c)
}

func (a *app) permissionsCommand() *cobra.Command {
	format, old := "text", ""
	cmd := &cobra.Command{
		Use:               "permissions [--diff OLD] SPEC",
		Short:             "Print what a spec may do",
		Long:              permissionsHelp,
		Example:           "  declprov permissions --diff petstore-1.0.cue petstore.cue",
		Args:              specArgument,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usagef("--format is %q; it takes text or json", format)
			}
			now, err := a.grantsAt(cmd.Context(), args[0])
			switch {
			case err != nil:
				return err
			case old != "":
				return a.compareGrants(cmd.Context(), old, now, format)
			case format == "json":
				return writeJSON(a.out, now.grants)
			}
			return writeGrants(a.out, now.about, now.grants)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "how they are written: text or json")
	cmd.Flags().StringVar(&old, "diff", old, "print what the spec asks for more and less than this one (`OLD`)")
	mustComplete(cmd, "format", "text", "json")
	a.addTagFlag(cmd)
	return cmd
}

// compareGrants prints how grants differ from those of an older spec.
func (a *app) compareGrants(ctx context.Context, old string, now granted, format string) error {
	before, err := a.grantsAt(ctx, old)
	if err != nil {
		return err
	}
	d := differenceOf(before, now)
	write := func() error { return writeDifference(a.out, d) }
	if format == "json" {
		write = func() error { return writeJSON(a.out, d) }
	}
	if err := write(); err != nil || len(d.More) == 0 {
		return err
	}
	return reported{exitFindings}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
