package source

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/inject/embed"
	"cuelang.org/go/cue/token"
)

// Build evaluates an instance. A reference that does not resolve would leave CUE
// without any value, so it is reported and cut out, and the rest is built again.
func (d *Document) Build(inst *build.Instance) (cue.Value, bool) {
	const attempts = 10
	for range attempts {
		inst.Err, inst.ResolutionErr = nil, nil // clear the errors of the previous attempt
		v := cuecontext.New(cuecontext.WithInjection(embed.New())).BuildInstance(inst)
		if isCompiled(v) {
			return v, true
		}
		cut, unused := map[token.Pos]bool{}, map[token.Pos]bool{}
		for _, e := range errors.Errors(v.Err()) {
			pos := e.Position().WithRel(0)
			if code, _, _ := explain(messageOf(e)); code == CodeUnusedImport {
				unused[pos] = true
				if len(d.holes) > 0 {
					continue // the code that used it was reported and cut out
				}
			} else if pos.IsValid() {
				cut[pos] = true
			}
			d.reportCUEError(e, Place{}, d.Start())
		}
		if d.cutAt(inst, cut)+removeUnused(inst, unused) == 0 {
			return cue.Value{}, false
		}
	}
	return cue.Value{}, false
}

// removeUnused removes imports, lets and aliases that nothing refers to.
func removeUnused(inst *build.Instance, unused map[token.Pos]bool) (n int) {
	if len(unused) == 0 {
		return 0
	}
	at := func(node ast.Node) bool { return unused[node.Pos().WithRel(0)] }
	for _, f := range inst.Files {
		astutil.Apply(f, func(c astutil.Cursor) bool {
			switch node := c.Node().(type) {
			case *ast.ImportDecl:
				had := len(node.Specs)
				node.Specs = slices.DeleteFunc(node.Specs, func(s *ast.ImportSpec) bool { return at(s) || at(s.Path) })
				n += had - len(node.Specs)
				if len(node.Specs) == 0 {
					c.Delete()
					return false
				}
			case *ast.LetClause:
				if at(node) || at(node.Ident) {
					c.Delete()
					n++
				}
			case *ast.Alias:
				if at(node) || at(node.Ident) {
					c.Replace(node.Expr)
					n++
				}
			}
			return true
		}, nil)
	}
	return n
}

// isCompiled reports whether CUE produced a value, possibly with errors in it.
func isCompiled(v cue.Value) bool {
	if v.Err() == nil {
		return true
	}
	it, err := v.Fields(cue.All())
	return err == nil && it.Next()
}

// cutAt replaces the expressions at the given positions by placeholders.
func (d *Document) cutAt(inst *build.Instance, places map[token.Pos]bool) int {
	bad := map[ast.Node]bool{}
	for _, f := range inst.Files {
		var path []ast.Node
		ast.Walk(f, func(n ast.Node) bool {
			path = append(path, n)
			switch n.(type) {
			case *ast.ImportDecl, *ast.Package:
				path = path[:len(path)-1]
				return false
			case *ast.StructLit, *ast.File, *ast.Field, *ast.BinaryExpr:
				return true // the error is about a node that begins at the same position
			}
			if places[n.Pos().WithRel(0)] {
				bad[wholeOf(path)] = true
			}
			return true
		}, func(ast.Node) { path = path[:len(path)-1] })
	}
	for _, f := range inst.Files {
		d.Cut(f, bad)
	}
	return len(bad)
}

// wholeOf returns the smallest node around the last node of a path that can be
// removed without making the rest invalid. For example, it is the whole interpolated
// string around a reference.
func wholeOf(path []ast.Node) ast.Node {
	whole := path[len(path)-1]
	for i := len(path) - 2; i >= 0; i-- {
		switch p := path[i].(type) {
		case *ast.Interpolation, *ast.CallExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.UnaryExpr, *ast.ParenExpr:
		case *ast.ForClause, *ast.IfClause, *ast.Comprehension:
			if c, ok := p.(*ast.Comprehension); ok {
				return c
			}
		case *ast.BinaryExpr:
			if p.Op == token.AND || p.Op == token.OR {
				return whole
			}
		case *ast.Field:
			if whole == ast.Node(p.Label) {
				return p
			}
			return whole
		default:
			return whole
		}
		whole = path[i]
	}
	return whole
}
