package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/spec/load/layout"
	"github.com/declprov/declprov/spec/screen"
)

const fmtHelp = `Fmt formats specs in CUE (like "cue fmt"), YAML and JSON, and prints the names of the
files that it has changed. It never changes the meaning of a spec, and keeps all
comments. A folder stands for its CUE files; the default is the current folder. With
"-", it formats standard input and prints the result.`

const fmtExamples = `  declprov fmt petstore.cue clinic.yaml
  declprov fmt --check
  declprov fmt -d petstore.cue`

// formatter is one run of the fmt command.
type formatter struct {
	*app
	check, diff bool
	stdinFormat string
}

func fmtCommand(a *app) *cobra.Command {
	f := &formatter{app: a}
	cmd := &cobra.Command{
		Use:               "fmt [FILE...]",
		Short:             "Format specs",
		Long:              fmtHelp,
		Example:           fmtExamples,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := filesToFormat(args)
			if err != nil {
				return err
			}
			failed := false
			for _, file := range files {
				err := f.format(cmd.Context(), file)
				if err != nil && !errors.As(err, new(reportedError)) {
					return err
				}
				failed = failed || err != nil
			}
			if failed {
				return reportedError{exitFindings}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "change nothing; exit with 1 if a file is not formatted")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "change nothing; print what would change")
	cmd.Flags().StringVar(&f.stdinFormat, "stdin-format", "cue", "format of standard input: cue, yaml or json")
	mustComplete(cmd, "stdin-format", "cue", "yaml", "json")
	return cmd
}

// filesToFormat returns the files that the arguments name.
func filesToFormat(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == "-" || err == nil && !info.IsDir():
			files = append(files, arg)
		case err != nil:
			return nil, checkExists(arg)
		default:
			found, err := fs.Glob(os.DirFS(arg), "*.cue")
			if err != nil {
				return nil, err
			}
			if len(found) == 0 {
				return nil, usagef("%s contains no CUE file: name the files to format", arg)
			}
			for _, name := range found {
				files = append(files, filepath.Join(arg, name))
			}
		}
	}
	return files, nil
}

// format formats one file, and reports what it did.
func (f *formatter) format(ctx context.Context, file string) error {
	spec, err := f.spec(file, f.stdinFormat)
	if err != nil {
		return err
	}
	name, text := file+"."+spec.Format, spec.Stdin
	if file != "-" {
		name = file
		if text, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	formatted, err := layout.Format(name, text)
	if err != nil {
		return f.reportUnformatted(ctx, spec, err)
	}
	changed := string(formatted) != string(text)
	switch {
	case changed && f.diff:
		_, err = f.out.Write(diff.Diff(spec.Name(), text, spec.Name()+" (formatted)", formatted))
	case changed && f.check:
		_, err = fmt.Fprintf(f.out, "%s is not formatted\n", spec.Name())
	case file == "-" && !f.check && !f.diff:
		_, err = f.out.Write(formatted)
	case changed:
		if err := replaceFile(file, text, formatted); err != nil {
			return failedError{err}
		}
		_, err = fmt.Fprintf(f.out, "Formatted %s\n", file)
	}
	if err == nil && changed && f.check {
		return reportedError{exitFindings}
	}
	return err
}

// reportUnformatted reports why a file cannot be formatted. Mistakes of syntax are reported as
// by vet.
func (f *formatter) reportUnformatted(ctx context.Context, spec build.Spec, err error) error {
	var unformatted *layout.Error
	switch {
	case errors.Is(err, layout.ErrFormat):
		return usagef("cannot format %s: %w", spec.Name(), err)
	case !errors.As(err, &unformatted):
		built, evaluationErr := f.evaluate(ctx, spec)
		if evaluationErr != nil {
			return evaluationErr
		}
		if built.Findings.HasErrors() {
			if err := f.report(f.err, "text", built.Findings, built.Sources); err != nil {
				return err
			}
			return reportedError{exitFindings}
		}
		_, err = fmt.Fprintf(f.err, "declprov: %s: %s\n", spec.Name(), screen.Exact(err.Error()))
	default:
		_, err = fmt.Fprintf(f.err, "declprov: %s:%d: %s. %s\n", spec.Name(), unformatted.Line, unformatted.Summary, screen.Exact(unformatted.Remedy))
	}
	return errors.Join(err, reportedError{exitFindings})
}
