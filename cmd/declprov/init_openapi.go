package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/declprov/declprov/cmd/declprov/internal/openapi"
	"github.com/declprov/declprov/cmd/declprov/internal/starter"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// writeFromDocument writes the files of a provider for the API that an OpenAPI document describes, and prints what became of its paths.
func (a *app) writeFromDocument(ctx context.Context, p starter.Provider, location string, only []string, dir string) error {
	doc, err := openapi.Load(ctx, location)
	if err != nil {
		return failedError{err}
	}
	made, err := openapi.Write(doc, openapi.Options{Name: p.Name, YAML: p.YAML, Only: only})
	if err != nil {
		return failedError{fmt.Errorf("%s: %w", location, err)}
	}
	p.Template, p.Generated = starter.OpenAPI, &starter.Generated{Spec: made.Text}
	for _, r := range made.Resources {
		p.Generated.Resources = append(p.Generated.Resources, r.Name)
	}
	findings, err := a.addExample(ctx, p)
	if err != nil {
		return err
	}
	report := reportOf(made, findings)
	if err := writeStarter(a.out, p, dir); err != nil {
		return err
	}
	_, err = fmt.Fprint(a.out, report)
	return err
}

// addExample evaluates the spec, and adds an example of its first resource. It returns what vet finds.
func (a *app) addExample(ctx context.Context, p starter.Provider) (_ diag.List, err error) {
	folder, err := os.MkdirTemp("", "declprov-init-")
	if err != nil {
		return nil, failedError{err}
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, p.Spec())
	if err := os.WriteFile(path, p.Generated.Spec, 0o600); err != nil {
		return nil, failedError{err}
	}
	built, err := a.evaluate(ctx, a.specOf(path))
	if err != nil || built.Container == nil {
		return nil, err
	}
	c, err := container.OpenBytes(built.Container)
	if err != nil {
		return nil, err
	}
	p.Generated.Example, err = exampleOf(p.Name, c)
	return built.Findings, err
}

// maxListed is the number of paths that are listed for each reason to leave them out.
const maxListed = 8

// reportOf lists the resources of a spec, and the paths of its document that are in none.
func reportOf(made *openapi.Spec, findings diag.List) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nResources:")
	for _, r := range made.Resources {
		fmt.Fprintf(table, "  %s\t%s\n", r.Name, r.Path)
	}
	table.Flush()
	reasons := map[string][]string{}
	for _, l := range made.LeftOut {
		reasons[l.Reason] = append(reasons[l.Reason], l.Path)
	}
	if len(reasons) > 0 {
		fmt.Fprintln(&text, "\nLeft out:")
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		paths := reasons[reason]
		shown := paths[:min(len(paths), maxListed)]
		fmt.Fprintf(&text, "  %s:\n    %s\n", reason, strings.Join(shown, "\n    "))
		if n := len(paths) - len(shown); n > 0 {
			fmt.Fprintf(&text, "    and %d more\n", n)
		}
	}
	if len(findings) > 0 {
		fmt.Fprintf(&text, "\nThe document leaves questions open; declprov vet lists them (%d).\n", len(findings))
	}
	return text.String()
}
