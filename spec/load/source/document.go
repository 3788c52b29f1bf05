// Package source reads the files of a spec, within limits, and evaluates them with
// CUE. YAML and JSON become the syntax tree that the same spec has in CUE. The
// package knows the position of every node and value in the author's files, so that
// mistakes are reported there. Whatever was reported is cut out, and loading
// continues.
package source

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
)

// Input describes what to read.
type Input struct {
	// Path is a file, or the folder of a CUE package. It is "-" if Stdin is set.
	Path  string
	Stdin []byte
	// Format is cue, yaml or json. It is only required for stdin; otherwise the name
	// of the file determines the format.
	Format string
	// Tags are values for `@tag` fields and `@if`: "key=value" or "key".
	Tags []string
	// Replaced are contents to load in place of those on disk, by the paths of diagnostics.
	Replaced map[string][]byte
}

// File is a file that was read.
type File struct {
	// Path is the path as diagnostics show it, relative if the user's path was.
	Path    string
	Content []byte
}

// Document is a spec with the diagnostics found so far.
type Document struct {
	Files *Files
	// Syntax is the source of the spec.
	Syntax *Syntax
	// Raw reports that the document is YAML or JSON.
	Raw   bool
	Diags diag.List
	// seen holds the places of errors from CUE, to report a conflict once that CUE
	// reports for several values.
	seen map[string]bool
	// holes are the placeholders for code that was reported and cut out. The
	// walk skips them.
	holes map[string]bool
	Close func() error
}

// NewDocument returns an empty document.
func NewDocument() *Document {
	return &Document{
		Files: newFiles(),
		seen:  map[string]bool{},
		holes: map[string]bool{},
		Close: func() error { return nil },
	}
}

// Report adds an error. The result is valid until the next report.
func (d *Document) Report(code string, at diag.Range, p Place, summary, detail string) *diag.Diagnostic {
	d.Diags = append(d.Diags, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: summary, Detail: detail,
		Subject: at, Context: p.Context, Path: p.Path,
	})
	return &d.Diags[len(d.Diags)-1]
}

// Warn adds a warning. The result is valid until the next report.
func (d *Document) Warn(code string, at diag.Range, p Place, summary, detail string) *diag.Diagnostic {
	reported := d.Report(code, at, p, summary, detail)
	reported.Severity = diag.Warning
	return reported
}

// FirstTime reports whether key is new, and records it.
func (d *Document) FirstTime(key string) bool {
	if d.seen[key] {
		return false
	}
	d.seen[key] = true
	return true
}

// Start returns the range for reports about something that the document lacks.
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

// Place is the Context and Path of diagnostics about a part of the document.
type Place struct{ Context, Path string }

// Member returns the place of a member.
func (p Place) Member(name string) Place {
	if p.Path == "" {
		return Place{p.Context, name}
	}
	return Place{p.Context, p.Path + "." + name}
}

// Item returns the place of an item of a list. i counts from 0.
func (p Place) Item(i int) Place { return Place{p.Context, fmt.Sprintf("%s[%d]", p.Path, i)} }

// AddContext returns the place with context appended.
func (p Place) AddContext(context string) Place {
	if p.Context == "" {
		return Place{context, p.Path}
	}
	return Place{p.Context + ", " + context, p.Path}
}

// PlaceOf returns the place of a path of names, from the top of the document.
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
