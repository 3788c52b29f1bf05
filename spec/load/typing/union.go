package typing

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/stable"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/types"
)

// disjunctionType returns the type of `A | B`: an enum, a nullable type or a union.
func (x *Extractor) disjunctionType(it walk.Item, args []cue.Value, s Site) *spec.Type {
	parts := x.flattenDisjuncts(it, args, 0)
	stable.Sort(parts, func(a, b walk.Item) int {
		if a.At.File != b.At.File || !a.IsWritten() || !b.IsWritten() {
			return 0
		}
		return a.At.Start.Compare(b.At.Start)
	})
	isBytes := func(part walk.Item) bool { return part.Value.IncompleteKind() == cue.BytesKind }
	if at := slices.IndexFunc(parts, isBytes); at >= 0 {
		reportBytes(x, s, slices.DeleteFunc(parts[at:], func(part walk.Item) bool { return !isBytes(part) }))
		return &spec.Type{}
	}
	nullable := false
	var literals []walk.Item
	var types []*spec.Type
	for _, part := range parts {
		v := part.Value
		switch {
		case v.IncompleteKind() == cue.NullKind:
			nullable = true
		case v.IncompleteKind() == cue.BottomKind && v.Err() != nil && !hasCall([]cue.Value{v}): // [...T] & list.MinItems(2) fails as long as it is empty
			x.Broken(part, s.Place)
		case v.IsConcrete() && v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0:
			literals = append(literals, part)
		case v.IncompleteKind() == cue.ListKind && v.Validate(cue.Concrete(true)) == nil && !v.LookupPath(cue.MakePath(cue.AnyIndex)).Exists(),
			v.IncompleteKind() == cue.StructKind && isDefaultStruct(it, part, parts):
			// A default that the other alternatives do not cover by the rules of CUE,
			// such as *[] | list.MinItems(1). defaultOf checks it.
		default:
			types = append(types, x.Type(part, s.deeper()))
		}
	}
	t := x.uniteTypes(it, literals, types, s)
	if nullable {
		if t.Ref != "" {
			t = &spec.Type{Ref: t.Ref}
		}
		t.Nullable = true
	}
	return t
}

// isDefaultStruct reports whether a struct of a disjunction is only its default: a
// marked, concrete struct that another alternative allows.
func isDefaultStruct(it, part walk.Item, parts []walk.Item) bool {
	star := hasStar(it.Expr)
	if star == nil {
		star = hasStar(source.ExprOf(cue.Dereference(it.Value)))
	}
	if star == nil || star.X != part.Expr || part.Value.Validate(cue.Concrete(true)) != nil {
		return false
	}
	return slices.ContainsFunc(parts, func(o walk.Item) bool {
		if o.Expr == part.Expr {
			return false
		}
		isStruct := o.Value.IncompleteKind() == cue.StructKind || hasCall([]cue.Value{o.Value})
		return isStruct && o.Value.Unify(part.Value).Validate() == nil
	})
}

// flattenDisjuncts flattens nested disjunctions. A disjunction behind a reference is not
// flattened.
func (x *Extractor) flattenDisjuncts(it walk.Item, args []cue.Value, depth int) []walk.Item {
	var parts []walk.Item
	for _, a := range args {
		part := x.Part(it, a)
		_, path := a.ReferencePath()
		if len(path.Selectors()) == 0 && depth < source.MaxDepth {
			if op, inner := a.Expr(); op == cue.OrOp {
				parts = append(parts, x.flattenDisjuncts(part, inner, depth+1)...)
				continue
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// uniteTypes returns one type for the literals and types of a disjunction.
func (x *Extractor) uniteTypes(it walk.Item, literals []walk.Item, declared []*spec.Type, s Site) *spec.Type {
	enums := enumsByKind(literals)
	if len(declared) == 0 && len(enums) == 1 {
		return enums[0]
	}
	variants := slices.Clone(declared)
	for _, e := range enums {
		var rest []any
		for _, lit := range e.Enum {
			if !slices.ContainsFunc(declared, func(t *spec.Type) bool {
				return x.named.types.Resolve(t).Kind != spec.Union && types.Fits(lit, t, x.named.types) == nil
			}) {
				rest = append(rest, lit)
			}
		}
		if len(rest) == 0 {
			continue
		}
		if d, ok := it.Value.Default(); ok && len(rest) == 1 && len(declared) > 0 && types.SameLiteral(plainValue(d), rest[0]) && sameKindAs(e, declared, x.named.types) &&
			!allowsDefault(it.Expr) {
			continue // defaultOf reports it as an invalid default
		}
		e.Enum = rest
		variants = append(variants, e)
	}
	switch len(variants) {
	case 0:
		return &spec.Type{}
	case 1:
		return variants[0]
	}
	t := &spec.Type{Kind: spec.Union, Variants: variants}
	x.named.tasks = append(x.named.tasks, func() { (&tagger{x.Document, x.named.types, it.At, s.Place}).tag(t) })
	return t
}

// sameKindAs reports whether a literal has the kind of one of the types. If so, a
// literal that does not fit that type is a mistake rather than an alternative.
func sameKindAs(e *spec.Type, declared []*spec.Type, named spec.Types) bool {
	return slices.ContainsFunc(declared, func(t *spec.Type) bool {
		k := named.Resolve(t).Kind
		return k == e.Kind || k == spec.Number && e.Kind == spec.Int || k == spec.Int && e.Kind == spec.Number
	})
}

// enumsByKind groups literals by kind into enum types. int and number form one group.
func enumsByKind(literals []walk.Item) []*spec.Type {
	var enums []*spec.Type
	for _, lit := range literals {
		kind, _, ok := scalarKind(lit.Value.IncompleteKind())
		if !ok {
			continue
		}
		enum := lists.Find(enums, func(t *spec.Type) bool { return t.Kind == kind })
		if enum == nil {
			enum = &spec.Type{Kind: kind}
			enums = append(enums, enum)
		}
		value := plainValue(lit.Value)
		if !slices.ContainsFunc(enum.Enum, func(have any) bool { return types.SameLiteral(have, value) }) {
			enum.Enum = append(enum.Enum, value)
		}
	}
	for _, e := range enums {
		if e.Kind == spec.Bool && len(e.Enum) == 2 {
			e.Enum = nil
		}
	}
	return enums
}

// tagger finds the property that identifies the variants of a union.
type tagger struct {
	*source.Document
	named spec.Types
	// at and place are the position of the union.
	at    diag.Range
	place source.Place
}

// tag finds the property that identifies the structs of a union, and reports a union
// without one.
func (g *tagger) tag(t *spec.Type) {
	var all alternatives
	for _, v := range t.Variants {
		g.collect(v, &all, 0)
	}
	if all.anything {
		return // any value is allowed, or a variant was reported
	}
	g.checkLists(all.lists)
	objects := all.objects
	if len(objects)+all.maps < 2 {
		return
	}
	if all.maps > 0 {
		g.Report(source.CodeUntaggedUnion, g.at, g.place, "the structs of this union are ambiguous", "A map accepts any struct. Use a single type for the property.")
		return
	}
	for _, f := range objects[0].Fields {
		if g.identifies(f.Name, objects) {
			t.Tag = f.Name
			return
		}
	}
	g.Report(source.CodeUntaggedUnion, g.at, g.place, "the structs of this union are ambiguous",
		fmt.Sprintf(`Give each of the %d structs a required field with a distinct literal: {type: "a", …} | {type: "b", …}.`, len(objects)))
}

// alternatives are the variants of a union, including those of nested unions.
type alternatives struct {
	objects, lists []*spec.Type
	maps           int
	anything       bool
}

func (g *tagger) collect(v *spec.Type, all *alternatives, depth int) {
	switch r := g.named.Resolve(v); r.Kind {
	case spec.Object:
		all.objects = append(all.objects, r)
	case spec.List:
		all.lists = append(all.lists, r)
	case spec.Map:
		all.maps++
	case spec.Any:
		all.anything = true
	case spec.Union:
		for _, inner := range r.Variants {
			if depth < source.MaxDepth {
				g.collect(inner, all, depth+1)
			}
		}
	}
}

// checkLists reports a union of lists whose structs are ambiguous: the variant of a
// value would have to be guessed.
func (g *tagger) checkLists(lists []*spec.Type) {
	var objects []*spec.Type
	for _, list := range lists {
		var items alternatives
		g.collect(list.Elem, &items, 0)
		objects = append(objects, items.objects...)
	}
	if len(lists) < 2 || len(objects) < 2 {
		return
	}
	for _, f := range objects[0].Fields {
		if g.identifies(f.Name, objects) {
			return
		}
	}
	g.Report(source.CodeUntaggedUnion, g.at, g.place, "the lists of this union are ambiguous",
		`Give their structs a required field with a distinct literal: [...{type: "a", …}] | [...{type: "b", …}].`)
}

// identifies reports whether a property has a different literal in each of the
// objects.
func (g *tagger) identifies(name string, objects []*spec.Type) bool {
	var seen []any
	for _, o := range objects {
		f := o.Field(name)
		if f == nil || !f.Required {
			return false
		}
		t := g.named.Resolve(f.Type)
		if len(t.Enum) == 0 {
			return false
		}
		for _, lit := range t.Enum {
			if slices.ContainsFunc(seen, func(have any) bool { return types.SameLiteral(have, lit) }) {
				return false
			}
			seen = append(seen, lit)
		}
	}
	return true
}
