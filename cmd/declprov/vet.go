package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
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

type vetOptions struct {
	format, stdinFormat string
	strict, unchecked   bool
	fix                 bool
}

func (a *app) vetCommand() *cobra.Command {
	var o vetOptions
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
			return a.vet(cmd.Context(), args, o)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "output format of diagnostics: text, json or github")
	cmd.Flags().StringVar(&o.stdinFormat, "stdin-format", "cue", "format of standard input: cue, yaml or json")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "exit with 1 on warnings, too")
	cmd.Flags().BoolVar(&o.fix, "fix", false, "apply suggested edits to the files, and print what is left")
	cmd.Flags().BoolVar(&o.unchecked, "unchecked", false, "print each access to an untyped response as a note")
	a.addTagFlag(cmd)
	mustComplete(cmd, "format", "text", "json", "github")
	mustComplete(cmd, "stdin-format", "cue", "yaml", "json")
	return cmd
}

func (a *app) vet(ctx context.Context, paths []string, o vetOptions) error {
	if o.format != "text" && o.format != "json" && o.format != "github" {
		return usagef("invalid --format %q (use text, json or github)", o.format)
	}
	var findings, unchecked diag.List
	sources := diag.Sources{}
	var names []string
	for _, path := range paths {
		spec, err := a.spec(path, o.stdinFormat)
		if err != nil {
			return err
		}
		names = append(names, spec.Name())
		built, err := a.vetOne(ctx, spec, o)
		if err != nil {
			return err
		}
		findings = append(findings, built.Findings...)
		unchecked = append(unchecked, built.Unchecked...)
		maps.Copy(sources, built.Sources)
	}
	shown := findings
	if o.unchecked {
		shown = append(shown, unchecked...)
	}
	if err := a.report(a.out, o.format, shown.Sorted(), sources); err != nil {
		return err
	}
	if o.format == "text" {
		if err := writeSummary(a.out, findings, unchecked, names, o.unchecked); err != nil {
			return err
		}
	}
	if findings.HasErrors() || o.strict && len(findings) > 0 {
		return reportedError{exitFindings}
	}
	return nil
}

// vetOne evaluates one spec, after its repair with --fix.
func (a *app) vetOne(ctx context.Context, spec build.Spec, o vetOptions) (*build.Built, error) {
	switch {
	case !o.fix:
		return a.evaluate(ctx, spec)
	case spec.Path == "-":
		return nil, usagef("--fix changes files, and cannot change standard input")
	case o.format == "text":
		return a.fix(ctx, spec, a.out)
	default:
		return a.fix(ctx, spec, a.err) // standard output is for the findings that are left
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

// evaluate builds a spec without the cache, to report its warnings again.
func (a *app) evaluate(ctx context.Context, spec build.Spec) (*build.Built, error) {
	stop := a.showEvaluation(spec)
	defer stop()
	return a.builder().Evaluate(ctx, spec)
}

// report writes findings in the given format.
func (a *app) report(w io.Writer, format string, findings diag.List, sources diag.Sources) error {
	switch format {
	case "json":
		return diag.WriteJSON(w, findings)
	case "github":
		return diag.WriteGitHub(w, findings)
	default:
		return diag.WriteText(w, findings, diag.TextOptions{Sources: sources, Color: terminal.Colors(w, a.color)})
	}
}

// stdinLimit is the maximum number of bytes to read from standard input. It is larger
// than the limit of the loader, which reports the error.
const stdinLimit = 2 << 20

// specOf returns the spec at a path, with the tags of this command line.
func (a *app) specOf(path string) build.Spec { return build.Spec{Path: path, Tags: a.tags} }

// spec returns the spec that an argument names.
func (a *app) spec(path, stdinFormat string) (build.Spec, error) {
	spec := a.specOf(path)
	if path != "-" {
		return spec, checkExists(path)
	}
	switch stdinFormat {
	case "cue", "yaml", "json":
	default:
		return spec, usagef("invalid --stdin-format %q (use cue, yaml or json)", stdinFormat)
	}
	text, err := io.ReadAll(io.LimitReader(a.in, stdinLimit))
	if err != nil {
		return spec, fmt.Errorf("reading the spec from standard input: %w", err)
	}
	spec.Stdin, spec.Format = text, stdinFormat
	return spec, nil
}

// checkExists returns an error if the path of a spec does not exist. The error suggests
// a similar name.
func checkExists(path string) error {
	_, err := os.Stat(path)
	if !os.IsNotExist(err) {
		return err
	}
	var known []string
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		known = append(known, e.Name())
	}
	if near := diag.DidYouMean(filepath.Base(path), known); near != "" {
		return fmt.Errorf("%s does not exist. Did you mean %q?", path, filepath.Join(filepath.Dir(path), near))
	}
	return fmt.Errorf("%s does not exist: name the file of a spec, or the folder of its package", path)
}
