// Package lint finds mistakes in the syntax tree of a spec that CUE's evaluation
// would hide.
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

// linter finds references that CUE would resolve, when the spec is loaded, to a
// default or a type of a value that only exists at run time. It also finds types that
// depend on values.
type linter struct {
	doc *source.Document
	// blocks are the declarations of the fields that hold types (config, inputs,
	// outputs). props are the declarations of the properties in them, at any depth.
	blocks, props map[*ast.Field]bool
	// top are the top-level fields of the package in all files. CUE only resolves
	// references between files when it compiles.
	top map[string]*ast.Field
	// imports are the package names that each file imports, by file name.
	imports map[string]map[string]bool
	// ids are the ids of resources that are made of responses.
	ids map[*ast.Field]bool
	// bad are the nodes that will be cut out.
	bad map[ast.Node]bool
}

// Check reports the mistakes in the tree of an instance, and cuts them out.
func Check(doc *source.Document, inst *build.Instance) {
	x := &linter{doc: doc, blocks: map[*ast.Field]bool{}, props: map[*ast.Field]bool{}, ids: map[*ast.Field]bool{}, top: map[string]*ast.Field{}, bad: map[ast.Node]bool{}, imports: importedNames(inst)}
	for _, f := range inst.Files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok && x.top[source.LabelOf(field)] == nil {
				x.top[source.LabelOf(field)] = field
			}
		}
		x.collect(f.Decls, nil, false)
	}
	for _, f := range inst.Files {
		x.checkDecls(f.Decls, lintSite{})
		doc.Cut(f, x.bad)
	}
	doc.Syntax = source.NewSyntax(inst.Files)
}

// lintSite is the position of the linter in the tree.
type lintSite struct {
	path []string
	// types reports that the position is inside a type. loose reports that it is
	// inside a definition or a hidden field, whose use is not known.
	types, loose bool
	// within are the enclosing required fields. A type that refers to one of them has
	// no finite value.
	within []*ast.Field
}

// enter returns the site of the value of a field.
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
	inner.loose = inner.loose || isMisspelt(inner.path)
	inner.types = inner.types || holdsTypes(inner.path, inner.loose)
	return inner
}

// isMisspelt reports whether the walk will report the last name of a path as unknown.
// Fields below it are then not reported as misplaced.
func isMisspelt(path []string) bool {
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

// holdsTypes reports whether a block holds types. In a hidden field, which may be a
// template for any block, only the last names count.
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

// collect records the blocks of types and their properties.
func (x *linter) collect(decls []ast.Decl, path []string, loose bool) {
	s := lintSite{path: path, loose: loose}
	if id := idOfCreate(decls); id != nil {
		x.ids[id] = true
	}
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			inner := s.enter(d)
			if inner.types {
				x.blocks[d] = true
				x.collectProperties(d.Value)
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

// collectProperties records the properties in a block of types.
func (x *linter) collectProperties(e ast.Expr) {
	ast.Walk(e, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			x.props[f] = true
		}
		return true
	}, nil)
}

// checkDecls checks the declarations in a struct.
func (x *linter) checkDecls(decls []ast.Decl, s lintSite) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			x.checkField(d, s)
		case *ast.Comprehension:
			x.checkComprehension(d, s)
		case *ast.EmbedDecl:
			x.checkExpr(d.Expr, d.Expr, s)
		case *ast.LetClause:
			x.checkExpr(d.Expr, d.Expr, s)
		case *ast.Attribute:
			x.checkLoneAttribute(d, s)
		}
	}
}

// checkField checks the attributes and the value of a field.
func (x *linter) checkField(f *ast.Field, s lintSite) {
	inner := s.enter(f)
	if !s.types && !inner.loose {
		for _, a := range f.Attrs {
			x.reportMisplaced(a, inner)
		}
	}
	if id, ok := f.Value.(*ast.Ident); ok && source.LabelOf(f) == "returns" && !strings.HasPrefix(id.Name, "#") && x.top["#"+id.Name] != nil {
		x.doc.Report(source.CodeUnknownReference, x.doc.Files.RangeOf(id), source.PlaceOf(inner.path), fmt.Sprintf("%s is not a type", id.Name),
			fmt.Sprintf("Types are definitions. Write #%s.", id.Name)).Replace(id.Name, "#"+id.Name)
		x.bad[f.Value] = true
		return
	}
	if x.reportMap(f, inner) {
		return
	}
	if dynamic, ok := f.Label.(*ast.Interpolation); ok {
		x.checkExpr(dynamic, dynamic, s)
	}
	x.checkExpr(f.Value, f.Value, inner)
}

// reportMisplaced reports an attribute of the language outside of types.
func (x *linter) reportMisplaced(a *ast.Attribute, s lintSite) {
	name, _ := a.Split()
	if typing.IsForeign(name) {
		return
	}
	at := x.doc.Files.Span(a.Pos(), a.Pos().Add(len(a.Text)))
	if !typing.IsAttribute(name) {
		x.doc.Report(source.CodeUnknownAttribute, at, source.PlaceOf(s.path), fmt.Sprintf("unknown attribute @%s", name), "Attributes are only allowed on the properties of config, inputs and outputs.")
		return
	}
	remedy := "Attributes are only allowed on the properties of config, inputs and outputs, after the type."
	if s.types {
		remedy = fmt.Sprintf("It is on all properties together. Write it after the type of each that it is for: `name: string @%s()`.", name)
		if name == "replace" && s.path[len(s.path)-1] == "inputs" {
			remedy += " If every change replaces the resource, write `rest: {…, update: \"none\"}`, or no `update`, and leave it out."
		}
	}
	x.doc.Report(source.CodeMisplacedAttribute, at, source.PlaceOf(s.path), fmt.Sprintf("@%s is not allowed here", name), remedy)
}

func (x *linter) checkLoneAttribute(a *ast.Attribute, s lintSite) {
	if name, _ := a.Split(); s.loose || typing.IsForeign(name) {
		return
	}
	x.reportMisplaced(a, s)
}

// checkComprehension checks `if` and `for` clauses.
func (x *linter) checkComprehension(c *ast.Comprehension, s lintSite) {
	if s.types {
		for _, clause := range c.Clauses {
			if id := x.refersToProperty(clause); id != nil {
				x.doc.Report(source.CodeConditionalType, x.doc.Files.RangeOf(id), source.PlaceOf(s.path), fmt.Sprintf("a type cannot depend on the value of %s", id.Name),
					"The value is only known at run time. Declare the field optional (name?: T), and add a check for when it is required: checks: [{assert: …, message: …}]. Or use a union: {kind: \"a\", …} | {kind: \"b\", …}.")
				x.bad[c] = true
				return
			}
		}
	} else {
		for _, clause := range c.Clauses {
			x.checkClause(clause, c, s)
		}
	}
	x.checkExpr(c.Value, c.Value, s)
}

func (x *linter) checkClause(clause ast.Clause, c *ast.Comprehension, s lintSite) {
	switch clause := clause.(type) {
	case *ast.ForClause:
		x.checkExpr(clause.Source, c, s)
	case *ast.IfClause:
		x.checkExpr(clause.Condition, c, s)
	case *ast.LetClause:
		x.checkExpr(clause.Expr, c, s)
	}
}

// refersToProperty returns an identifier in a node that refers to a property, or nil.
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

// checkExpr checks an expression. whole is the node to cut out if it is wrong.
func (x *linter) checkExpr(e ast.Expr, whole ast.Node, s lintSite) {
	switch e := e.(type) {
	case nil:
	case *ast.StructLit:
		x.checkDecls(e.Elts, s)
	case *ast.ListLit:
		for i, elt := range e.Elts {
			inner := s
			inner.within = nil
			inner.path = slices.Clone(s.path)
			if len(inner.path) > 0 {
				inner.path[len(inner.path)-1] += fmt.Sprintf("[%d]", i)
			}
			if ell, ok := elt.(*ast.Ellipsis); ok {
				x.checkExpr(ell.Type, ell.Type, inner)
				continue
			}
			x.checkExpr(elt, elt, inner)
		}
	case *ast.Comprehension:
		x.checkComprehension(e, s)
	case *ast.ParenExpr:
		x.checkExpr(e.X, whole, s)
	case *ast.UnaryExpr:
		x.checkExpr(e.X, whole, s)
	case *ast.BinaryExpr:
		if e.Op == token.OR {
			s.within = nil
		}
		x.checkExpr(e.X, whole, s)
		x.checkExpr(e.Y, whole, s)
	case *ast.CallExpr:
		x.checkExpr(e.Fun, whole, s)
		for _, a := range e.Args {
			x.checkExpr(a, whole, s)
		}
	case *ast.Interpolation:
		x.checkInterpolation(e, whole, s)
	case *ast.IndexExpr:
		if !x.checkReference(e, whole, s) {
			x.checkExpr(e.X, whole, s)
			x.checkExpr(e.Index, whole, s)
		}
	case *ast.SliceExpr:
		x.checkExpr(e.X, whole, s)
	case *ast.SelectorExpr:
		if !x.checkReference(e, whole, s) {
			x.checkExpr(e.X, whole, s)
		}
	case *ast.Ident:
		x.checkReference(e, whole, s)
	}
}

// checkInterpolation checks `\( )`, which may not refer to a property in a type.
func (x *linter) checkInterpolation(e *ast.Interpolation, whole ast.Node, s lintSite) {
	if s.types {
		if id := x.refersToProperty(e); id != nil {
			x.doc.Report(source.CodeInterpolatedType, x.doc.Files.RangeOf(e), source.PlaceOf(s.path), fmt.Sprintf(`the interpolation \(%s) in this type cannot be evaluated when the spec is loaded`, id.Name),
				"To compute a default from other inputs, write an attribute: @default(\"${inputs."+id.Name+"}…\").")
			x.bad[whole] = true
			return
		}
	}
	for _, part := range e.Elts {
		x.checkExpr(part, whole, s)
	}
}
