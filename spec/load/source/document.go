// Package source reads a spec's files, under limits, and makes CUE's value of them.
// YAML and JSON become the syntax tree that the same spec has in CUE. Of every node
// and value it knows where the author wrote it, so that what is wrong is reported
// there; what was reported is cut out, and the rest goes on.
package source

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
)

// Input says what to read.
type Input struct {
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

// Document is a spec as it was read, and what was found wrong with it so far.
type Document struct {
	Files *Files
	// Syntax is what the source is made of.
	Syntax *Syntax
	// Raw says that the document is YAML or JSON.
	Raw   bool
	Diags diag.List
	// seen are the places of what CUE itself reported: it tells the same
	// conflict from several values.
	seen map[string]bool
	// poisoned are the placeholders of what was reported and cut out; the walk
	// passes over them.
	poisoned map[string]bool
	Close    func() error
}

// NewDocument returns a document of which nothing was read yet.
func NewDocument() *Document {
	return &Document{
		Files:    newFiles(),
		seen:     map[string]bool{},
		poisoned: map[string]bool{},
		Close:    func() error { return nil },
	}
}

// Report adds an error.
func (d *Document) Report(code string, at diag.Range, p Place, summary, detail string) {
	d.Diags = append(d.Diags, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: summary, Detail: detail,
		Subject: at, Context: p.Context, Path: p.Path,
	})
}

// Warn adds a finding that is no error.
func (d *Document) Warn(code string, at diag.Range, p Place, summary, detail string) {
	d.Report(code, at, p, summary, detail)
	d.Diags[len(d.Diags)-1].Severity = diag.Warning
}

// FirstTime reports whether a finding is met for the first time, and remembers it.
func (d *Document) FirstTime(key string) bool {
	if d.seen[key] {
		return false
	}
	d.seen[key] = true
	return true
}

// Start returns where something that the document lacks is reported.
func (d *Document) Start() diag.Range {
	if len(d.Syntax.files) == 0 {
		return diag.Range{}
	}
	first := d.Syntax.files[0]
	for _, decl := range first.Decls {
		if field, ok := decl.(*ast.Field); ok && field.Pos().IsValid() {
			return d.Files.LabelRange(field.Label)
		}
	}
	return diag.Point(first.Filename, 1, 1)
}

// Place says where in the document something is: Context and Path of the
// diagnostics about it.
type Place struct{ Context, Path string }

// Member returns the place of a member.
func (p Place) Member(name string) Place {
	if p.Path == "" {
		return Place{p.Context, name}
	}
	return Place{p.Context, p.Path + "." + name}
}

// Item returns the place of a list's item, counted from 0.
func (p Place) Item(i int) Place { return Place{p.Context, fmt.Sprintf("%s[%d]", p.Path, i)} }

// AddContext returns the same place with a further part of the context.
func (p Place) AddContext(context string) Place {
	if p.Context == "" {
		return Place{context, p.Path}
	}
	return Place{p.Context + ", " + context, p.Path}
}

// PlaceOf returns the place of a path of names from the top of the document.
func PlaceOf(path []string) Place {
	p := Place{Path: strings.Join(path, ".")}
	if len(path) < 2 {
		return p
	}
	if key := block.Provider.Key(path[0]); key != nil && key.Kind == block.Members {
		p.Context = fmt.Sprintf("%s %q", strings.TrimSuffix(path[0], "s"), path[1])
		if len(path) > 2 {
			p.Context += ", " + path[2]
		}
	}
	return p
}
