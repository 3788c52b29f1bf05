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

Init overwrites nothing: if one of the files exists, it writes none.`

const initExamples = `  declprov init notes --template files
  declprov init petstore --yaml
  declprov init petstore providers/petstore`

func initCommand(a *app) *cobra.Command {
	p := starter.Provider{}
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
			return writeStarter(a.out, p, args[len(args)-1])
		},
	}
	cmd.Flags().StringVar(&p.Template, "template", starter.Templates()[0], "the template: "+strings.Join(starter.Templates(), ", "))
	cmd.Flags().BoolVar(&p.YAML, "yaml", false, "write the spec in YAML instead of CUE")
	mustComplete(cmd, "template", starter.Templates()...)
	return cmd
}

// writeStarter writes the files of a provider into a folder, and prints to out what to type next.
func writeStarter(out io.Writer, p starter.Provider, dir string) error {
	if fault := names.CheckProvider(p.Name); fault != nil {
		remedy := fault.Detail
		switch {
		case fault.Meant != "":
			remedy = fmt.Sprintf("%s Did you mean %q?", remedy, fault.Meant)
		case fault.Code == names.CodeOfficial:
			remedy += " Choose another name."
		}
		return usagef("%s. %s", fault.Summary, remedy)
	}
	if !slices.Contains(starter.Templates(), p.Template) {
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
