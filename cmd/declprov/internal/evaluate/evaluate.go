package evaluate

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/names"
)

// Here evaluates a spec in this process, without limits, as the child process does within limits. It is
// for the tests, whose specs are trusted.
func Here(ctx context.Context, s build.Spec) (*build.Built, error) {
	a := evaluate(ctx, s, "")
	if a.Failure != "" {
		return nil, errors.New(a.Failure)
	}
	return &build.Built{Findings: a.Findings, Sources: a.Sources, Unchecked: a.Unchecked, Container: a.Container}, nil
}

// evaluate compiles a spec. All stages run even if an earlier one found mistakes, so that
// mistakes in the document and in its expressions are reported together.
func evaluate(ctx context.Context, s build.Spec, tool string) *build.Response {
	doc, findings := load.Load(ctx, load.Source{Path: s.Path, Stdin: s.Stdin, Format: s.Format, Tags: s.Tags, Replaced: s.Replaced})
	prog, more := engine.Compile(doc.Provider, builtin.Families())
	findings = append(findings, more...)
	findings = append(findings, names.Lint(doc.Provider, findings)...)
	a := &build.Response{Findings: findings.Certain().Sorted(), Unchecked: prog.Unchecked}
	defer func() { resolveEdits(a.Findings, a.Sources, s.Format) }()
	if len(findings)+len(a.Unchecked) > 0 {
		a.Sources = sourcesOf(doc) // for the snippets
	}
	if findings.HasErrors() {
		return a
	}
	pulumi, more := schema.Pulumi(doc.Provider)
	if len(more) > 0 {
		a.Findings, a.Sources = append(findings, more...).Certain().Sorted(), sourcesOf(doc)
	}
	if a.Findings.HasErrors() {
		return a
	}
	encoded, err := container.Encode(container.Content{
		Provider: doc.Provider,
		Schema:   pulumi,
		Sources:  contents(doc),
		Dirs:     doc.Dirs,
		Tags:     s.Tags,
		Tool:     tool,
		CUE:      cueVersion(),
	})
	if err != nil {
		a.Failure = err.Error()
	}
	a.Container = encoded
	return a
}

// resolveEdits completes the edits of findings. It drops edits after which a file that could be
// parsed no longer can be.
func resolveEdits(findings diag.List, sources diag.Sources, stdinFormat string) {
	findings.Resolve(sources, func(file string, edited []byte) bool {
		return load.Parses(file, stdinFormat, edited) || !load.Parses(file, stdinFormat, sources[file])
	})
}

func sourcesOf(doc *load.Document) diag.Sources {
	sources := make(diag.Sources, len(doc.Files))
	for _, f := range doc.Files {
		sources[f.Path] = f.Content
	}
	return sources
}

func contents(doc *load.Document) []container.Source {
	sources := make([]container.Source, len(doc.Files))
	for i, f := range doc.Files {
		sources[i] = container.Source{Path: f.Path, Content: f.Content}
	}
	return sources
}

// cueVersion returns the version of CUE in this binary.
func cueVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == "cuelang.org/go" {
			return dep.Version
		}
	}
	return ""
}
