package source

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source/scalar"
)

// StringNode returns a literal string of the document with the position of each of
// its characters. ok is false if lit is not a string that occurs literally in a file.
func (f *Files) StringNode(lit *ast.BasicLit) (*spec.Node, bool) {
	if n, ok := f.scalars[lit]; ok {
		return n, n.Kind == spec.StringNode
	}
	if lit.Kind != token.STRING || strings.HasPrefix(strings.TrimLeft(lit.Value, "#"), "'") {
		return nil, false
	}
	text, err := literal.Unquote(lit.Value)
	if err != nil {
		return nil, false
	}
	if n, ok := f.StringAt(lit.Pos(), 0); ok && n.Text == text {
		return n, true
	}
	return &spec.Node{Kind: spec.StringNode, Text: text, Range: f.RangeOf(lit)}, true
}

// StringAt returns the quoted string that begins skip bytes after a position.
func (f *Files) StringAt(pos token.Pos, skip int) (*spec.Node, bool) {
	src := f.byName[pos.Filename()]
	if src == nil {
		return nil, false
	}
	offset := pos.Offset() + skip
	text, marks, end, ok := scalar.Quoted(src.scalars(), offset)
	if !ok {
		return nil, false
	}
	if _, err := literal.Unquote(string(src.content[offset:end])); err != nil {
		return nil, false
	}
	return &spec.Node{Kind: spec.StringNode, Text: text, Range: src.span(offset, end), Marks: marks}, true
}

// scalars returns the text as a source of strings.
func (s *sourceText) scalars() scalar.Source {
	return scalar.Source{Content: s.content, Position: func(offset int) diag.Position { return s.span(offset, offset+1).Start }}
}
