package structure

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// variant is a spec with one part of its structure changed.
type variant struct {
	// What says what was done to which part.
	What   string
	Format string
	Text   []byte
}

// cueVariants are those of a CUE document. The tree is changed in place, printed,
// and changed back.
func cueVariants(src []byte, take func(what string) bool) ([]variant, error) {
	file, err := parser.ParseFile("spec.cue", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	w := &cueWalk{file: file, take: take}
	w.decls("", &file.Decls)
	return w.out, w.err
}

type cueWalk struct {
	file *ast.File
	take func(what string) bool
	out  []variant
	err  error
}

// put prints the tree as it is now.
func (w *cueWalk) put(what string, change, back func()) {
	if !w.take(what) || w.err != nil {
		return
	}
	change()
	text, err := format.Node(w.file)
	back()
	if err != nil {
		w.err = fmt.Errorf("%s: %w", what, err)
		return
	}
	w.out = append(w.out, variant{What: what, Format: "cue", Text: text})
}

// replacements are what a value becomes: each kind of CUE, empty or of a type.
func replacements() map[string]func() ast.Expr {
	return map[string]func() ast.Expr{
		"{}": func() ast.Expr { return ast.NewStruct() }, "[]": func() ast.Expr { return ast.NewList() },
		`""`: func() ast.Expr { return ast.NewString("") }, `"x"`: func() ast.Expr { return ast.NewString("x") },
		`"${}"`: func() ast.Expr { return ast.NewString("${}") }, "7": func() ast.Expr { return ast.NewLit(token.INT, "7") },
		"null": func() ast.Expr { return ast.NewNull() }, "true": func() ast.Expr { return ast.NewBool(true) },
		"string": func() ast.Expr { return ast.NewIdent("string") }, "_": func() ast.Expr { return ast.NewIdent("_") },
		"[null]":         func() ast.Expr { return ast.NewList(ast.NewNull()) },
		"[{}]":           func() ast.Expr { return ast.NewList(ast.NewStruct()) },
		"{x: 1}":         func() ast.Expr { return ast.NewStruct("x", ast.NewLit(token.INT, "1")) },
		"{x: {x: null}}": func() ast.Expr { return ast.NewStruct("x", ast.NewStruct("x", ast.NewNull())) },
	}
}

func (w *cueWalk) decls(path string, list *[]ast.Decl) {
	whole := *list
	for i, decl := range whole {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(field.Label)
		if err != nil {
			name = "?"
		}
		at := path + "." + name
		restore := func() { *list = whole }
		w.put("drop "+at, func() { *list = slices.Delete(slices.Clone(whole), i, i+1) }, restore)
		twin := &ast.Field{Label: ast.NewIdent("twin"), Value: field.Value, Attrs: field.Attrs}
		w.put("duplicate "+at+" as twin", func() { *list = append(slices.Clone(whole), twin) }, restore)
		w.put("move "+at+" to the top", func() {
			*list = slices.Delete(slices.Clone(whole), i, i+1)
			w.file.Decls = append(w.file.Decls, field)
		}, func() {
			w.file.Decls = w.file.Decls[:len(w.file.Decls)-1]
			restore()
		})
		w.below(at, list, i, field)
		w.attributes(at, field)
		w.value(at, &field.Value)
	}
}

// below moves a field into each of its neighbours.
func (w *cueWalk) below(at string, list *[]ast.Decl, i int, field *ast.Field) {
	whole := *list
	for j, other := range whole {
		neighbour, ok := other.(*ast.Field)
		if !ok || i == j {
			continue
		}
		inner, ok := neighbour.Value.(*ast.StructLit)
		if !ok {
			continue
		}
		name, _, _ := ast.LabelName(neighbour.Label)
		elements := inner.Elts
		w.put(fmt.Sprintf("move %s into %s", at, name), func() {
			inner.Elts = append(slices.Clone(elements), field)
			*list = slices.Delete(slices.Clone(whole), i, i+1)
		}, func() { inner.Elts, *list = elements, whole })
	}
}

func (w *cueWalk) attributes(at string, field *ast.Field) {
	whole := field.Attrs
	for i, a := range whole {
		w.put(fmt.Sprintf("drop %s %s", at, a.Text), func() { field.Attrs = slices.Delete(slices.Clone(whole), i, i+1) }, func() { field.Attrs = whole })
	}
	for _, text := range []string{"@set()", "@secret()", "@wire()", "@name()", "@name(python=)", "@equal(\"${}\")", "@default(\"\")", "@env()", "@autoname()", "@ephemeral()", "@noRead()", "@replace()", "@deprecated()"} {
		w.put("add "+text+" to "+at, func() { field.Attrs = append(slices.Clone(whole), &ast.Attribute{Text: text}) }, func() { field.Attrs = whole })
	}
}

func (w *cueWalk) value(at string, e *ast.Expr) {
	whole := *e
	for what, made := range replacements() {
		w.put("make "+at+" "+what, func() { *e = made() }, func() { *e = whole })
	}
	w.put("make "+at+" a list of it", func() { *e = ast.NewList(whole) }, func() { *e = whole })
	if _, repeats := whole.(*ast.Comprehension); !repeats { // which is an item of a list, and no value that can be written
		w.put("make "+at+" a struct of it", func() { *e = ast.NewStruct("x", whole) }, func() { *e = whole })
	}
	switch v := whole.(type) {
	case *ast.StructLit:
		w.decls(at, &v.Elts)
	case *ast.ListLit:
		items := v.Elts
		for i := range items {
			place := fmt.Sprintf("%s[%d]", at, i)
			w.put("drop "+place, func() { v.Elts = slices.Delete(slices.Clone(items), i, i+1) }, func() { v.Elts = items })
			w.put("duplicate "+place, func() { v.Elts = slices.Insert(slices.Clone(items), i, items[i]) }, func() { v.Elts = items })
			w.value(place, &items[i])
		}
	}
}
