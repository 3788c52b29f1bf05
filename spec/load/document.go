package load

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

// document is a spec as it was read, and what was found wrong with it so far.
type document struct {
	files *files
	// syntax is what the source is made of.
	syntax *syntax
	// raw says that the document is YAML or JSON.
	raw   bool
	diags diag.List
	// seen are the places of what CUE itself reported: it tells the same
	// conflict from several values.
	seen map[string]bool
	// poisoned are the placeholders of what was reported and cut out; the walk
	// passes over them.
	poisoned map[string]bool
	close    func() error
}

// newDocument returns a document of which nothing was read yet.
func newDocument() *document {
	return &document{
		files:    newFiles(),
		seen:     map[string]bool{},
		poisoned: map[string]bool{},
		close:    func() error { return nil },
	}
}

// report adds an error.
func (d *document) report(code string, at diag.Range, p place, summary, detail string) {
	d.diags = append(d.diags, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: summary, Detail: detail,
		Subject: at, Context: p.context, Path: p.path,
	})
}

// warn adds a finding that is no error.
func (d *document) warn(code string, at diag.Range, p place, summary, detail string) {
	d.report(code, at, p, summary, detail)
	d.diags[len(d.diags)-1].Severity = diag.Warning
}

// once reports whether a finding is met for the first time, and notes that it was.
func (d *document) once(key string) bool {
	if d.seen[key] {
		return false
	}
	d.seen[key] = true
	return true
}

// start is where something that the document lacks is reported.
func (d *document) start() diag.Range {
	if len(d.syntax.files) == 0 {
		return diag.Range{}
	}
	first := d.syntax.files[0]
	for _, decl := range first.Decls {
		if field, ok := decl.(*ast.Field); ok && field.Pos().IsValid() {
			return d.files.label(field.Label)
		}
	}
	return diag.Point(first.Filename, 1, 1)
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

// placeOf returns the place of a path of names from the top of the document.
func placeOf(path []string) place {
	p := place{path: strings.Join(path, ".")}
	if len(path) < 2 {
		return p
	}
	if key := block.Provider.Key(path[0]); key != nil && key.Kind == block.Members {
		p.context = fmt.Sprintf("%s %q", strings.TrimSuffix(path[0], "s"), path[1])
		if len(path) > 2 {
			p.context += ", " + path[2]
		}
	}
	return p
}
