package source

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// Syntax is the source of a spec: its files, and its fields by path. A CUE value
// knows the source of a field that was declared once. Fields that several
// declarations contribute to (`resources: A: …` and `resources: B: …`) are found
// here.
type Syntax struct {
	files []*ast.File
	Order map[string]int // of files, by name
	Root  *Decl
	// Shorthand maps b to a for `a: b: c`: the comment above the line belongs to
	// both.
	Shorthand map[*ast.Field]*ast.Field
	// Uses are the hidden names and definitions that are referenced.
	Uses map[string]bool
}

// Decl is the set of declarations at one path.
type Decl struct {
	Fields   []*ast.Field
	children map[string]*Decl
}

// NewSyntax returns the syntax of a spec.
func NewSyntax(files []*ast.File) *Syntax {
	s := &Syntax{files: files, Order: map[string]int{}, Root: &Decl{}, Shorthand: map[*ast.Field]*ast.Field{}, Uses: map[string]bool{}}
	for i, f := range files {
		if _, ok := s.Order[f.Filename]; !ok {
			s.Order[f.Filename] = i
		}
		s.Root.add(f.Decls)
		ast.Walk(f, s.recordShorthand, nil)
		s.recordUses(f)
	}
	return s
}

// recordShorthand records a shorthand.
func (s *Syntax) recordShorthand(n ast.Node) bool {
	f, ok := n.(*ast.Field)
	if !ok {
		return true
	}
	lit, ok := f.Value.(*ast.StructLit)
	if !ok || lit.Lbrace.IsValid() || len(lit.Elts) != 1 {
		return true
	}
	if inner, ok := lit.Elts[0].(*ast.Field); ok {
		s.Shorthand[inner] = f
	}
	return true
}

func (d *Decl) add(decls []ast.Decl) {
	for _, elt := range decls {
		f, ok := elt.(*ast.Field)
		if !ok {
			continue
		}
		name := LabelOf(f)
		if name == "" {
			continue
		}
		if d.children == nil {
			d.children = map[string]*Decl{}
		}
		c := d.children[name]
		if c == nil {
			c = &Decl{}
			d.children[name] = c
		}
		c.Fields = append(c.Fields, f)
		c.addExpr(f.Value)
	}
}

// addExpr adds the structs that an expression unifies.
func (d *Decl) addExpr(e ast.Expr) {
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

// Child returns the declarations of a member, or nil.
func (d *Decl) Child(name string) *Decl {
	if d == nil {
		return nil
	}
	return d.children[name]
}

// First returns the first field, or nil.
func (d *Decl) First() *ast.Field {
	if d == nil || len(d.Fields) == 0 {
		return nil
	}
	return d.Fields[0]
}

// IsOwn reports whether a field is in one of the spec's own files.
func (s *Syntax) IsOwn(f *ast.Field) bool {
	_, ok := s.Order[f.Pos().Filename()]
	return ok
}

// recordUses records the hidden names and definitions that a file refers to.
func (s *Syntax) recordUses(f *ast.File) {
	labels := map[*ast.Ident]bool{}
	label := func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok {
			labels[id] = true
		}
	}
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			label(n.Label)
			if alias, ok := n.Label.(*ast.Alias); ok {
				label(alias.Expr)
				s.Uses[LabelOf(n)] = true // a field with an alias counts as used
			}
		case *ast.Ident:
			if !labels[n] {
				s.Uses[n.Name] = true
			}
		}
		return true
	}, nil)
}

// PackageDoc returns the comment above the package clause (CUE) or at the top of the
// document (YAML).
func (s *Syntax) PackageDoc(raw bool) string {
	for _, f := range s.files {
		for _, d := range f.Decls {
			if pkg, ok := d.(*ast.Package); ok {
				if doc := DocText(ast.Comments(pkg)); doc != "" {
					return doc
				}
			}
		}
		if raw {
			if doc := DocText(ast.Comments(f)); doc != "" {
				return doc
			}
		}
	}
	return ""
}

// DocText returns the text of the last group of comments before a node.
func DocText(groups []*ast.CommentGroup) string {
	for i := len(groups) - 1; i >= 0; i-- {
		if g := groups[i]; g.Doc {
			return strings.TrimSpace(commentText(g))
		}
	}
	return ""
}

// commentText returns the text of a group of comments without slashes and the space
// that follows them.
func commentText(g *ast.CommentGroup) string {
	lines := make([]string, len(g.List))
	for i, c := range g.List {
		line := strings.TrimSuffix(strings.TrimPrefix(c.Text, "//"), "\r")
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, " "), " \t")
	}
	return strings.Join(lines, "\n")
}

// firstEmbed returns the first @embed of the source, or nil.
func (s *Syntax) firstEmbed() (found *ast.Attribute) {
	for _, f := range s.files {
		ast.Walk(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.Attribute); ok && found == nil && strings.HasPrefix(a.Text, "@embed(") {
				found = a
			}
			return found == nil
		}, nil)
	}
	return found
}

// names returns the names that CUE expressions may refer to.
func (s *Syntax) names() []string {
	names := slices.Concat(PredeclaredTypes, predeclared)
	for name := range s.Root.children {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// PredeclaredTypes are the types that CUE predeclares.
var PredeclaredTypes = []string{
	"string", "bytes", "bool", "int", "float", "number", "uint", "rune", "null",
	"int8", "int16", "int32", "int64", "int128", "uint8", "uint16", "uint32", "uint64", "uint128", "float32", "float64",
}
