package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/starter"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/names"
)

const initHelp = `Init writes the first files of a provider into a new folder: a spec, a Pulumi program
that uses it, and a README that says what to type from there. DIR is the folder; by
default it has the name of the provider.

The templates:
  rest       a resource of a REST API (the default)
  files      files on the local disk
  command    settings that a program writes and reads
  component  a component that consists of files

With --openapi, init makes the spec from the OpenAPI document of an API (a file or a URL;
version 2.0 to 3.1, in JSON or YAML), instead of from a template. Each object that the
API can create and read becomes a resource. Init lists the paths that it leaves out, and
why. A document does not say everything: check the spec with vet and try.

Init overwrites nothing: if one of the files exists, it writes none.`

const initExamples = `  declprov init notes --template files
  declprov init petstore --yaml
  declprov init petstore providers/petstore
  declprov init petstore --openapi https://petstore.example.com/openapi.json
  declprov init petstore --openapi petstore.yaml --only 'Pet*' --only Store`

func initCommand(a *app) *cobra.Command {
	p := starter.Provider{}
	var document string
	var only []string
	cmd := &cobra.Command{
		Use:               "init NAME [DIR]",
		Short:             "Write the first files of a provider",
		Long:              initHelp,
		Example:           initExamples,
		ValidArgsFunction: completeFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return usagef("%s requires the NAME of a provider and at most one DIR, got %d arguments", cmd.CommandPath(), len(args))
			}
			p.Name = args[0]
			if err := checkName(p.Name); err != nil {
				return err
			}
			if document == "" {
				if only != nil {
					return usagef("--only requires --openapi")
				}
				return writeStarter(a.out, p, args[len(args)-1])
			}
			if cmd.Flags().Changed("template") {
				return usagef("--openapi and --template exclude each other")
			}
			return a.writeFromDocument(cmd.Context(), p, document, only, args[len(args)-1])
		},
	}
	cmd.Flags().StringVar(&p.Template, "template", starter.Templates()[0], "the template: "+strings.Join(starter.Templates(), ", "))
	cmd.Flags().BoolVar(&p.YAML, "yaml", false, "write the spec in YAML instead of CUE")
	cmd.Flags().StringVar(&document, "openapi", "", "make the spec from this OpenAPI `document`, a file or a URL")
	cmd.Flags().StringArrayVar(&only, "only", nil, "with --openapi, only write resources whose names match this `pattern` (*, ?, [a-z]); repeatable")
	mustComplete(cmd, "template", starter.Templates()...)
	return cmd
}

// checkName returns an error if a provider cannot have a name.
func checkName(name string) error {
	if fault := names.CheckProvider(name); fault != nil {
		remedy := fault.Detail
		switch {
		case fault.Meant != "":
			remedy = fmt.Sprintf("%s Did you mean %q?", remedy, fault.Meant)
		case fault.Code == names.CodeOfficial:
			remedy += " Choose another name."
		}
		return usagef("%s. %s", fault.Summary, remedy)
	}
	return nil
}

// writeStarter writes the files of a provider into a folder, and prints to out what to type next.
func writeStarter(out io.Writer, p starter.Provider, dir string) error {
	if p.Generated == nil && !slices.Contains(starter.Templates(), p.Template) {
		return usagef("there is no template %q. %s", p.Template, diag.Remedy(p.Template, starter.Templates()))
	}
	files, err := p.Files()
	if err != nil {
		return err
	}
	err = starter.Write(dir, files)
	if errors.Is(err, starter.ErrExists) {
		err = fmt.Errorf("%w. Remove it, or name another folder: declprov init %s DIR", err, p.Name)
	}
	if err != nil {
		return failedError{err}
	}
	var text strings.Builder
	for _, f := range files {
		fmt.Fprintf(&text, "Wrote %s\n", filepath.Join(dir, filepath.FromSlash(f.Path)))
	}
	text.WriteByte('\n')
	if filepath.Clean(dir) != "." {
		fmt.Fprintf(&text, "  cd %s\n", dir)
	}
	fmt.Fprintf(&text, "  declprov vet %s\n\nREADME.md says what to type next.\n", p.Spec())
	_, err = fmt.Fprint(out, &text)
	return err
}
