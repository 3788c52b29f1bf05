package load

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// section is a struct of the document that is a block of the language: its members
// by name, and in the order of the document.
type section struct {
	declared *block.Block
	place    source.Place
	item     walk.Item
	raw      bool // the document is YAML or JSON
	members  map[string]walk.Item
	order    []walk.Item
}

// open opens a struct of the document as a block, and reports keys that the block does
// not have. Other, if not nil, is asked about those before, and returns true for what
// it takes.
func (r *dataReader) open(it walk.Item, p source.Place, declared *block.Block, other func(walk.Item) bool) (*section, bool) {
	if r.Broken(it, p) {
		return nil, false
	}
	if r.Kind(it) != cue.StructKind {
		r.WrongShape(it, p, "a struct")
		return nil, false
	}
	b := &section{declared: declared, place: p, item: it, raw: r.Raw, members: map[string]walk.Item{}}
	for _, m := range r.Values(it) {
		b.order = append(b.order, m)
		switch {
		case b.knows(m.Name):
			if m.Optional || m.Required {
				r.Report(source.CodeTypeAsValue, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is declared, and not given", m.Name),
					"Only types (config, inputs, outputs) have optional fields. Write the value, or leave the field out.")
				continue
			}
			b.members[m.Name] = m
		case other != nil && other(m):
		default:
			r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name),
				fmt.Sprintf("%s has no key %q. %s", walk.UpperFirst(declared.What), m.Name, diag.Remedy(m.Name, b.known())))
		}
	}
	return b, true
}

// fill reads what a section holds into the members of a model that its keys are
// declared for, and reports keys that it lacks.
func (r *stepReader) fill(b *section, model any) {
	for i := range b.declared.Keys {
		key := &b.declared.Keys[i]
		if key.Required && key.Example != "" {
			r.need(b, key.Name, key.Example)
		}
		if m, ok := b.get(key.Name); ok && key.Into != nil {
			r.keep(m, b.place, key, model)
		}
	}
}

// need reports a key that a block lacks.
func (r *stepReader) need(b *section, key, example string) {
	if !b.given(key) {
		at := startOf(b.item)
		if len(b.order) > 0 && b.order[0].NameAt.Start == at.Start {
			at = b.order[0].NameAt // a block of YAML begins with its first key
		}
		r.Report(source.CodeMissingKey, at, b.place, fmt.Sprintf("%s is missing", key), "Add "+example+".")
	}
}

// keep reads the value of a key of a block that is at a place.
func (r *stepReader) keep(m walk.Item, in source.Place, key *block.Key, model any) {
	p := in.Member(key.Name)
	if key.Part {
		p = p.AddContext(key.Name)
	}
	switch into := key.Into(model).(type) {
	case *string:
		if text, ok := r.string(m, p); ok {
			*into = text
		}
	case *[]string:
		*into = r.strings(m, p)
	case *int:
		_, *into = r.count(m, p, key)
	case *bool:
		*into = r.bool(m, p)
	case **spec.Node:
		*into = r.nodeOf(m, p, key)
	case *[]*spec.Node:
		*into = r.textList(m, p).Items
	case **spec.Operation:
		*into = r.operation(m, p, key.Undo)
	}
}

// nodeOf reads the value of a key as a node; nil is a broken one.
func (r *dataReader) nodeOf(m walk.Item, p source.Place, key *block.Key) *spec.Node {
	switch key.Kind {
	case block.Template:
		return r.template(m, p)
	case block.Templates:
		return r.textList(m, p)
	case block.Bool:
		return r.shaped(m, p, "true or false", spec.BoolNode)
	case block.Condition:
		return r.shaped(m, p, "true, false or an expression", spec.StringNode, spec.BoolNode)
	case block.Duration:
		return r.duration(m, p)
	case block.Count:
		n, _ := r.count(m, p, key)
		return n
	case block.Failures:
		return r.failures(m, p)
	case block.Collection:
		return r.shaped(m, p, "a list, a struct, or an expression that gives one", spec.StringNode, spec.ListNode, spec.MapNode)
	case block.Body:
		return r.shaped(m, p, "a struct", spec.StringNode, spec.MapNode)
	case block.Struct:
		if n := r.structOf(m, p, key.Of); n.Kind != 0 {
			return n
		}
		return nil
	case block.List:
		return r.listOf(m, p, key.Of)
	default:
		return r.node(m, p)
	}
}

// structOf reads a section of which each key is kept as a node.
func (r *dataReader) structOf(it walk.Item, p source.Place, declared *block.Block) *spec.Node {
	b, ok := r.open(it, p, declared, nil)
	if !ok {
		return &spec.Node{Range: it.At}
	}
	n := &spec.Node{Kind: spec.MapNode, Range: it.At}
	for _, m := range b.order {
		if _, given := b.get(m.Name); !given {
			continue
		}
		if value := r.nodeOf(m, p.Member(m.Name), declared.Key(m.Name)); value != nil {
			n.Fields = append(n.Fields, spec.Field{Name: m.Name, NameRange: m.NameAt, Value: value})
		}
	}
	return n
}

// listOf reads a list of such sections, or of templates in their place.
func (r *dataReader) listOf(it walk.Item, p source.Place, declared *block.Block) *spec.Node {
	n := &spec.Node{Kind: spec.ListNode, Range: it.At}
	if !r.list(it, p, func(m walk.Item, at source.Place) {
		if r.Kind(m) == cue.StructKind {
			n.Items = append(n.Items, r.structOf(m, at, declared))
			return
		}
		n.Items = append(n.Items, r.template(m, at))
	}) {
		n.Kind = 0
	}
	return n
}

// knows reports whether a key is one of the block, in this kind of document.
func (b *section) knows(name string) bool {
	key := b.declared.Key(name)
	return key != nil && (b.raw || !key.InData)
}

// known returns the names of these keys.
func (b *section) known() []string {
	return slices.DeleteFunc(b.declared.Names(), func(name string) bool { return !b.knows(name) })
}

// get returns a member, if it is given.
func (b *section) get(name string) (walk.Item, bool) {
	it, ok := b.members[name]
	return it, ok
}

// at returns the place of a member.
func (b *section) at(name string) source.Place { return b.place.Member(name) }

// given reports whether a key is written, even if what it holds is broken, or
// its name is misspelt: that was reported.
func (b *section) given(name string) bool {
	return slices.ContainsFunc(b.order, func(m walk.Item) bool {
		return m.Name == name || !b.knows(m.Name) && diag.DidYouMean(m.Name, b.known()) == name
	})
}

// startOf returns where the absence of something in a block is shown: at its name.
func startOf(it walk.Item) diag.Range {
	if it.Name != "" && !it.NameAt.IsZero() {
		return it.NameAt
	}
	r := it.At
	if r.End.Line > r.Start.Line || r.End.Column > r.Start.Column+1 {
		r.End = diag.Position{Line: r.Start.Line, Column: r.Start.Column + 1}
	}
	return r
}

// objectAt reads the object type of a block's member; without it, of nothing.
func (r *dataReader) objectAt(b *section, name string, role typing.Role) *spec.Type {
	m, ok := b.get(name)
	if !ok {
		// Of a block whose name is misspelt nothing is known.
		return &spec.Type{Kind: spec.Object, Open: b.given(name)}
	}
	return r.Object(m, b.at(name).AddContext(name), role)
}

// each walks the members of a part, whose names it checks. What is what one of them
// is called.
func (r *dataReader) each(b *section, key, what string, read func(walk.Item, source.Place)) {
	part, ok := b.get(key)
	if !ok || r.Broken(part, b.at(key)) {
		return
	}
	if r.Kind(part) != cue.StructKind {
		r.WrongShape(part, b.at(key), "a struct of "+key+" by name")
		return
	}
	allowed := b.declared.Key(key).Members
	for _, m := range r.Values(part) {
		context := fmt.Sprintf("%s %q", what, m.Name)
		if b.place.Context != "" {
			context = b.place.Context + ", " + context
		}
		at := source.Place{Context: context, Path: b.at(key).Member(m.Name).Path}
		if m.Optional || m.Required {
			r.Report(source.CodeTypeAsValue, m.NameAt, at, fmt.Sprintf("%s is declared, and not given", m.Name), "Leave out the ? or !, or the whole.")
			continue
		}
		if allowed != nil && !allowed.Pattern.MatchString(m.Name) {
			r.Report(names.CodeName, m.NameAt, at, fmt.Sprintf("%q is not a valid name for %s", m.Name, article(what)),
				fmt.Sprintf(allowed.Remedy, names.Suggest(m.Name, allowed.Capital)))
		}
		read(m, at)
	}
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// wireRule reads the rule for names on the wire that a block gives, or "".
func (r *dataReader) wireRule(b *section) string {
	m, ok := b.get("wire")
	if !ok {
		return ""
	}
	rule, ok := r.string(m, b.at("wire"))
	if ok && !slices.Contains(spec.WireRules, rule) {
		r.Report(source.CodeBadValue, m.At, b.at("wire"), fmt.Sprintf("%q is not a rule for names on the wire", rule), diag.Remedy(rule, spec.WireRules))
		return ""
	}
	return rule
}
