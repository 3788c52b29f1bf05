// Package walk walks the value that CUE evaluates from a document together with its
// source: each value comes with the expression that its author wrote, and its
// position.
package walk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec/stable"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
)

// Walker walks the value of a document together with its source.
type Walker struct{ *source.Document }

// Item is a value of the document with its source.
type Item struct {
	Name  string // the name of a member of a struct
	Value cue.Value
	// Expr is the expression that the author wrote. It is nil if several declarations
	// contribute to the value.
	Expr ast.Expr
	// Field is the declaration of the value. It is nil for items of lists.
	Field *ast.Field
	Decl  *source.Decl
	// NameAt and At are the positions of the name and the value.
	NameAt, At diag.Range
	Optional   bool      // written `name?:`
	Required   bool      // written `name!:`
	Pattern    bool      // written `[…]:`
	Key        cue.Value // the constraint on the keys of a pattern
}

// Kind returns the kind of an item. A struct or list with an error in it keeps its
// kind, because the error is reported at its own place.
func (w *Walker) Kind(it Item) cue.Kind {
	k := it.Value.IncompleteKind()
	if k != cue.BottomKind {
		return k
	}
	switch e := it.Expr.(type) {
	case *ast.StructLit:
		return cue.StructKind
	case *ast.ListLit:
		return cue.ListKind
	case *ast.Ident, *ast.SelectorExpr, *ast.BinaryExpr, nil:
		_ = e
		if fields, err := it.Value.Fields(cue.Optional(true)); err == nil && fields.Next() {
			return cue.StructKind
		}
	}
	return cue.BottomKind
}

// Broken reports whether a value is an error, and adds the error to the diagnostics.
func (w *Walker) Broken(it Item, p source.Place) bool {
	if w.IsHole(it.Expr) || w.LeadsToHole(it.Value) {
		return true
	}
	if w.Kind(it) != cue.BottomKind {
		return false
	}
	err := it.Value.Err()
	if err == nil {
		err = it.Value.Validate()
	}
	if err != nil {
		w.ReportCUE(err, p, it.At)
	}
	return true
}

// Members returns the fields of a struct in the order of the document.
func (w *Walker) Members(parent Item, opts ...cue.Option) []Item {
	fields, err := parent.Value.Fields(append([]cue.Option{cue.Optional(true)}, opts...)...)
	if err != nil {
		return nil
	}
	var list []Item
	for fields.Next() {
		if fields.Selector().LabelType() == cue.IndexLabel {
			continue
		}
		list = append(list, w.member(parent, fields))
	}
	stable.Sort(list, func(a, b Item) int { return w.compare(a, b) })
	return list
}

// Values returns the members of a data struct. It omits optional fields of a
// definition that have no value.
func (w *Walker) Values(parent Item) []Item {
	lit, _ := parent.Expr.(*ast.StructLit)
	return slices.DeleteFunc(w.Members(parent), func(m Item) bool {
		written := m.Decl != nil || lit != nil && m.Field != nil && slices.Contains(lit.Elts, ast.Decl(m.Field))
		return m.Optional && !written
	})
}

// member returns the current field of an iterator.
func (w *Walker) member(parent Item, fields *cue.Iterator) Item {
	ft := fields.FieldType()
	it := Item{
		Value:    fields.Value(),
		Optional: ft&cue.OptionalConstraint != 0,
		Required: ft&cue.RequiredConstraint != 0,
		Pattern:  ft&cue.PatternConstraint != 0,
	}
	if it.Pattern {
		it.Key = fields.Selector().Pattern()
	} else {
		it.Name = nameOf(fields.Selector())
		it.Decl = parent.Decl.Child(it.Name)
	}
	w.locate(&it)
	if it.NameAt.IsZero() {
		it.NameAt = parent.At
	}
	if it.At.IsZero() {
		it.At = it.NameAt
	}
	return it
}

func nameOf(s cue.Selector) string {
	if s.LabelType() == cue.StringLabel {
		return s.Unquoted()
	}
	return s.String()
}

// locate sets the source of an item.
func (w *Walker) locate(it *Item) {
	switch src := it.Value.Source().(type) {
	case *ast.Field:
		it.Field = src
	case ast.Expr:
		it.Expr = src
	}
	if it.Field == nil && it.Expr == nil && it.Decl.First() == nil {
		it.Field = it.conjunctField()
	}
	if it.Field == nil || !w.isDeclared(it) {
		if f := it.Decl.First(); f != nil {
			it.Field = f
		}
	}
	if it.Field != nil {
		if it.Expr == nil {
			it.Expr = it.Field.Value
		}
		it.NameAt = w.Files.LabelRange(it.Field.Label)
	}
	if it.Expr != nil {
		it.At = w.Files.RangeOf(it.Expr)
	}
	if it.At.IsZero() && it.Value.Pos().IsValid() {
		it.At = w.NodeAt(it.Value.Pos())
	}
}

// isDeclared reports whether the field that CUE names is one of the declarations at the
// item's path. It returns true if there are no declarations at that path.
func (w *Walker) isDeclared(it *Item) bool {
	return it.Decl == nil || slices.Contains(it.Decl.Fields, it.Field)
}

// conjunctField returns the first declaration of a value that has a source.
func (it *Item) conjunctField() *ast.Field {
	op, args := it.Value.Expr()
	if op != cue.AndOp {
		return nil
	}
	for _, a := range args {
		switch src := a.Source().(type) {
		case *ast.Field:
			return src
		case ast.Expr:
			it.Expr = src
		}
	}
	return nil
}

// compare orders items by file and position.
func (w *Walker) compare(a, b Item) int {
	pa, pb := a.position(), b.position()
	if !pa.IsValid() || !pb.IsValid() {
		return cmp.Compare(boolInt(pb.IsValid()), boolInt(pa.IsValid()))
	}
	return cmp.Or(
		cmp.Compare(w.Syntax.Order[pa.Filename()], w.Syntax.Order[pb.Filename()]),
		cmp.Compare(pa.Filename(), pb.Filename()),
		cmp.Compare(pa.Offset(), pb.Offset()),
	)
}

func (it *Item) position() token.Pos {
	if it.Field != nil {
		return it.Field.Pos()
	}
	return it.Value.Pos()
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Items returns the items of a list.
func (w *Walker) Items(parent Item) []Item {
	it, err := parent.Value.List()
	if err != nil {
		return w.itemsOfBrokenList(parent)
	}
	var list []Item
	for it.Next() {
		list = append(list, w.item(parent, it.Value()))
	}
	return list
}

// itemsOfBrokenList returns the items of a list that contains an error.
func (w *Walker) itemsOfBrokenList(parent Item) []Item {
	var list []Item
	for i := 0; ; i++ {
		v := parent.Value.LookupPath(cue.MakePath(cue.Index(i)))
		if !v.Exists() && v.Source() == nil {
			return list
		}
		list = append(list, w.item(parent, v))
	}
}

func (w *Walker) item(parent Item, v cue.Value) Item {
	it := Item{Value: v}
	w.locate(&it)
	if it.At.IsZero() {
		it.At = parent.At
	}
	it.NameAt = it.At
	return it
}

// WrongShape reports a value that has another kind than its key wants.
func (w *Walker) WrongShape(it Item, p source.Place, want Shape) {
	name := p.Path[strings.LastIndexByte(p.Path, '.')+1:]
	if name == "" {
		name = "the document"
	}
	d := w.Report(source.CodeWrongShape, it.At, p, fmt.Sprintf("%s must be %s, got %s", name, want.Want, KindName(w.Kind(it))), want.Remedy)
	if want.convert != nil {
		d.Suggest(want.convert(w, it)...)
	}
}

// KindName returns the name of a CUE kind for messages.
func KindName(k cue.Kind) string {
	switch k {
	case cue.NullKind:
		return "null"
	case cue.BoolKind:
		return "a boolean"
	case cue.IntKind, cue.FloatKind, cue.NumberKind:
		return "a number"
	case cue.StringKind:
		return "a string"
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

// Part returns an operand of an expression, such as one side of a disjunction.
func (w *Walker) Part(of Item, v cue.Value) Item {
	it := Item{Value: v, Name: of.Name, NameAt: of.NameAt}
	w.locate(&it)
	if it.At.IsZero() || it.At.File != of.At.File {
		it.At = of.At
	}
	return it
}

// Target returns the definition that a reference resolves to.
func (w *Walker) Target(it Item) Item {
	v := cue.Dereference(it.Value)
	t := Item{Value: v}
	w.locate(&t)
	if f, ok := v.Source().(*ast.Field); ok {
		t.Field, t.Expr = f, f.Value
		t.NameAt, t.At = w.Files.LabelRange(f.Label), w.Files.RangeOf(f.Value)
	}
	if t.At.IsZero() {
		t.At, t.NameAt = it.At, it.At
	}
	if t.NameAt.IsZero() {
		t.NameAt = t.At
	}
	return t
}

// Doc returns the comment of a declaration.
func (w *Walker) Doc(it Item) string {
	fields := []*ast.Field{it.Field}
	if it.Decl != nil {
		fields = append(fields, it.Decl.Fields...)
	}
	for _, f := range fields {
		for ; f != nil; f = w.Syntax.Shorthand[f] {
			if doc := source.DocText(ast.Comments(f)); doc != "" {
				return doc
			}
		}
	}
	if it.Field == nil {
		return source.DocText(it.Value.Doc())
	}
	return ""
}

// StringValue returns the node of a string. If the string is a literal in the source,
// the node has the position of each character.
func (w *Walker) StringValue(it Item) *spec.Node {
	s, _ := it.Value.String()
	if lit := w.literalOf(it.Value, it.Expr, s, 0); lit != nil {
		return lit
	}
	return &spec.Node{Kind: spec.StringNode, Text: s, Range: it.At}
}

// literalOf returns the literal of a string: the expression itself, or the literal
// that a reference resolves to.
func (w *Walker) literalOf(v cue.Value, e ast.Expr, s string, depth int) *spec.Node {
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
		if src := source.ExprOf(next); src != nil && src != e {
			return w.literalOf(next, src, s, depth+1)
		}
	}
	return nil
}

// IsWritten reports whether the author wrote an expression for the value.
func (it Item) IsWritten() bool { return it.Expr != nil }
