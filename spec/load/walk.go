package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
)

// walker walks the value that CUE makes of a document, beside the source that it
// is from.
type walker struct{ *source.Document }

// item is a value of the document together with what is known of its source.
type item struct {
	name  string // of a struct's member
	value cue.Value
	// expr is what the author wrote for it, nil where several declarations
	// make it and none stands alone.
	expr ast.Expr
	// field is the declaration it is from, nil for a list's items.
	field *ast.Field
	decl  *source.Decl
	// nameAt and at are where the name and the value stand.
	nameAt, at diag.Range
	optional   bool      // written `name?:`
	required   bool      // written `name!:`
	pattern    bool      // written `[…]:`
	key        cue.Value // what a pattern's keys match
}

// kind is what an item is, as far as it is known. A struct or list with an
// error in it is still one: the error is reported where it is.
func (w *walker) kind(it item) cue.Kind {
	k := it.value.IncompleteKind()
	if k != cue.BottomKind {
		return k
	}
	switch e := it.expr.(type) {
	case *ast.StructLit:
		return cue.StructKind
	case *ast.ListLit:
		return cue.ListKind
	case *ast.Ident, *ast.SelectorExpr, *ast.BinaryExpr, nil:
		_ = e
		if fields, err := it.value.Fields(cue.Optional(true)); err == nil && fields.Next() {
			return cue.StructKind
		}
	}
	return cue.BottomKind
}

// broken reports what makes a value an error, if it is one.
func (w *walker) broken(it item, p source.Place) bool {
	if w.Hole(it.expr) || w.HoleBehind(it.value) {
		return true
	}
	if w.kind(it) != cue.BottomKind {
		return false
	}
	err := it.value.Err()
	if err == nil {
		err = it.value.Validate()
	}
	if err != nil {
		w.CueErrors(err, p, it.at)
	}
	return true
}

// members are the fields of a struct, in the order of the document.
func (w *walker) members(parent item, opts ...cue.Option) []item {
	fields, err := parent.value.Fields(append([]cue.Option{cue.Optional(true)}, opts...)...)
	if err != nil {
		return nil
	}
	var list []item
	for fields.Next() {
		if fields.Selector().LabelType() == cue.IndexLabel {
			continue
		}
		list = append(list, w.member(parent, fields))
	}
	slices.SortStableFunc(list, func(a, b item) int { return w.compare(a, b) })
	return list
}

// values are the members of a struct of data. Optional fields that a definition
// brings, and nobody gives, are none of them.
func (w *walker) values(parent item) []item {
	lit, _ := parent.expr.(*ast.StructLit)
	return slices.DeleteFunc(w.members(parent), func(m item) bool {
		written := m.decl != nil || lit != nil && m.field != nil && slices.Contains(lit.Elts, ast.Decl(m.field))
		return m.optional && !written
	})
}

// member is the field that an iterator stands at.
func (w *walker) member(parent item, fields *cue.Iterator) item {
	ft := fields.FieldType()
	it := item{
		value:    fields.Value(),
		optional: ft&cue.OptionalConstraint != 0,
		required: ft&cue.RequiredConstraint != 0,
		pattern:  ft&cue.PatternConstraint != 0,
	}
	if it.pattern {
		it.key = fields.Selector().Pattern()
	} else {
		it.name = nameOf(fields.Selector())
		it.decl = parent.decl.Child(it.name)
	}
	w.locate(&it)
	if it.nameAt.IsZero() {
		it.nameAt = parent.at
	}
	if it.at.IsZero() {
		it.at = it.nameAt
	}
	return it
}

func nameOf(s cue.Selector) string {
	if s.LabelType() == cue.StringLabel {
		return s.Unquoted()
	}
	return s.String()
}

// locate finds the source of an item.
func (w *walker) locate(it *item) {
	switch src := it.value.Source().(type) {
	case *ast.Field:
		it.field = src
	case ast.Expr:
		it.expr = src
	}
	if it.field == nil && it.expr == nil && it.decl.First() == nil {
		it.field = it.conjunctField()
	}
	if it.field == nil || !w.declared(it) {
		if f := it.decl.First(); f != nil {
			it.field = f
		}
	}
	if it.field != nil {
		if it.expr == nil {
			it.expr = it.field.Value
		}
		it.nameAt = w.Files.Label(it.field.Label)
	}
	if it.expr != nil {
		it.at = w.Files.Of(it.expr)
	}
	if it.at.IsZero() && it.value.Pos().IsValid() {
		it.at = w.NodeAt(it.value.Pos())
	}
}

// declared reports whether the field that CUE names is one of those written at
// the item's path, where anything is written there.
func (w *walker) declared(it *item) bool {
	return it.decl == nil || slices.Contains(it.decl.Fields, it.field)
}

// conjunctField is a declaration among several that make a value: the first
// that has a source.
func (it *item) conjunctField() *ast.Field {
	op, args := it.value.Expr()
	if op != cue.AndOp {
		return nil
	}
	for _, a := range args {
		switch src := a.Source().(type) {
		case *ast.Field:
			return src
		case ast.Expr:
			it.expr = src
		}
	}
	return nil
}

// compare orders items as they stand in the document: by file, then position.
func (w *walker) compare(a, b item) int {
	pa, pb := a.pos(), b.pos()
	if !pa.IsValid() || !pb.IsValid() {
		return cmp.Compare(boolInt(pb.IsValid()), boolInt(pa.IsValid()))
	}
	return cmp.Or(
		cmp.Compare(w.Syntax.Order[pa.Filename()], w.Syntax.Order[pb.Filename()]),
		cmp.Compare(pa.Filename(), pb.Filename()),
		cmp.Compare(pa.Offset(), pb.Offset()),
	)
}

func (it *item) pos() token.Pos {
	if it.field != nil {
		return it.field.Pos()
	}
	return it.value.Pos()
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// items are the items of a list.
func (w *walker) items(parent item) []item {
	it, err := parent.value.List()
	if err != nil {
		return w.brokenItems(parent)
	}
	var list []item
	for it.Next() {
		list = append(list, w.item(parent, it.Value()))
	}
	return list
}

// brokenItems are the items of a list that has an error in one of them.
func (w *walker) brokenItems(parent item) []item {
	var list []item
	for i := 0; ; i++ {
		v := parent.value.LookupPath(cue.MakePath(cue.Index(i)))
		if !v.Exists() && v.Source() == nil {
			return list
		}
		list = append(list, w.item(parent, v))
	}
}

func (w *walker) item(parent item, v cue.Value) item {
	it := item{value: v}
	w.locate(&it)
	if it.at.IsZero() {
		it.at = parent.at
	}
	it.nameAt = it.at
	return it
}

// wrongShape reports a value that is not what its place takes.
func (w *walker) wrongShape(it item, p source.Place, want string) {
	name := p.Path[strings.LastIndexByte(p.Path, '.')+1:]
	if name == "" {
		name = "the document"
	}
	w.Report(source.CodeWrongShape, it.at, p, fmt.Sprintf("%s must be %s, not %s", name, want, kindName(w.kind(it))), shapeRemedy(want))
}

// shapeRemedy says how a value of a shape is written.
func shapeRemedy(want string) string {
	switch {
	case strings.HasPrefix(want, "a struct"):
		return "Write {key: value, …}."
	case strings.HasPrefix(want, "a step"):
		return "Write an action, such as file: write: {…}, or steps: [ … ]."
	case strings.HasPrefix(want, "a list, "):
		return "Write [ … ] or {…}, or \"${…}\"."
	case strings.HasPrefix(want, "a list"):
		return "Write [ … ], also around a single item."
	case strings.HasPrefix(want, "true, "):
		return "Write true, false or \"${…}\"."
	case strings.HasPrefix(want, "true"):
		return "Write true or false, without quotes."
	default:
		return "Write it in quotes."
	}
}

// kindName names a kind of CUE's as an author would.
func kindName(k cue.Kind) string {
	switch k {
	case cue.NullKind:
		return "null"
	case cue.BoolKind:
		return "true or false"
	case cue.IntKind, cue.FloatKind, cue.NumberKind:
		return "a number"
	case cue.StringKind:
		return "text"
	case cue.BytesKind:
		return "bytes"
	case cue.ListKind:
		return "a list"
	case cue.StructKind:
		return "a struct"
	default:
		return "a type"
	}
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// part is a piece of an expression, such as one side of a disjunction.
func (w *walker) part(of item, v cue.Value) item {
	it := item{value: v, name: of.name, nameAt: of.nameAt}
	w.locate(&it)
	if it.at.IsZero() || it.at.File != of.at.File {
		it.at = of.at
	}
	return it
}

// target is the definition that a reference leads to.
func (w *walker) target(it item) item {
	v := cue.Dereference(it.value)
	t := item{value: v}
	w.locate(&t)
	if f, ok := v.Source().(*ast.Field); ok {
		t.field, t.expr = f, f.Value
		t.nameAt, t.at = w.Files.Label(f.Label), w.Files.Of(f.Value)
	}
	if t.at.IsZero() {
		t.at, t.nameAt = it.at, it.at
	}
	if t.nameAt.IsZero() {
		t.nameAt = t.at
	}
	return t
}

// doc is what the author wrote above a declaration.
func (w *walker) doc(it item) string {
	fields := []*ast.Field{it.field}
	if it.decl != nil {
		fields = append(fields, it.decl.Fields...)
	}
	for _, f := range fields {
		for ; f != nil; f = w.Syntax.Shorthand[f] {
			if doc := source.DocText(ast.Comments(f)); doc != "" {
				return doc
			}
		}
	}
	if it.field == nil {
		return source.DocText(it.value.Doc())
	}
	return ""
}

// stringValue is a string; where it stands in the source as a literal, with the place
// of each character.
func (w *walker) stringValue(it item) *spec.Node {
	s, _ := it.value.String()
	if lit := w.literalOf(it.value, it.expr, s, 0); lit != nil {
		return lit
	}
	return &spec.Node{Kind: spec.StringNode, Text: s, Range: it.at}
}

// literalOf is the literal that gives a string: what is written, or what a
// reference leads to.
func (w *walker) literalOf(v cue.Value, e ast.Expr, s string, depth int) *spec.Node {
	if depth > 10 {
		return nil
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if n, ok := w.Files.StringNode(e); ok && n.Text == s {
			return n
		}
	case *ast.ParenExpr:
		return w.literalOf(v, e.X, s, depth+1)
	case *ast.UnaryExpr:
		return w.literalOf(v, e.X, s, depth+1)
	case *ast.BinaryExpr:
		for _, x := range []ast.Expr{e.X, e.Y} {
			if n := w.literalOf(v, x, s, depth+1); n != nil {
				return n
			}
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		next := cue.Dereference(v)
		switch src := next.Source().(type) {
		case *ast.Field:
			if src.Value != e {
				return w.literalOf(next, src.Value, s, depth+1)
			}
		case *ast.LetClause:
			if src.Expr != e {
				return w.literalOf(next, src.Expr, s, depth+1)
			}
		case ast.Expr:
			if src != e {
				return w.literalOf(next, src, s, depth+1)
			}
		}
	}
	return nil
}

func (it item) fromSource() bool { return it.expr != nil }
