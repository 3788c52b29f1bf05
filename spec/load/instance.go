package load

import (
	"context"
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/interpreter/embed"
	"cuelang.org/go/cue/token"
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
		inst.Err = nil // what an earlier attempt left
		l.ctx = cuecontext.New(cuecontext.Interpreter(embed.New()))
		v := l.ctx.BuildInstance(inst)
		if l.compiled(v) {
			return v, true
		}
		errs := errors.Errors(v.Err())
		cut := map[token.Pos]bool{}
		for _, e := range errs {
			l.cueError(e, place{}, l.documentStart())
			if e.Position().IsValid() {
				cut[e.Position().WithRel(0)] = true
			}
		}
		if l.cutAt(inst, cut) == 0 {
			return cue.Value{}, false
		}
	}
	return cue.Value{}, false
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
		ast.Walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportDecl, *ast.Package:
				return false
			case *ast.Field:
				if places[n.Label.Pos().WithRel(0)] {
					bad[n.Value] = true
					return false
				}
			}
			if e, ok := n.(ast.Expr); ok && places[n.Pos().WithRel(0)] {
				if _, isStruct := e.(*ast.StructLit); !isStruct {
					bad[n] = true
					return false
				}
			}
			return true
		}, nil)
	}
	for _, f := range inst.Files {
		l.cut(f, bad)
	}
	return len(bad)
}

// cut replaces nodes by placeholders that stand where they stood: the walk
// passes over what is there without another word.
func (l *loader) cut(f *ast.File, bad map[ast.Node]bool) {
	if len(bad) == 0 {
		return
	}
	astutil.Apply(f, func(c astutil.Cursor) bool {
		n := c.Node()
		if !bad[n] {
			return true
		}
		switch n.(type) {
		case *ast.Comprehension, *ast.EmbedDecl, *ast.Field:
			c.Delete()
		default:
			hole := &ast.Ident{Name: "_", NamePos: n.Pos()}
			l.poisoned[holeKey(n.Pos())] = true
			c.Replace(hole)
		}
		return false
	}, nil)
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
