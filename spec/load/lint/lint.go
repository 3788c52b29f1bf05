// Package lint looks in the syntax tree of a spec for what CUE's evaluation would hide.
package lint

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
)

// linter looks in the syntax tree for what evaluation would hide: a reference
// that resolves, at load, to a default or a type of what exists at run time
// only; and types that depend on values.
type linter struct {
	doc *source.Document
	// blocks are the fields that hold types (config, inputs, outputs); props
	// the properties in them, at any depth; both by declaration.
	blocks, props map[*ast.Field]bool
	// top are the package's top-level fields, over all files: CUE resolves a
	// name of another file only when it compiles.
	top map[string]*ast.Field
	// imports are the names of packages that each file imports, by its name.
	imports map[string]map[string]bool
	// bad is what is cut out.
	bad map[ast.Node]bool
}

// Check reports what is wrong with an instance's tree, and cuts it out.
func Check(doc *source.Document, inst *build.Instance) {
	x := &linter{doc: doc, blocks: map[*ast.Field]bool{}, props: map[*ast.Field]bool{}, top: map[string]*ast.Field{}, bad: map[ast.Node]bool{}, imports: importedNames(inst)}
	for _, f := range inst.Files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok && x.top[source.LabelOf(field)] == nil {
				x.top[source.LabelOf(field)] = field
			}
		}
		x.collect(f.Decls, nil, false)
	}
	for _, f := range inst.Files {
		x.decls(f.Decls, lintSite{})
		doc.Cut(f, x.bad)
	}
	doc.Syntax = source.NewSyntax(inst.Files)
}

// lintSite is where the linter is.
type lintSite struct {
	path []string
	// types says that it is inside a type; loose that it is inside a definition
	// or a hidden field, whose use is not known.
	types, loose bool
	// within are the fields that must be there for what is looked at to be: a
	// reference to one of them never ends.
	within []*ast.Field
}

// enter returns the site of a field's value.
func (s lintSite) enter(f *ast.Field) lintSite {
	name := source.LabelOf(f)
	if name == "" {
		name = "*"
	}
	inner := lintSite{path: append(slices.Clone(s.path), name), types: s.types, loose: s.loose}
	if f.Constraint != token.OPTION {
		inner.within = append(slices.Clone(s.within), f)
	}
	if strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_") && !isText(f.Label) {
		inner.path, inner.loose = nil, true
	}
	inner.loose = inner.loose || misspelt(inner.path)
	inner.types = inner.types || holdsTypes(inner.path, inner.loose)
	return inner
}

// misspelt reports whether the walk will refuse the last name of a path: what
// is below it is then not reported for standing in the wrong place.
func misspelt(path []string) bool {
	if len(path) == 0 {
		return false
	}
	last := path[len(path)-1]
	switch {
	case len(path) == 1:
		return block.Provider.Key(last) == nil && diag.DidYouMean(last, block.Provider.Names()) != ""
	case len(path) == 3 && path[0] == "resources":
		return block.Resource.Key(last) == nil
	case len(path) == 3:
		near := diag.DidYouMean(last, []string{"inputs", "outputs"})
		return near != "" && near != last
	default:
		return false
	}
}

func isText(l ast.Label) bool {
	_, ok := l.(*ast.BasicLit)
	return ok
}

// holdsTypes reports whether a block holds types. In a hidden field, which may
// be a template of anything, it goes by the last names.
func holdsTypes(path []string, loose bool) bool {
	if len(path) == 0 {
		return false
	}
	if !loose {
		return block.HoldsTypes(path)
	}
	last := path[len(path)-1]
	if last != "inputs" && last != "outputs" {
		return false
	}
	return len(path) <= 2 || block.HoldsTypes(append([]string{"resources"}, path[max(0, len(path)-4):]...))
}

// collect notes the blocks of types and the properties in them.
func (x *linter) collect(decls []ast.Decl, path []string, loose bool) {
	s := lintSite{path: path, loose: loose}
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			inner := s.enter(d)
			if inner.types {
				x.blocks[d] = true
				x.properties(d.Value)
				continue
			}
			x.collectExpr(d.Value, inner)
		case *ast.Comprehension:
			x.collectExpr(d.Value, s)
		case *ast.EmbedDecl:
			x.collectExpr(d.Expr, s)
		}
	}
}

func (x *linter) collectExpr(e ast.Expr, s lintSite) {
	switch e := e.(type) {
	case *ast.StructLit:
		x.collect(e.Elts, s.path, s.loose)
	case *ast.BinaryExpr:
		x.collectExpr(e.X, s)
		x.collectExpr(e.Y, s)
	case *ast.ParenExpr:
		x.collectExpr(e.X, s)
	}
}

// properties notes the fields below a block of types.
func (x *linter) properties(e ast.Expr) {
	ast.Walk(e, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			x.props[f] = true
		}
		return true
	}, nil)
}

// decls checks the members of a struct.
func (x *linter) decls(decls []ast.Decl, s lintSite) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			x.field(d, s)
		case *ast.Comprehension:
			x.comprehension(d, s)
		case *ast.EmbedDecl:
			x.expr(d.Expr, d.Expr, s)
		case *ast.LetClause:
			x.expr(d.Expr, d.Expr, s)
		case *ast.Attribute:
			x.loneAttribute(d, s)
		}
	}
}

// field checks one field: its attributes, then its value.
func (x *linter) field(f *ast.Field, s lintSite) {
	inner := s.enter(f)
	if !s.types && !inner.loose {
		for _, a := range f.Attrs {
			x.misplaced(a, inner)
		}
	}
	if dynamic, ok := f.Label.(*ast.Interpolation); ok {
		x.expr(dynamic, dynamic, s)
	}
	x.expr(f.Value, f.Value, inner)
}

// misplaced reports an attribute of ours outside the types.
func (x *linter) misplaced(a *ast.Attribute, s lintSite) {
	name, _ := a.Split()
	if typing.IsForeign(name) {
		return
	}
	at := x.doc.Files.Span(a.Pos(), a.Pos().Add(len(a.Text)))
	if !typing.IsAttribute(name) {
		x.doc.Report(source.CodeUnknownAttribute, at, source.PlaceOf(s.path), fmt.Sprintf("unknown attribute @%s", name), "Attributes stand on the properties of config, inputs and outputs.")
		return
	}
	x.doc.Report(source.CodeMisplacedAttribute, at, source.PlaceOf(s.path), fmt.Sprintf("@%s means nothing here", name),
		"Attributes stand on the properties of config, inputs and outputs, behind the type.")
}

func (x *linter) loneAttribute(a *ast.Attribute, s lintSite) {
	if name, _ := a.Split(); s.loose || typing.IsForeign(name) {
		return
	}
	x.misplaced(a, s)
}

// comprehension checks `if` and `for`.
func (x *linter) comprehension(c *ast.Comprehension, s lintSite) {
	if s.types {
		for _, clause := range c.Clauses {
			if id := x.refersToProperty(clause); id != nil {
				x.doc.Report(source.CodeConditionalType, x.doc.Files.RangeOf(id), source.PlaceOf(s.path), fmt.Sprintf("a type cannot depend on the value of %s", id.Name),
					"The value is known at run time only. Declare the field optional (name?: T), and say when it is needed in checks: [{assert: …, message: …}]; or use a union: {kind: \"a\", …} | {kind: \"b\", …}.")
				x.bad[c] = true
				return
			}
		}
	} else {
		for _, clause := range c.Clauses {
			x.clause(clause, c, s)
		}
	}
	x.expr(c.Value, c.Value, s)
}

func (x *linter) clause(clause ast.Clause, c *ast.Comprehension, s lintSite) {
	switch clause := clause.(type) {
	case *ast.ForClause:
		x.expr(clause.Source, c, s)
	case *ast.IfClause:
		x.expr(clause.Condition, c, s)
	case *ast.LetClause:
		x.expr(clause.Expr, c, s)
	}
}

// refersToProperty returns an identifier below a node that is a property's.
func (x *linter) refersToProperty(n ast.Node) (found *ast.Ident) {
	ast.Walk(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && found == nil {
			if f := source.FieldOf(id); f != nil && x.props[f] {
				found = id
			}
		}
		return found == nil
	}, nil)
	return found
}

// expr checks an expression; whole is what to cut out if it is wrong.
func (x *linter) expr(e ast.Expr, whole ast.Node, s lintSite) {
	switch e := e.(type) {
	case nil:
	case *ast.StructLit:
		x.decls(e.Elts, s)
	case *ast.ListLit:
		for i, elt := range e.Elts {
			inner := s
			inner.within = nil
			inner.path = slices.Clone(s.path)
			if len(inner.path) > 0 {
				inner.path[len(inner.path)-1] += fmt.Sprintf("[%d]", i)
			}
			if ell, ok := elt.(*ast.Ellipsis); ok {
				x.expr(ell.Type, ell.Type, inner)
				continue
			}
			x.expr(elt, elt, inner)
		}
	case *ast.Comprehension:
		x.comprehension(e, s)
	case *ast.ParenExpr:
		x.expr(e.X, whole, s)
	case *ast.UnaryExpr:
		x.expr(e.X, whole, s)
	case *ast.BinaryExpr:
		if e.Op == token.OR {
			s.within = nil
		}
		x.expr(e.X, whole, s)
		x.expr(e.Y, whole, s)
	case *ast.CallExpr:
		x.expr(e.Fun, whole, s)
		for _, a := range e.Args {
			x.expr(a, whole, s)
		}
	case *ast.Interpolation:
		x.interpolation(e, whole, s)
	case *ast.IndexExpr:
		if !x.reference(e, whole, s) {
			x.expr(e.X, whole, s)
			x.expr(e.Index, whole, s)
		}
	case *ast.SliceExpr:
		x.expr(e.X, whole, s)
	case *ast.SelectorExpr:
		if !x.reference(e, whole, s) {
			x.expr(e.X, whole, s)
		}
	case *ast.Ident:
		x.reference(e, whole, s)
	}
}

// interpolation checks `\( )`: in a type it may not refer to a property.
func (x *linter) interpolation(e *ast.Interpolation, whole ast.Node, s lintSite) {
	if s.types {
		if id := x.refersToProperty(e); id != nil {
			x.doc.Report(source.CodeInterpolatedType, x.doc.Files.RangeOf(e), source.PlaceOf(s.path), fmt.Sprintf(`\(%s) in a type has no value when the spec is loaded`, id.Name),
				"A default made of other inputs is an attribute: @default(\"${inputs."+id.Name+"}…\").")
			x.bad[whole] = true
			return
		}
	}
	for _, part := range e.Elts {
		x.expr(part, whole, s)
	}
}
