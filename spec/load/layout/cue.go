package layout

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// CUE formats a text as `cue fmt`, but for what that would change the meaning of.
func CUE(text []byte) ([]byte, error) {
	f, err := parser.ParseFile("", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	ast.Walk(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			keepTogether(field)
		}
		return true
	}, nil)
	return format.Node(f)
}

// keepTogether rewrites a chain without braces, a: b: c, if it has an attribute, because `cue fmt`
// adds braces and lines there, which separate what belongs together:
//   - the last field, `outputs: size: int @wire(id)`, stays on its line, within braces;
//   - the attributes of a map, `labels: [string]: string @secret()`, are those of the property, and
//     move behind the map;
//   - the comment above `outputs: size: int @wire(id)` documents size, and above `a: size: int
//     @wire(id)` both properties, so it also stands between the braces.
func keepTogether(field *ast.Field) {
	chain := chainOf(field)
	last := chain[len(chain)-1]
	if len(chain) == 1 || len(last.Attrs) == 0 {
		return
	}
	if _, isMap := last.Label.(*ast.ListLit); isMap {
		chain = chain[:len(chain)-1]
		property := chain[len(chain)-1]
		property.Attrs, last.Attrs = append(property.Attrs, last.Attrs...), nil
		onOneLine(property.Value.(*ast.StructLit))
	}
	if len(chain) > 1 && !documentedAbove(field) {
		onOneLine(chain[len(chain)-2].Value.(*ast.StructLit))
	}
	documented := slices.IndexFunc(chain, func(f *ast.Field) bool { return !holdsProperties(f) })
	if documented < 0 {
		return
	}
	var stay []*ast.CommentGroup
	for _, c := range ast.Comments(field) {
		if !c.Doc || documented == 0 {
			stay = append(stay, c)
		}
		for _, f := range chain[max(documented, 1):] {
			if c.Doc {
				ast.AddComment(f, c)
			}
		}
	}
	ast.SetComments(field, stay)
}

// onOneLine writes a struct on the line of its field, within braces.
func onOneLine(s *ast.StructLit) {
	s.Lbrace, s.Rbrace = token.Blank.Pos(), token.NoSpace.Pos()
	ast.SetRelPos(s.Elts[0], token.NoSpace)
}

// documentedAbove reports whether a field has a comment above it.
func documentedAbove(f *ast.Field) bool {
	return slices.ContainsFunc(ast.Comments(f), func(c *ast.CommentGroup) bool { return c.Doc })
}

// chainOf returns the fields of a chain that begins with a field.
func chainOf(field *ast.Field) []*ast.Field {
	chain := []*ast.Field{field}
	for {
		s, ok := field.Value.(*ast.StructLit)
		if !ok || s.Lbrace.IsValid() || len(s.Elts) != 1 {
			return chain
		}
		if field, ok = s.Elts[0].(*ast.Field); !ok {
			return chain
		}
		chain = append(chain, field)
	}
}

// holdsProperties reports whether a field is a block of properties, which has no documentation.
func holdsProperties(f *ast.Field) bool {
	name, _, err := ast.LabelName(f.Label)
	return err == nil && slices.Contains([]string{"config", "inputs", "outputs"}, name)
}
