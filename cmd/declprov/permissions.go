package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/actions/exec/sandbox"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/screen"
)

const permissionsHelp = `Permissions prints what a spec may do to your machine and to others: the files it
may read and write, the servers it may reach, the programs it may run, the
variables it may see, the packages that its components make resources of.
Whatever is not listed is refused.

A grant in ${...} is decided when the provider runs: ${config.x} by its
configuration; ${inputs.x} by the program that uses it ("chosen by the
program"). A grant that the spec does not spell out, but that follows from what
it names elsewhere, is marked as implied: a permissions block makes it explicit.

What programs do once they run, the kernel keeps to the grants where it can; the
list of programs says whether it does.`

// accesses are the keys of a permissions block, and what each allows.
var accesses = [...]struct{ key, allows string }{
	{"read", "read files"},
	{"write", "read, write and delete files"},
	{"hosts", "connect to"},
	{"run", "run programs"},
	{"env", "see environment variables"},
	{"packages", "make resources of other packages, whose plugins do what you may do"},
}

func (a *app) permissionsCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:               "permissions SPEC",
		Short:             "Print what a spec may do",
		Long:              permissionsHelp,
		Args:              specArgument,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usagef("--format is %q; it takes text or json", format)
			}
			c, err := a.compiled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer c.Close()
			p, err := serving.Program(c)
			if err != nil {
				return err
			}
			grants, err := p.Grants()
			if err != nil {
				return err
			}
			if format == "json" {
				enc := json.NewEncoder(a.out)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				return enc.Encode(grants)
			}
			return writeGrants(a.out, p.Metadata(), grants)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "how they are written: text or json")
	mustComplete(cmd, "format", "text", "json")
	a.addTagFlag(cmd)
	return cmd
}

func writeGrants(w io.Writer, about spec.Metadata, grants []engine.Grant) error {
	name := about.Name
	if about.Version != "" {
		name += " " + about.Version
	}
	if len(grants) == 0 {
		_, err := fmt.Fprintf(w, "%s may do nothing outside of itself.\n", name)
		return err
	}
	text := name + " may\n"
	for _, access := range accesses {
		heading := "\n" + access.allows + "\n"
		for _, g := range grants {
			if g.Access != access.key || g.Access == "read" && covered(g, grants) {
				continue
			}
			text += heading + "  " + screen.Exact(g.Pattern) + remarks(g) + "\n"
			heading = ""
		}
		if heading == "" {
			text += confined(access.key, grants)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// confined says how the programs that may be run are bound by the other grants.
func confined(access string, grants []engine.Grant) string {
	i := slices.IndexFunc(grants, func(g engine.Grant) bool { return g.Access == access && g.Confined != "" })
	if i < 0 {
		return ""
	}
	here := ""
	if lacks := sandbox.Here().Partial(); lacks != "" {
		here = "  Not so on this machine: " + lacks + ".\n"
	}
	switch grants[i].Confined {
	case engine.Enforced:
		return "  The kernel keeps them, and what they start, to what stands here; where it cannot they do not start.\n" + here
	case engine.Attempted:
		return "  The kernel keeps them, and what they start, to what stands here, where it can: on Linux.\n" + here
	case engine.Mixed:
		return "  Some run outside of the kernel's sandbox: nothing keeps those to what stands here.\n"
	default:
		return "  Nothing keeps them, or what they start, to what stands here.\n"
	}
}

// covered reports whether what may be read may be written too, which says it
// all.
func covered(read engine.Grant, grants []engine.Grant) bool {
	return slices.ContainsFunc(grants, func(g engine.Grant) bool {
		return g.Access == "write" && g.Pattern == read.Pattern && g.Implied == read.Implied
	})
}

func remarks(g engine.Grant) string {
	remark := ""
	if g.Chosen {
		remark += "  (chosen by the program)"
	}
	if g.Implied {
		remark += "  (implied: not in a permissions block)"
	}
	return remark
}
