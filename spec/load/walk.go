package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
)

// item is a value of the document together with what is known of its source.
type item struct {
	name  string // of a struct's member
	value cue.Value
	// expr is what the author wrote for it, nil where several declarations
	// make it and none stands alone.
	expr ast.Expr
	// field is the declaration it is from, nil for a list's items.
	field *ast.Field
	decl  *decl
	// nameAt and at are where the name and the value stand.
	nameAt, at diag.Range
	optional   bool      // written `name?:`
	required   bool      // written `name!:`
	pattern    bool      // written `[…]:`
	key        cue.Value // what a pattern's keys match
}

// kind is what an item is, as far as it is known. A struct or list with an
// error in it is still one: the error is reported where it is.
func (l *loader) kind(it item) cue.Kind {
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
func (l *loader) broken(it item, p place) bool {
	if l.hole(it.expr) || l.holeBehind(it.value) {
		return true
	}
	if l.kind(it) != cue.BottomKind {
		return false
	}
	err := it.value.Err()
	if err == nil {
		err = it.value.Validate()
	}
	if err != nil {
		l.cueErrors(err, p, it.at)
	}
	return true
}

// members are the fields of a struct, in the order of the document.
func (l *loader) members(parent item, opts ...cue.Option) []item {
	fields, err := parent.value.Fields(append([]cue.Option{cue.Optional(true)}, opts...)...)
	if err != nil {
		return nil
	}
	var list []item
	for fields.Next() {
		if fields.Selector().LabelType() == cue.IndexLabel {
			continue
		}
		list = append(list, l.member(parent, fields))
	}
	slices.SortStableFunc(list, func(a, b item) int { return l.compare(a, b) })
	return list
}

// values are the members of a struct of data. Optional fields that a definition
// brings, and nobody gives, are none of them.
func (l *loader) values(parent item) []item {
	lit, _ := parent.expr.(*ast.StructLit)
	return slices.DeleteFunc(l.members(parent), func(m item) bool {
		written := m.decl != nil || lit != nil && m.field != nil && slices.Contains(lit.Elts, ast.Decl(m.field))
		return m.optional && !written
	})
}

// member is the field that an iterator stands at.
func (l *loader) member(parent item, fields *cue.Iterator) item {
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
		it.decl = parent.decl.child(it.name)
	}
	l.locate(&it)
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
func (l *loader) locate(it *item) {
	switch src := it.value.Source().(type) {
	case *ast.Field:
		it.field = src
	case ast.Expr:
		it.expr = src
	}
	if it.field == nil && it.expr == nil && it.decl.first() == nil {
		it.field = it.conjunctField()
	}
	if it.field == nil || !l.declared(it) {
		if f := it.decl.first(); f != nil {
			it.field = f
		}
	}
	if it.field != nil {
		if it.expr == nil {
			it.expr = it.field.Value
		}
		it.nameAt = l.files.label(it.field.Label)
	}
	if it.expr != nil {
		it.at = l.files.of(it.expr)
	}
	if it.at.IsZero() && it.value.Pos().IsValid() {
		it.at = l.nodeAt(it.value.Pos())
	}
}

// declared reports whether the field that CUE names is one of those written at
// the item's path, where anything is written there.
func (l *loader) declared(it *item) bool {
	return it.decl == nil || slices.Contains(it.decl.fields, it.field)
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

// label is the range of a field's name.
func (f *files) label(label ast.Label) diag.Range {
	if label == nil {
		return diag.Range{}
	}
	if alias, ok := label.(*ast.Alias); ok {
		return f.of(alias.Expr)
	}
	return f.of(label)
}

// compare orders items as they stand in the document: by file, then position.
func (l *loader) compare(a, b item) int {
	pa, pb := a.pos(), b.pos()
	if !pa.IsValid() || !pb.IsValid() {
		return cmp.Compare(boolInt(pb.IsValid()), boolInt(pa.IsValid()))
	}
	return cmp.Or(
		cmp.Compare(l.syntax.order[pa.Filename()], l.syntax.order[pb.Filename()]),
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
func (l *loader) items(parent item) []item {
	it, err := parent.value.List()
	if err != nil {
		return l.brokenItems(parent)
	}
	var list []item
	for it.Next() {
		list = append(list, l.item(parent, it.Value()))
	}
	return list
}

// brokenItems are the items of a list that has an error in one of them.
func (l *loader) brokenItems(parent item) []item {
	var list []item
	for i := 0; ; i++ {
		v := parent.value.LookupPath(cue.MakePath(cue.Index(i)))
		if !v.Exists() && v.Source() == nil {
			return list
		}
		list = append(list, l.item(parent, v))
	}
}

func (l *loader) item(parent item, v cue.Value) item {
	it := item{value: v}
	l.locate(&it)
	if it.at.IsZero() {
		it.at = parent.at
	}
	it.nameAt = it.at
	return it
}

// block is a struct whose keys the language knows: members by name. Keys that
// it does not know are reported.
type block struct {
	l       *loader
	place   place
	item    item
	known   []string
	members map[string]item
	order   []item
}

// block opens a struct of the document. What says what it is ("a resource");
// other, if not nil, is asked about keys that are not known before they are
// reported, and returns true for those it takes.
func (l *loader) block(it item, p place, what string, known []string, other func(item) bool) (*block, bool) {
	if l.broken(it, p) {
		return nil, false
	}
	if l.kind(it) != cue.StructKind {
		l.wrongShape(it, p, "a struct")
		return nil, false
	}
	b := &block{l: l, place: p, item: it, known: known, members: map[string]item{}}
	for _, m := range l.values(it) {
		b.order = append(b.order, m)
		switch {
		case slices.Contains(known, m.name):
			if m.optional || m.required {
				l.report(typeAsValue, m.nameAt, p.at(m.name), fmt.Sprintf("%s is declared, and not given", m.name),
					"Only types (config, inputs, outputs) have optional fields. Write the value, or leave the field out.")
				continue
			}
			b.members[m.name] = m
		case other != nil && other(m):
		default:
			l.report(unknownKey, m.nameAt, p.at(m.name), fmt.Sprintf("unknown key %q", m.name),
				fmt.Sprintf("%s has no key %q. %s", upperFirst(what), m.name, diag.Remedy(m.name, known)))
		}
	}
	return b, true
}

// get is a member, if it is given.
func (b *block) get(name string) (item, bool) {
	it, ok := b.members[name]
	return it, ok
}

// at is the place of a member.
func (b *block) at(name string) place { return b.place.at(name) }

// wrongShape reports a value that is not what its place takes.
func (l *loader) wrongShape(it item, p place, want string) {
	name := p.path[strings.LastIndexByte(p.path, '.')+1:]
	if name == "" {
		name = "the document"
	}
	l.report(wrongShape, it.at, p, fmt.Sprintf("%s must be %s, not %s", name, want, kindName(l.kind(it))), shapeRemedy(want))
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
