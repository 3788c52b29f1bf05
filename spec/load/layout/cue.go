package layout

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
)

// CUE formats a text as `cue fmt`. Where that writes `outputs: size: int @wire(id)` with braces,
// a comment above would no longer document size; it moves between the braces.
func CUE(text []byte) ([]byte, error) {
	f, err := parser.ParseFile("", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	ast.Walk(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			moveComment(field)
		}
		return true
	}, nil)
	return format.Node(f)
}

// moveComment moves the comment above a field to the last field of its chain, a: b: c, if that has
// an attribute.
func moveComment(field *ast.Field) {
	last := field
	for {
		s, ok := last.Value.(*ast.StructLit)
		if !ok || s.Lbrace.IsValid() || len(s.Elts) != 1 {
			break
		}
		next, ok := s.Elts[0].(*ast.Field)
		if !ok {
			break
		}
		last = next
	}
	if last == field || len(last.Attrs) == 0 {
		return
	}
	var stay []*ast.CommentGroup
	for _, c := range ast.Comments(field) {
		if c.Doc {
			ast.AddComment(last, c)
		} else {
			stay = append(stay, c)
		}
	}
	ast.SetComments(field, stay)
}
