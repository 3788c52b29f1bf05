// Package load reads a spec: CUE, YAML or JSON in, a *spec.Provider out, with
// the position of every part, and every mistake an author can make in the
// document itself as a diagnostic. It and the packages below it are the only importers of cuelang.org/go.
//
// A load goes through four stages. Package source reads the files; YAML and JSON become
// the syntax tree that the same spec has in CUE. Package lint checks the tree for what
// evaluation would hide, such as a CUE reference that freezes a default. Package source
// has CUE evaluate it. The value is then walked (package walk) into the model: types are
// extracted from the author's own value (package typing), all else is read by the
// declarations of the blocks (package block).
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
	"github.com/declprov/declprov/spec/load/lint"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
)

// Source says what to load.
type Source = source.Input

// Document is a loaded spec.
type Document struct {
	// Provider is as much as could be understood, never nil. A node of it
	// whose Kind is zero, and a type that is any, may stand for a part that
	// was reported as broken.
	Provider *spec.Provider
	// Files are all that were read, embedded ones included, sorted by path.
	Files []source.File
	// Dirs are the folders whose listing mattered: what is added to them may
	// change the spec.
	Dirs []string
}

// loader is one run of Load: it reads what stands at the top of a spec. Each reader has
// what those below it can: resourceReader, stepReader, dataReader, then types, the walk
// and the document itself.
type loader struct{ *resourceReader }

// newLoader returns a loader whose named types go to types.
func newLoader(types spec.Types) *loader {
	x := typing.New(&walk.Walker{Document: source.NewDocument()}, types)
	return &loader{&resourceReader{&stepReader{&dataReader{x}}}}
}

// Load reads a spec. The document is there even where there are errors, so that
// snippets can be drawn from its files. The caller limits time and memory: CUE
// has no cancellation, ctx is looked at between the stages only.
func Load(ctx context.Context, src Source) (doc *Document, diags diag.List) {
	provider := emptyProvider()
	l := newLoader(provider.Types)
	defer func() {
		_ = l.Close()
		if r := recover(); r != nil {
			l.Report(source.CodeInternal, diag.Range{File: src.Path}, source.Place{}, fmt.Sprintf("the spec could not be evaluated: %v", r),
				"This is a fault of declprov or of CUE, not of the spec. Please report it together with the spec.")
		}
		doc = &Document{Provider: provider, Files: l.Files.List(), Dirs: l.Files.Dirs()}
		diags = l.Diags.Sorted()
	}()
	value, ok := l.evaluate(ctx, src)
	if err := ctx.Err(); err != nil {
		l.Report(source.CodeStopped, diag.Range{File: src.Path}, source.Place{}, fmt.Sprintf("the load was stopped: %v", err), "Evaluating it takes too long: look for comprehensions over comprehensions, or long chains of references.")
		return nil, nil
	}
	if !ok {
		return nil, nil
	}
	l.provider(value, provider)
	l.ReportLeftovers(value)
	return nil, nil
}

// emptyProvider returns what there is of a spec that could not be read at all.
func emptyProvider() *spec.Provider {
	return &spec.Provider{
		Config: &spec.Type{Kind: spec.Object},
		Types:  spec.Types{},
	}
}

// evaluate brings a source to CUE's value of it; ok is false where nothing can
// be made of it.
func (l *loader) evaluate(ctx context.Context, src Source) (v cue.Value, ok bool) {
	inst := l.Read(src)
	if inst == nil || ctx.Err() != nil {
		return cue.Value{}, false
	}
	l.Syntax = source.NewSyntax(inst.Files)
	lint.Check(l.Document, inst)
	if ctx.Err() != nil {
		return cue.Value{}, false
	}
	return l.Build(inst)
}
