package source

import (
	"bytes"
	"maps"
	"slices"
	"sort"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Files are the sources of a load, by the file names in CUE's positions.
type Files struct {
	byName  map[string]*sourceText
	listed  map[string]bool
	content map[string][]byte
	// exact holds the ranges of nodes that the loader created from YAML. Their text
	// in the tree differs from the text of the file. Scalars also have the positions
	// of their characters.
	exact   map[ast.Node]diag.Range
	scalars map[*ast.BasicLit]*spec.Node
}

// sourceText is a text that positions refer to. It is a file, or the text of a type
// in a YAML or JSON string, whose positions lie within that string.
type sourceText struct {
	name    string
	content []byte
	lines   []int // byte offset of each line's start
	// inner is the string that contains the text from byte skip on, if the text is a
	// string's.
	inner *spec.Node
	skip  int
}

func newFiles() *Files {
	return &Files{
		byName: map[string]*sourceText{}, listed: map[string]bool{}, content: map[string][]byte{},
		exact: map[ast.Node]diag.Range{}, scalars: map[*ast.BasicLit]*spec.Node{},
	}
}

// add registers a file.
func (f *Files) add(name string, content []byte) *sourceText {
	s := &sourceText{name: name, content: content, lines: []int{0}}
	for i, b := range content {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	f.byName[name] = s
	return s
}

// addInner registers the text of a type in a string. The loader has put skip bytes
// before the text of node.
func (f *Files) addInner(name string, text []byte, node *spec.Node, skip int) {
	f.byName[name] = &sourceText{name: name, content: text, inner: node, skip: skip}
}

// List returns the files that were read, by path.
func (f *Files) List() []File {
	list := make([]File, 0, len(f.content))
	for _, path := range slices.Sorted(maps.Keys(f.content)) {
		list = append(list, File{Path: path, Content: f.content[path]})
	}
	return list
}

// Dirs returns the folders whose files were listed, by path.
func (f *Files) Dirs() []string { return slices.Sorted(maps.Keys(f.listed)) }

// position returns the line and column of a byte offset.
func (s *sourceText) position(offset int) diag.Position {
	offset = min(max(offset, 0), len(s.content))
	line := sort.SearchInts(s.lines, offset+1) - 1
	start := s.lines[line]
	return diag.Position{Line: line + 1, Column: utf8.RuneCount(s.content[start:offset]) + 1}
}

// span returns the range between two byte offsets.
func (s *sourceText) span(from, to int) diag.Range {
	if s.inner != nil {
		return s.innerSpan(from, to)
	}
	to = max(to, from+1)
	if from < len(s.content) && bytes.IndexByte(s.content[from:min(to, len(s.content))], '\n') == 0 {
		to = from + 1
	}
	start, end := s.position(from), s.position(to)
	if end.Compare(start) <= 0 {
		end = diag.Position{Line: start.Line, Column: start.Column + 1}
	}
	return diag.Range{File: s.name, Start: start, End: end}
}

// innerSpan returns the range in the string for two byte offsets in the text of a
// type.
func (s *sourceText) innerSpan(from, to int) diag.Range {
	runes := func(offset int) int {
		offset = min(max(offset, s.skip), len(s.content))
		return utf8.RuneCount(s.content[s.skip:offset])
	}
	a, b := runes(from), runes(to)
	if n := utf8.RuneCount(s.content[min(s.skip, len(s.content)):]); a >= n && n > 0 {
		a = n - 1
	}
	return s.inner.At(a, max(b, a+1))
}

// Span returns the range between two positions.
func (f *Files) Span(from, to token.Pos) diag.Range {
	if !from.IsValid() {
		return diag.Range{}
	}
	s := f.byName[from.Filename()]
	if s == nil {
		p := from.Position()
		return diag.Point(p.Filename, max(p.Line, 1), max(p.Column, 1))
	}
	end := from.Offset() + 1
	if to.IsValid() && to.Filename() == from.Filename() {
		end = to.Offset()
	}
	return s.span(from.Offset(), end)
}

// RangeOf returns the range of a node of the syntax tree.
func (f *Files) RangeOf(n ast.Node) diag.Range {
	if n == nil {
		return diag.Range{}
	}
	if r, ok := f.exact[n]; ok {
		return r
	}
	return f.Span(n.Pos(), n.End())
}

// LabelRange returns the range of a field's name.
func (f *Files) LabelRange(label ast.Label) diag.Range {
	if label == nil {
		return diag.Range{}
	}
	if alias, ok := label.(*ast.Alias); ok {
		return f.RangeOf(alias.Expr)
	}
	return f.RangeOf(label)
}
