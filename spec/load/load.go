// Package load reads a spec in CUE, YAML or JSON and returns a *spec.Provider with
// the position of every part. It reports every mistake in the document as a
// diagnostic. Only this package and the packages below it import cuelang.org/go.
//
// A load has four stages. Package source reads the files; YAML and JSON become the
// syntax tree that the same spec has in CUE. Package lint checks the tree for
// mistakes that evaluation would hide, such as a CUE reference that freezes a
// default. Package source then evaluates the tree with CUE. Package walk walks the
// resulting value to build the model: package typing extracts the types, and the
// declarations in package block determine how all other values are read.
//
// Invalid parts are reported and left out, so that one run finds the mistakes in all
// other parts as well.
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

// Source describes what to load.
type Source = source.Input

// Document is a loaded spec.
type Document struct {
	// Provider is the model of all valid parts, never nil. An invalid part that was
	// reported is a node of kind zero, or a type that is any.
	Provider *spec.Provider
	// Files are all files that were read, including embedded ones, sorted by path.
	Files []source.File
	// Dirs are the folders whose listing was read. A new file in one of them may
	// change the spec.
	Dirs []string
}

// loader is one run of Load and reads the top level of a spec. Each reader embeds the
// readers below it: resourceReader, stepReader, dataReader, then the extractor of
// types, the walker and the document.
type loader struct{ *resourceReader }

// newLoader returns a loader that adds named types to types.
func newLoader(types spec.Types) *loader {
	x := typing.New(&walk.Walker{Document: source.NewDocument()}, types)
	return &loader{&resourceReader{stepReader: &stepReader{&dataReader{x}}}}
}

// Load reads a spec. It returns a document even if there are errors, so that snippets
// can be rendered from its files. The caller must limit time and memory, because CUE
// cannot be cancelled. Load only checks ctx between stages.
func Load(ctx context.Context, src Source) (doc *Document, diags diag.List) {
	provider := &spec.Provider{Config: &spec.Type{Kind: spec.Object}, Types: spec.Types{}}
	l := newLoader(provider.Types)
	defer func() {
		_ = l.Close()
		if r := recover(); r != nil {
			l.Report(source.CodeInternal, diag.Range{File: src.Path}, source.Place{}, fmt.Sprintf("the spec could not be evaluated: %v", r),
				"This is a bug in declprov or in CUE. Please report it together with the spec.")
		}
		doc = &Document{Provider: provider, Files: l.Files.List(), Dirs: l.Files.Dirs()}
		diags = l.Diags.Sorted()
	}()
	value, ok := l.evaluate(ctx, src)
	if err := ctx.Err(); err != nil {
		l.Report(source.CodeStopped, diag.Range{File: src.Path}, source.Place{}, fmt.Sprintf("loading the spec was stopped: %v", err), "The evaluation takes too long. Look for nested comprehensions and long chains of references.")
		return nil, nil
	}
	if !ok {
		return nil, nil
	}
	l.readProvider(value, provider)
	l.ReportLeftovers(value)
	return nil, nil
}

// Parses reports whether the text of a file has the syntax of its format, which its name
// determines; stdinFormat is the format of standard input.
func Parses(name, stdinFormat string, content []byte) bool {
	return source.Parses(name, stdinFormat, content)
}

// evaluate reads a source and evaluates it with CUE. ok is false if there is no
// value.
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
