package source

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
)

// Cut replaces nodes by placeholders at the same positions. The walk skips
// placeholders.
func (d *Document) Cut(f *ast.File, bad map[ast.Node]bool) {
	if len(bad) == 0 {
		return
	}
	astutil.Apply(f, func(c astutil.Cursor) bool {
		n := c.Node()
		if field, ok := n.(*ast.Field); ok {
			d.cutAttributes(field, bad)
		}
		if !bad[n] {
			return true
		}
		_, inList := c.Parent().Node().(*ast.ListLit)
		switch n.(type) {
		case *ast.Comprehension, *ast.EmbedDecl, *ast.Field:
			if !inList {
				c.Delete()
				return false
			}
		}
		c.Replace(d.newHole(n.Pos()))
		return false
	}, nil)
}

// cutAttributes removes invalid attributes from a field. It also cuts the value,
// which @embed and @tag would have provided.
func (d *Document) cutAttributes(field *ast.Field, bad map[ast.Node]bool) {
	had := len(field.Attrs)
	field.Attrs = slices.DeleteFunc(field.Attrs, func(a *ast.Attribute) bool { return bad[a] })
	if len(field.Attrs) < had {
		field.Value = d.newHole(field.Value.Pos())
	}
}

// newHole returns a placeholder at a position.
func (d *Document) newHole(at token.Pos) *ast.Ident {
	d.holes[holeKey(at)] = true
	return &ast.Ident{Name: "_", NamePos: at}
}

// holeKey returns the key of the placeholder at a position.
func holeKey(pos token.Pos) string {
	return fmt.Sprintf("%s@%d", pos.Filename(), pos.Offset())
}

// IsHole reports whether an expression is a placeholder.
func (d *Document) IsHole(n ast.Node) bool {
	id, ok := n.(*ast.Ident)
	return ok && id.Name == "_" && d.holes[holeKey(id.Pos())]
}

// memberOfHole reports whether the selector at a place selects from a field whose
// value was cut out. The missing member may have been in it.
func (d *Document) memberOfHole(at diag.Range) (found bool) {
	if len(d.holes) == 0 {
		return false
	}
	holes, selected := map[string]bool{}, ""
	for _, f := range d.Syntax.files {
		ast.Walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				if d.IsHole(n.Value) {
					holes[LabelOf(n)] = true
				}
			case *ast.SelectorExpr:
				if _, id := PathOf(n); id != nil && d.Files.RangeOf(n.Sel) == at {
					selected = id.Name
				}
			}
			return true
		}, nil)
	}
	return holes[selected]
}

// LeadsToHole reports whether a value refers, directly or indirectly, to a
// placeholder.
func (d *Document) LeadsToHole(v cue.Value) bool {
	if v.IncompleteKind() != cue.TopKind {
		return false
	}
	for range MaxDepth {
		next := cue.Dereference(v)
		if d.IsHole(ExprOf(next)) {
			return true
		}
		if next.Source() == v.Source() {
			return false
		}
		v = next
	}
	return false
}

// ExprOf returns the expression of a value, or nil.
func ExprOf(v cue.Value) ast.Expr {
	switch src := v.Source().(type) {
	case *ast.Field:
		return src.Value
	case *ast.LetClause:
		return src.Expr
	case ast.Expr:
		return src
	default:
		return nil
	}
}
