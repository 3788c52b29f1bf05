package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// specArgument checks that a command has one argument, the SPEC.
func specArgument(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s requires one SPEC, got %d arguments", cmd.CommandPath(), len(args))
	}
	return nil
}

func (a *app) addTagFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&a.tags, "tag", "t", nil, "value of a CUE @tag, as `key=value` (or key alone; repeatable)")
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

// builder returns the builder that compiles specs for this command.
func (a *app) builder() *build.Builder { return tool().Builder(a.err, a.log()) }

// showEvaluation shows on a terminal that a spec is being evaluated.
func (a *app) showEvaluation(spec build.Spec) (stop func()) {
	return terminal.Progress(a.err, "evaluating "+spec.Name())
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

// loadCompiled returns the compiled form of the spec that an argument names. It prints
// the mistakes of the spec.
func (a *app) loadCompiled(ctx context.Context, path string) (*container.Container, error) {
	spec, err := a.spec(path, "cue")
	if err != nil {
		return nil, err
	}
	stop := a.showEvaluation(spec)
	c, err := a.builder().Open(ctx, spec)
	stop()
	var mistakes *build.Mistakes
	if errors.As(err, &mistakes) {
		if err := serving.WriteMistakes(a.err, mistakes, terminal.Colors(a.err, a.color)); err != nil {
			return nil, err
		}
		return nil, reportedError{exitFindings}
	}
	return c, err
}

// vetSpec evaluates a spec without the cache and prints the findings. It returns the
// compiled form if there are no errors.
func (a *app) vetSpec(ctx context.Context, path string) ([]byte, error) {
	spec, err := a.spec(path, "cue")
	if err != nil {
		return nil, err
	}
	built, err := a.evaluate(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := a.report(a.err, "text", built.Findings, built.Sources); err != nil {
		return nil, err
	}
	if built.Container == nil {
		return nil, reportedError{exitFindings}
	}
	return built.Container, nil
}
