package load

import (
	"context"
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/inject/embed"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
)

// evaluate brings a source to CUE's value of it; ok is false where nothing can
// be made of it.
func (l *loader) evaluate(ctx context.Context, src Source) (v cue.Value, ok bool) {
	inst := l.instance(src)
	if inst == nil || ctx.Err() != nil {
		return cue.Value{}, false
	}
	l.syntax = newSyntax(inst.Files)
	l.lint(inst)
	if ctx.Err() != nil {
		return cue.Value{}, false
	}
	return l.build(inst)
}

// build evaluates an instance. What does not compile (a reference to nothing)
// would leave no value at all, so it is reported, cut out, and the rest built
// again.
func (l *loader) build(inst *build.Instance) (cue.Value, bool) {
	const attempts = 10
	for range attempts {
		inst.Err, inst.ResolutionErr = nil, nil // what an earlier attempt left
		l.ctx = cuecontext.New(cuecontext.WithInjection(embed.New()))
		v := l.ctx.BuildInstance(inst)
		if l.compiled(v) {
			return v, true
		}
		cut, unused := map[token.Pos]bool{}, map[token.Pos]bool{}
		for _, e := range errors.Errors(v.Err()) {
			pos := e.Position().WithRel(0)
			if code, _, _ := explain(message(e)); code == unusedImport {
				unused[pos] = true
				if len(l.poisoned) > 0 {
					continue // what used it was reported and cut out
				}
			} else if pos.IsValid() {
				cut[pos] = true
			}
			l.cueError(e, place{}, l.documentStart())
		}
		if l.cutAt(inst, cut)+l.drop(inst, unused) == 0 {
			return cue.Value{}, false
		}
	}
	return cue.Value{}, false
}

// drop removes imports, lets and aliases that nothing refers to.
func (l *loader) drop(inst *build.Instance, unused map[token.Pos]bool) (n int) {
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

// compiled tells a value that has errors in it from none at all.
func (l *loader) compiled(v cue.Value) bool {
	if v.Err() == nil {
		return true
	}
	it, err := v.Fields(cue.All())
	return err == nil && it.Next()
}

// cutAt replaces the expressions at the given places by placeholders.
func (l *loader) cutAt(inst *build.Instance, places map[token.Pos]bool) int {
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
				return true // the error is of what begins at the same place
			}
			if places[n.Pos().WithRel(0)] {
				bad[wholeOf(path)] = true
			}
			return true
		}, func(ast.Node) { path = path[:len(path)-1] })
	}
	for _, f := range inst.Files {
		l.cut(f, bad)
	}
	return len(bad)
}

// wholeOf is the smallest part of the tree, around the last node of a path,
// that can be left out without making the rest wrong: text that a reference is
// put into has no value without it.
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

// cut replaces nodes by placeholders that stand where they stood: the walk
// passes over what is there without another word.
func (l *loader) cut(f *ast.File, bad map[ast.Node]bool) {
	if len(bad) == 0 {
		return
	}
	astutil.Apply(f, func(c astutil.Cursor) bool {
		n := c.Node()
		if field, ok := n.(*ast.Field); ok {
			l.cutAttributes(field, bad)
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
		c.Replace(l.newHole(n))
		return false
	}, nil)
}

// cutAttributes takes bad attributes from a field, and its value with them:
// @embed and @tag were to give it.
func (l *loader) cutAttributes(field *ast.Field, bad map[ast.Node]bool) {
	had := len(field.Attrs)
	field.Attrs = slices.DeleteFunc(field.Attrs, func(a *ast.Attribute) bool { return bad[a] })
	if len(field.Attrs) < had {
		field.Value = l.newHole(field.Value)
	}
}

// newHole is a placeholder for what was reported.
func (l *loader) newHole(n ast.Node) *ast.Ident {
	l.poisoned[holeKey(n.Pos())] = true
	return &ast.Ident{Name: "_", NamePos: n.Pos()}
}

// holeKey names the place of a placeholder.
func holeKey(pos token.Pos) string {
	return fmt.Sprintf("%s@%d", pos.Filename(), pos.Offset())
}

// hole reports whether an expression is a placeholder of what was reported.
func (l *loader) hole(n ast.Node) bool {
	id, ok := n.(*ast.Ident)
	return ok && id.Name == "_" && l.poisoned[holeKey(id.Pos())]
}

// memberOfHole reports whether the selector at a place is of a field whose value
// was cut out: what it lacks may have been there.
func (l *loader) memberOfHole(at diag.Range) (found bool) {
	if len(l.poisoned) == 0 {
		return false
	}
	holes, selected := map[string]bool{}, ""
	for _, f := range l.syntax.files {
		ast.Walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				if l.hole(n.Value) {
					holes[labelOf(n)] = true
				}
			case *ast.SelectorExpr:
				if _, id := pathOf(n); id != nil && l.files.of(n.Sel) == at {
					selected = id.Name
				}
			}
			return true
		}, nil)
	}
	return holes[selected]
}

// holeBehind reports whether a value refers, by some steps, to a placeholder.
func (l *loader) holeBehind(v cue.Value) bool {
	if v.IncompleteKind() != cue.TopKind {
		return false
	}
	for range maxDepth {
		next := cue.Dereference(v)
		if l.hole(sourceExpr(next)) {
			return true
		}
		if next.Source() == v.Source() {
			return false
		}
		v = next
	}
	return false
}

// sourceExpr is the expression that a value is from, or nil.
func sourceExpr(v cue.Value) ast.Expr {
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
