package source

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
)

// declaredTypes are the names of the block `types`, as they are referred to.
func declaredTypes(root *ast.StructLit) map[string]bool {
	names := map[string]bool{}
	for _, f := range fieldsOf(root) {
		block, ok := f.Value.(*ast.StructLit)
		if !ok || LabelOf(f) != "types" {
			continue
		}
		for _, t := range fieldsOf(block) {
			names["#"+strings.TrimPrefix(LabelOf(t), "#")] = true
		}
	}
	return names
}

// returned turns `returns: '#Pet'`, at any depth below an expression, into the
// reference that CUE has there.
func (d *dataTypes) returned(e ast.Expr, types map[string]bool) {
	ast.Walk(e, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok || LabelOf(f) != "returns" {
			return true
		}
		lit, ok := f.Value.(*ast.BasicLit)
		if !ok {
			return true
		}
		if name, err := literal.Unquote(lit.Value); err == nil && types[name] {
			if parsed := d.text(lit, Place{"", "returns"}); parsed != nil {
				f.Value = parsed.Value
			}
		}
		return true
	}, nil)
}
