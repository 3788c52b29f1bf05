package load

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// syntax is the source of a spec: its files, and its fields by the path that
// they are written at. CUE's values know the source of what was written once;
// what several declarations make (`resources: A: …` and `resources: B: …`) is
// found here.
type syntax struct {
	files []*ast.File
	order map[string]int // of files, by name
	root  *decl
	// shorthand leads from b to a in `a: b: c`: what is written above the one
	// is said of the other.
	shorthand map[*ast.Field]*ast.Field
	// uses are the hidden names and definitions that something refers to.
	uses map[string]bool
}

// decl is what is written at one path.
type decl struct {
	fields   []*ast.Field
	children map[string]*decl
}

func newSyntax(files []*ast.File) *syntax {
	s := &syntax{files: files, order: map[string]int{}, root: &decl{}, shorthand: map[*ast.Field]*ast.Field{}, uses: map[string]bool{}}
	for i, f := range files {
		if _, ok := s.order[f.Filename]; !ok {
			s.order[f.Filename] = i
		}
		s.root.add(f.Decls)
		ast.Walk(f, s.note, nil)
		s.noteUses(f)
	}
	return s
}

// note records a shorthand.
func (s *syntax) note(n ast.Node) bool {
	f, ok := n.(*ast.Field)
	if !ok {
		return true
	}
	lit, ok := f.Value.(*ast.StructLit)
	if !ok || lit.Lbrace.IsValid() || len(lit.Elts) != 1 {
		return true
	}
	if inner, ok := lit.Elts[0].(*ast.Field); ok {
		s.shorthand[inner] = f
	}
	return true
}

func (d *decl) add(decls []ast.Decl) {
	for _, elt := range decls {
		f, ok := elt.(*ast.Field)
		if !ok {
			continue
		}
		name := labelOf(f)
		if name == "" {
			continue
		}
		if d.children == nil {
			d.children = map[string]*decl{}
		}
		c := d.children[name]
		if c == nil {
			c = &decl{}
			d.children[name] = c
		}
		c.fields = append(c.fields, f)
		c.addExpr(f.Value)
	}
}

// addExpr looks into the structs that an expression unifies.
func (d *decl) addExpr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.StructLit:
		d.add(e.Elts)
	case *ast.ParenExpr:
		d.addExpr(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.AND {
			d.addExpr(e.X)
			d.addExpr(e.Y)
		}
	}
}

// child is what is written at a name below, nil where nothing is.
func (d *decl) child(name string) *decl {
	if d == nil {
		return nil
	}
	return d.children[name]
}

// first is the first field that is written, or nil.
func (d *decl) first() *ast.Field {
	if d == nil || len(d.fields) == 0 {
		return nil
	}
	return d.fields[0]
}
