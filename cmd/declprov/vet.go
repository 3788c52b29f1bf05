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
permissions, each at its place and with what to do about it. It changes nothing
and runs nothing. What vet passes, Pulumi can be given.

Each path is a spec: a file alone, or a folder with a CUE package. Without a
path it is the current folder.

What nothing can check before it runs, members of answers that have no type, is
counted at the end; --unchecked shows each as a note, which no --strict fails.

A spec cannot hang vet: it is evaluated in a process of its own, with 10 seconds
of processor time and 1 GiB of memory (both on Linux), and a minute in all.`

const vetExamples = `  declprov vet petstore.cue
  declprov vet --format github ./providers/*
  generate | declprov vet - --stdin-format yaml`

type vetOptions struct {
	format, stdinFormat string
	strict, unchecked   bool
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
	cmd.Flags().StringVar(&o.format, "format", "text", "how findings are written: text, json or github")
	cmd.Flags().StringVar(&o.stdinFormat, "stdin-format", "cue", "what the standard input is: cue, yaml or json")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "let warnings fail too")
	cmd.Flags().BoolVar(&o.unchecked, "unchecked", false, "show each access to an untyped answer, as a note")
	a.addTagFlag(cmd)
	mustComplete(cmd, "format", "text", "json", "github")
	mustComplete(cmd, "stdin-format", "cue", "yaml", "json")
	return cmd
}

func (a *app) vet(ctx context.Context, paths []string, o vetOptions) error {
	if o.format != "text" && o.format != "json" && o.format != "github" {
		return usagef("--format is %q; it takes text, json or github", o.format)
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
		built, err := a.evaluate(ctx, spec)
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
		if err := conclude(a.out, findings, unchecked, names, o.unchecked); err != nil {
			return err
		}
	}
	if findings.HasErrors() || o.strict && len(findings) > 0 {
		return reported{exitFindings}
	}
	return nil
}

// conclude says what people want to know beside the findings: that there are none,
// and how much of the specs nothing could check.
func conclude(w io.Writer, findings, unchecked diag.List, names []string, listed bool) error {
	var lines []string
	if len(findings) == 0 {
		lines = append(lines, "no mistakes in "+strings.Join(names, ", "))
	}
	if n := len(unchecked); n > 0 && !listed && !findings.HasErrors() {
		accesses := "accesses"
		if n == 1 {
			accesses = "access"
		}
		lines = append(lines, fmt.Sprintf("%d unchecked %s to untyped answers: add `returns: #Type`; --unchecked shows where", n, accesses))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// evaluate builds a spec anew, so that its warnings are seen again.
func (a *app) evaluate(ctx context.Context, spec build.Spec) (*build.Built, error) {
	stop := a.whileBuilding(spec)
	defer stop()
	return a.builder().Evaluate(ctx, spec)
}

// report writes findings in one of the formats.
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

// stdinLimit is more than any spec may have, in bytes; the loader says so.
const stdinLimit = 2 << 20

// specOf is the spec at a path, with the tags of this command line.
func (a *app) specOf(path string) build.Spec { return build.Spec{Path: path, Tags: a.tags} }

// spec is what an argument names.
func (a *app) spec(path, stdinFormat string) (build.Spec, error) {
	spec := a.specOf(path)
	if path != "-" {
		return spec, exists(path)
	}
	switch stdinFormat {
	case "cue", "yaml", "json":
	default:
		return spec, usagef("--stdin-format is %q; it takes cue, yaml or json", stdinFormat)
	}
	text, err := io.ReadAll(io.LimitReader(a.in, stdinLimit))
	if err != nil {
		return spec, fmt.Errorf("reading the spec from standard input: %w", err)
	}
	spec.Stdin, spec.Format = text, stdinFormat
	return spec, nil
}

// exists says what is wrong with the path of a spec, before anything else is
// tried with it.
func exists(path string) error {
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
		return fmt.Errorf("there is no %s. Did you mean %q?", path, filepath.Join(filepath.Dir(path), near))
	}
	return fmt.Errorf("there is no %s: name a spec's file, or the folder of its package", path)
}
