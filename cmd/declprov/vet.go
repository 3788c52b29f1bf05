package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/spec/diag"
)

const vetHelp = `Vet finds the mistakes in specs: in types, names, expressions, actions and
permissions. It prints each mistake with its position and a remedy. It runs no
action. If vet finds no error, Pulumi can use the spec.

Each PATH is a spec: a single file, or the folder of a CUE package. The default
is the current folder.

Vet cannot check accesses to members of untyped responses. It prints their number
at the end; --unchecked prints each as a note, which --strict ignores.

A finding may suggest an edit, which --format json prints. --fix applies the edits
that help: after each one, vet evaluates the spec again, and keeps the edit only if
the mistake is gone, and no other is in its place. It prints each change, writes the files
at the end, and prints the mistakes that are left.

Vet evaluates each spec in a separate process, with at most 10 seconds of
processor time and 1 GiB of memory (both on Linux), and at most one minute.`

const vetExamples = `  declprov vet petstore.cue
  declprov vet --format github ./providers/*
  declprov vet --fix petstore.cue
  generate | declprov vet - --stdin-format yaml`

// vetter is one run of the vet command.
type vetter struct {
	*app
	format, stdinFormat string
	strict, unchecked   bool
	fixes               bool
}

func vetCommand(a *app) *cobra.Command {
	v := &vetter{app: a}
	cmd := &cobra.Command{
		Use:               "vet [PATH...]",
		Short:             "Find the mistakes in specs",
		Long:              vetHelp,
		Example:           vetExamples,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return v.vet(cmd.Context(), args)
		},
	}
	cmd.Flags().StringVar(&v.format, "format", "text", "output format of diagnostics: text, json or github")
	cmd.Flags().StringVar(&v.stdinFormat, "stdin-format", "cue", "format of standard input: cue, yaml or json")
	cmd.Flags().BoolVar(&v.strict, "strict", false, "exit with 1 on warnings, too")
	cmd.Flags().BoolVar(&v.fixes, "fix", false, "apply suggested edits to the files, and print what is left")
	cmd.Flags().BoolVar(&v.unchecked, "unchecked", false, "print each access to an untyped response as a note")
	a.addTagFlag(cmd)
	mustComplete(cmd, "format", "text", "json", "github")
	mustComplete(cmd, "stdin-format", "cue", "yaml", "json")
	return cmd
}

func (v *vetter) vet(ctx context.Context, paths []string) error {
	if v.format != "text" && v.format != "json" && v.format != "github" {
		return usagef("invalid --format %q (use text, json or github)", v.format)
	}
	var findings, unchecked diag.List
	sources := diag.Sources{}
	var names []string
	for _, path := range paths {
		spec, err := v.spec(path, v.stdinFormat)
		if err != nil {
			return err
		}
		names = append(names, spec.Name())
		built, err := v.vetOne(ctx, spec)
		if err != nil {
			return err
		}
		findings = append(findings, built.Findings...)
		unchecked = append(unchecked, built.Unchecked...)
		maps.Copy(sources, built.Sources)
	}
	shown := findings
	if v.unchecked {
		shown = append(shown, unchecked...)
	}
	if err := v.report(v.out, v.format, shown.Sorted(), sources); err != nil {
		return err
	}
	if v.format == "text" {
		if err := writeSummary(v.out, findings, unchecked, names, v.unchecked); err != nil {
			return err
		}
	}
	if findings.HasErrors() || v.strict && len(findings) > 0 {
		return reportedError{exitFindings}
	}
	return nil
}

// vetOne evaluates one spec, after its repair with --fix.
func (v *vetter) vetOne(ctx context.Context, spec build.Spec) (*build.Built, error) {
	switch {
	case !v.fixes:
		return v.evaluate(ctx, spec)
	case spec.Path == "-":
		return nil, usagef("--fix changes files, and cannot change standard input")
	case v.format == "text":
		return v.fix(ctx, spec, v.out)
	default:
		return v.fix(ctx, spec, v.err) // standard output is for the findings that are left
	}
}

// writeSummary reports if there are no findings, and how many accesses could not be
// checked.
func writeSummary(w io.Writer, findings, unchecked diag.List, names []string, listed bool) error {
	var lines []string
	if len(findings) == 0 {
		lines = append(lines, "no mistakes in "+strings.Join(names, ", "))
	}
	if n := len(unchecked); n > 0 && !listed && !findings.HasErrors() {
		accesses := "accesses"
		if n == 1 {
			accesses = "access"
		}
		lines = append(lines, fmt.Sprintf("%d unchecked %s to untyped responses: add `returns: #Type`; --unchecked prints them", n, accesses))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
