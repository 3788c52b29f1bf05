package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/load/printer"
)

const expandHelp = `Expand prints a spec with every shorthand written out: instead of "rest", each
resource has the operations that it stands for. The result passes vet and behaves
like the spec. It is one file, in which CUE's references and templates are
evaluated; comments that document properties and resources are kept.

To change one operation of a resource with "rest", print it and write it next to
"rest": declprov expand SPEC RESOURCE prints only that resource.`

const expandExamples = `  declprov expand petstore.cue
  declprov expand petstore.cue Pet
  declprov expand --format yaml petstore.cue > petstore.yaml`

func expandCommand(a *app) *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:               "expand SPEC [RESOURCE]",
		Short:             "Print a spec with its shorthands written out",
		Long:              expandHelp,
		Example:           expandExamples,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return usagef("%s requires one SPEC and at most one RESOURCE, got %d arguments", cmd.CommandPath(), len(args))
			}
			c, err := a.loadCompiled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer c.Close()
			p, err := c.Whole()
			if err != nil {
				return err
			}
			if len(args) == 2 {
				if p, err = onlyResource(p, args[1]); err != nil {
					return err
				}
			}
			text, err := printSpec(p, format, args[0])
			if err != nil {
				return err
			}
			_, err = a.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "format of the output: cue or yaml; by default that of SPEC")
	mustComplete(cmd, "format", "cue", "yaml")
	a.addTagFlag(cmd)
	return cmd
}

// onlyResource returns a part of a provider: one resource with the types of its
// responses.
func onlyResource(p *spec.Provider, name string) (*spec.Provider, error) {
	r := p.Resource(name)
	if r == nil {
		known := lists.Map(p.Resources, func(r *spec.Resource) string { return r.Name })
		return nil, usagef("the spec has no resource %q. %s", name, diag.Remedy(name, known))
	}
	return &spec.Provider{Resources: []*spec.Resource{r}}, nil
}

// printSpec returns a spec in a format; "" is that of the file at path.
func printSpec(p *spec.Provider, format, path string) ([]byte, error) {
	if format == "" {
		format = "cue"
		if slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path))) {
			format = "yaml"
		}
	}
	switch format {
	case "cue":
		return printer.CUE(p)
	case "yaml":
		return printer.YAML(p)
	default:
		return nil, usagef("invalid --format %q (use cue or yaml)", format)
	}
}
