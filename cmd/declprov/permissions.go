package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/cmd/declprov/internal/archive"
	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
	"github.com/declprov/declprov/engine/permissions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
)

const permissionsHelp = `Permissions prints what a spec may access: the files it may read and write, the
servers it may connect to, the programs it may run, the environment variables it
may read, and the packages whose resources its components may create. Everything
else is refused.

The value of ${...} is only known when the provider runs: ${config.x} is set by its
configuration, and ${inputs.x} by the program ("chosen by the program"). If the
author sets a default, it is printed, too. A permission is marked as implied if it
is in no permissions block, but follows from the rest of the spec. To make it
explicit, add it to a permissions block.

Under "trust" it prints what the steps trust although no permission is required:
servers that are not verified (tls: insecure), and origins that get credentials
(auth: origins).

If possible, the kernel restricts running programs to these permissions; the list
of programs says whether it does.

--diff OLD prints the permissions that SPEC requires in addition to that spec (+),
and those that it no longer requires (-), and exits with 1 if there are additional
ones.

SPEC and OLD may also be an archive that "declprov package" made, a compiled spec
(NAME.declprov), or the folder of an installed provider:

  declprov permissions --diff ~/.pulumi/plugins/resource-petstore-v0.1.0 petstore.tar.gz`

// specGrants is a spec with its permissions.
type specGrants struct {
	about  spec.Metadata
	grants []permissions.Grant
	// note is what else to say about them, or "".
	note string
}

func grantsOf(c *container.Container) (specGrants, error) {
	p, err := tool().Describe(c)
	if err != nil {
		return specGrants{}, err
	}
	grants, err := permissions.List(p.Program)
	return specGrants{about: p.Metadata(), grants: grants}, err
}

// grantsAt returns the permissions of the spec at a path, which may also be an archive or the folder
// of an installed provider.
func grantsAt(ctx context.Context, a *app, path string) (specGrants, error) {
	if strings.HasSuffix(path, archive.Ext) {
		return archivedGrants(ctx, a, path)
	}
	installed, err := startup.InstalledSpec(path)
	if err != nil {
		return specGrants{}, err
	}
	if path = cmp.Or(installed, path); filepath.Ext(path) == startup.CompiledExt {
		return installedGrants(ctx, a, path)
	}
	c, err := a.loadCompiled(ctx, path)
	if err != nil {
		return specGrants{}, err
	}
	defer c.Close()
	return grantsOf(c)
}

// installedGrants returns the permissions of an installed spec, compiled or not.
func installedGrants(ctx context.Context, a *app, path string) (specGrants, error) {
	c, err := tool().Open(ctx, a.log(), path, a.err)
	if err != nil {
		return specGrants{}, err
	}
	defer c.Close()
	return grantsOf(c)
}

// archivedGrants returns the permissions of the spec in an archive.
func archivedGrants(ctx context.Context, a *app, path string) (grants specGrants, err error) {
	content, err := archive.Read(path)
	if err != nil {
		return grants, failedError{err}
	}
	// A spec that an older declprov has compiled is opened from a file.
	dir, err := os.MkdirTemp("", "declprov-*")
	if err != nil {
		return grants, err
	}
	defer os.RemoveAll(dir)
	compiled := filepath.Join(dir, content.Name+startup.CompiledExt)
	if err := os.WriteFile(compiled, content.Compiled, 0o600); err != nil {
		return grants, err
	}
	if grants, err = installedGrants(ctx, a, compiled); err != nil {
		return grants, fmt.Errorf("the spec in %s: %w", path, err)
	}
	grants.note = "\nThe archive contains a program, which is to restrict itself to this. It is not the one of this declprov:\n" +
		"install the archive only if you trust who made it.\n"
	if isOwnProgram(content.Program) {
		grants.note = "\nThe archive contains the program of this declprov, which restricts itself to this.\n"
	}
	return grants, nil
}

// isOwnProgram reports whether a checksum is that of a program that this declprov installs.
func isOwnProgram(sum [sha256.Size]byte) bool {
	for _, variant := range []string{"", builtin.Built} {
		path, _, err := install.Executable(variant)
		if err != nil {
			continue
		}
		program, err := os.ReadFile(path)
		if err == nil && sha256.Sum256(program) == sum {
			return true
		}
	}
	return false
}

func permissionsCommand(a *app) *cobra.Command {
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
				return usagef("invalid --format %q (use text or json)", format)
			}
			now, err := grantsAt(cmd.Context(), a, args[0])
			switch {
			case err != nil:
				return err
			case old != "":
				return compareGrants(cmd.Context(), a, old, now, format)
			case format == "json":
				return writeJSON(a.out, now.grants)
			}
			if err := writeGrants(a.out, now.about, now.grants); err != nil {
				return err
			}
			_, err = io.WriteString(a.out, now.note)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "output format: text or json")
	cmd.Flags().StringVar(&old, "diff", old, "print how the permissions differ from those of `OLD`")
	mustComplete(cmd, "format", "text", "json")
	a.addTagFlag(cmd)
	return cmd
}

// compareGrants prints how the permissions differ from those of an older spec.
func compareGrants(ctx context.Context, a *app, old string, now specGrants, format string) error {
	before, err := grantsAt(ctx, a, old)
	if err != nil {
		return err
	}
	d := differenceOf(before, now)
	write := func() error {
		if err := writeDifference(a.out, d); err != nil {
			return err
		}
		_, err := io.WriteString(a.out, now.note)
		return err
	}
	if format == "json" {
		write = func() error { return writeJSON(a.out, d) }
	}
	if err := write(); err != nil || len(d.More) == 0 {
		return err
	}
	return reportedError{exitFindings}
}
