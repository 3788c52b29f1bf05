// Package load reads a spec: CUE, YAML or JSON in, a *spec.Provider out, with
// the position of every part, and every mistake an author can make in the
// document itself as a diagnostic. It is the only importer of cuelang.org/go.
//
// A load goes through five stages. The files are read, under limits (tree.go).
// YAML and JSON become the syntax tree that the same spec has in CUE (yaml.go,
// json.go). The tree is checked for what evaluation would hide, such as a CUE
// reference that freezes a default (lint.go). CUE evaluates it (instance.go).
// The value is walked, by tables of the keys that each block has, into the
// model (provider.go and on); types are extracted from the author's own value
// (typing.go).
//
// What is broken is reported and left out, so that the mistakes of the rest are
// found in the same run.
package load

import (
	"context"
	"fmt"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Source says what to load.
type Source struct {
	// Path is a file, or the folder of a CUE package; "-" with Stdin.
	Path  string
	Stdin []byte
	// Format is cue, yaml or json. It is needed for stdin only; a file's is
	// told by its name.
	Format string
	// Tags are values for `@tag` fields and `@if`: "key=value" or "key".
	Tags []string
}

// File is a file that was read.
type File struct {
	// Path is as diagnostics name it: relative as the user gave it.
	Path    string
	Content []byte
}

// Document is a loaded spec.
type Document struct {
	// Provider is as much as could be understood, never nil. A node of it
	// whose Kind is zero, and a type that is any, may stand for a part that
	// was reported as broken.
	Provider *spec.Provider
	// Files are all that were read, embedded ones included, sorted by path.
	Files []File
	// Dirs are the folders whose listing mattered: what is added to them may
	// change the spec.
	Dirs []string
}

// loader is one run of Load.
type loader struct {
	files *files
	diags diag.List
	// seen are the places of what CUE itself reported: it tells the same
	// conflict from several values.
	seen map[string]bool
	// poisoned are the placeholders of what was reported and cut out; the walk
	// passes over them.
	poisoned map[string]bool
	// raw says that the document is YAML or JSON.
	raw bool
	// syntax is what the source is made of; decls its statically named fields.
	syntax *syntax
	ctx    *cue.Context
	named  *namer
	// wire is the rule for names on the wire of what is walked, specWire the spec's.
	wire, specWire string
	close          func() error
}

// Load reads a spec. The document is there even where there are errors, so that
// snippets can be drawn from its files. The caller limits time and memory: CUE
// has no cancellation, ctx is looked at between the stages only.
func Load(ctx context.Context, src Source) (doc *Document, diags diag.List) {
	l := &loader{
		files:    newFiles(),
		seen:     map[string]bool{},
		poisoned: map[string]bool{},
		close:    func() error { return nil },
	}
	provider := emptyProvider()
	defer func() {
		_ = l.close()
		if r := recover(); r != nil {
			l.report(internalCode, diag.Range{File: src.Path}, place{}, fmt.Sprintf("the spec could not be evaluated: %v", r),
				"This is a fault of declprov or of CUE, not of the spec. Please report it together with the spec.")
		}
		doc = &Document{Provider: provider, Files: l.files.read(), Dirs: l.files.dirs()}
		diags = l.diags.Sorted()
	}()
	value, ok := l.evaluate(ctx, src)
	if err := ctx.Err(); err != nil {
		l.report(stopped, diag.Range{File: src.Path}, place{}, fmt.Sprintf("the load was stopped: %v", err), "Evaluating it takes too long: look for comprehensions over comprehensions, or long chains of references.")
		return nil, nil
	}
	if !ok {
		return nil, nil
	}
	l.provider(value, provider)
	l.leftovers(value)
	return nil, nil
}

// emptyProvider is what there is of a spec that could not be read at all.
func emptyProvider() *spec.Provider {
	return &spec.Provider{
		Config: &spec.Type{Kind: spec.Object},
		Types:  spec.Types{},
	}
}

// report adds an error.
func (l *loader) report(code string, at diag.Range, p place, summary, detail string) {
	l.diags = append(l.diags, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: summary, Detail: detail,
		Subject: at, Context: p.context, Path: p.path,
	})
}

// warn adds a finding that is no error.
func (l *loader) warn(code string, at diag.Range, p place, summary, detail string) {
	l.report(code, at, p, summary, detail)
	l.diags[len(l.diags)-1].Severity = diag.Warning
}

// place says where in the document something is: Context and Path of the
// diagnostics about it.
type place struct{ context, path string }

// at is the place of a member.
func (p place) at(name string) place {
	if p.path == "" {
		return place{p.context, name}
	}
	return place{p.context, p.path + "." + name}
}

// item is the place of a list's item, counted from 0.
func (p place) item(i int) place { return place{p.context, fmt.Sprintf("%s[%d]", p.path, i)} }

// in is the same place with a further part of the context.
func (p place) in(context string) place {
	if p.context == "" {
		return place{context, p.path}
	}
	return place{p.context + ", " + context, p.path}
}
