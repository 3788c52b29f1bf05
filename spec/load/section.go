package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// section is a struct of the document that is a block of the language. It has the
// members by name and in the order of the document.
type section struct {
	declared *block.Block
	place    source.Place
	item     walk.Item
	raw      bool // the document is YAML or JSON
	members  map[string]walk.Item
	order    []walk.Item
}

// blockShape returns the shape of a block. Its remedy is to write a value of another kind under the only key of the block that takes it,
// or else names the keys.
func (r *dataReader) blockShape(it walk.Item, declared *block.Block) walk.Shape {
	var takes []string
	for _, key := range declared.Keys {
		switch r.Kind(it) {
		case cue.IntKind:
			if key.Kind == block.Count {
				takes = append(takes, key.Name)
			}
		case cue.StringKind:
			if key.Required && slices.Contains([]block.Kind{block.Text, block.Template, block.Condition}, key.Kind) {
				takes = append(takes, key.Name)
			}
		}
	}
	const most = 12
	switch {
	case len(takes) == 1:
		return walk.StructWith(takes[0])
	case len(declared.Keys) <= most:
		return walk.Struct.By(fmt.Sprintf("Write {key: value, …}. The keys are %s.", diag.And(declared.Names())))
	default:
		return walk.Struct
	}
}

// openSection reads a struct of the document as a block, and reports unknown keys. If other
// is not nil, open calls it first for an unknown key; it returns true for keys that
// it handles.
func (r *dataReader) openSection(it walk.Item, p source.Place, declared *block.Block, other func(walk.Item) bool) (*section, bool) {
	if !r.expect(it, p, cue.StructKind, r.blockShape(it, declared)) {
		return nil, false
	}
	b := &section{declared: declared, place: p, item: it, raw: r.Raw, members: map[string]walk.Item{}}
	meant := map[string]walk.Item{}
	for _, m := range r.Values(it) {
		b.order = append(b.order, m)
		switch {
		case b.hasKey(m.Name):
			if m.Optional || m.Required {
				r.Report(source.CodeTypeAsValue, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is declared, but has no value", m.Name),
					"Only types (config, inputs, outputs) have optional fields. Write a value, or remove the field.")
				continue
			}
			b.members[m.Name] = m
		case other != nil && other(m):
		default:
			reportUnknownKey(r, b, m)
			if own := b.meant(m.Name); own != "" && b.hasKey(own) && (declared == block.Step || declared == block.Rest) {
				meant[own] = m
			}
		}
	}
	for own, m := range meant { // what else would be found follows from the name
		if _, given := b.members[own]; !given {
			b.members[own] = m
		}
	}
	return b, true
}

// reportUnknownKey reports a key that a block does not have.
func reportUnknownKey(r *dataReader, b *section, m walk.Item) {
	d := r.Report(source.CodeUnknownKey, m.NameAt, b.place.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name),
		fmt.Sprintf("%s has no key %q.", diag.UpperFirst(b.declared.What), m.Name))
	if b.declared == block.Provider && !r.Raw && m.Value.Validate(cue.Concrete(true)) != nil && block.CapitalNames.Pattern.MatchString(m.Name) {
		d.Detail = fmt.Sprintf("A type of its own is a definition: write `#%s: …`, and #%[1]s in the types that refer to it.", m.Name)
		return
	}
	if t, ok := foreign.Key(b.declared.What, m.Name); ok {
		if key := b.declared.Key(t.Own); key != nil && key.Kind == block.Types && r.Kind(m) != cue.StructKind {
			d.Detail += " " + cmp.Or(t.Flag, fmt.Sprintf("`%s` has properties with their types: `%[1]s: NAME: string`.", t.Own))
			return
		}
		t.Suggest(d, m.Name)
		if inner := b.declared.Key(t.Within); inner != nil && !slices.ContainsFunc(r.Values(b.item), func(o walk.Item) bool { return o.Name == t.Within }) {
			d.Suggest(r.NestEdits(m.NameAt, m.At, t.Within, t.Inner)...)
		}
	} else {
		d.Meant(m.Name, b.keyNames())
	}
}

// fill reads the values of a section into the fields of a model that the keys of the
// block declare, and reports missing keys.
func (r *stepReader) fill(b *section, model any) {
	for i := range b.declared.Keys {
		key := &b.declared.Keys[i]
		if key.Required && key.Example != "" {
			r.require(b, key.Name, key.Example)
		}
		if m, ok := b.get(key.Name); ok && key.Into != nil {
			r.keepKey(m, b.place, key, model)
		}
	}
}

// require reports a missing key.
func (r *stepReader) require(b *section, key, example string) {
	if !b.has(key) {
		at := startOf(b.item)
		if len(b.order) > 0 && b.order[0].NameAt.Start == at.Start {
			at = b.order[0].NameAt // the range of a YAML block begins at its first key
		}
		r.Report(source.CodeMissingKey, at, b.place, fmt.Sprintf("%s is required", key), "Add "+example+".")
	}
}

// keepKey reads the value of a key into the model.
func (r *stepReader) keepKey(m walk.Item, in source.Place, key *block.Key, model any) {
	p := in.Member(key.Name)
	if key.Part {
		p = p.AddContext(key.Name)
	}
	switch into := key.Into(model).(type) {
	case *string:
		if text, ok := r.readString(m, p); ok {
			*into = text
		}
	case *[]string:
		*into = r.readStrings(m, p)
	case *int:
		_, *into = r.readCount(m, p, key)
	case *bool:
		*into = r.readBool(m, p)
	case **spec.Node:
		*into = r.readKey(m, p, key)
	case *[]*spec.Node:
		*into = r.readTemplates(m, p).Items
	case **spec.Operation:
		if key.Null && r.isNull(m) {
			return
		}
		*into = r.readOperation(m, p, key.Undo)
	}
}

// isNull reports whether null is written, and not the beginning of a block in YAML that has nothing
// in it.
func (r *dataReader) isNull(m walk.Item) bool {
	return r.Kind(m) == cue.NullKind && r.Files.TextAt(m.At) != ""
}

// readKey reads the value of a key as a node. It returns nil for an invalid value.
func (r *dataReader) readKey(m walk.Item, p source.Place, key *block.Key) *spec.Node {
	if key.Null && r.isNull(m) {
		return r.readNode(m, p)
	}
	switch key.Kind {
	case block.Text:
		return r.readKinds(m, p, walk.Text, spec.StringNode)
	case block.Template:
		return r.readTemplate(m, p)
	case block.Templates:
		return r.readTemplates(m, p)
	case block.Bool:
		return r.readKinds(m, p, walk.Boolean, spec.BoolNode)
	case block.Condition:
		return r.readKinds(m, p, walk.Condition, spec.StringNode, spec.BoolNode)
	case block.Duration:
		return r.readDuration(m, p)
	case block.Count:
		n, _ := r.readCount(m, p, key)
		return n
	case block.Failures:
		return r.readFailures(m, p)
	case block.Collection:
		return r.readKinds(m, p, walk.Collection, spec.StringNode, spec.ListNode, spec.MapNode)
	case block.Body:
		return r.readKinds(m, p, walk.Struct.By(key.Remedy), spec.StringNode, spec.MapNode)
	case block.Struct:
		if n := r.readStruct(m, p, key.Of); n.Kind != 0 {
			return n
		}
		return nil
	case block.List:
		return r.readStructs(m, p, key.Of)
	default:
		return r.readNode(m, p)
	}
}

// readStruct reads a section and keeps each value as a node.
func (r *dataReader) readStruct(it walk.Item, p source.Place, declared *block.Block) *spec.Node {
	b, ok := r.openSection(it, p, declared, nil)
	if !ok {
		return &spec.Node{Range: it.At}
	}
	n := &spec.Node{Kind: spec.MapNode, Range: it.At}
	for _, m := range b.order {
		if _, given := b.get(m.Name); !given {
			continue
		}
		if value := r.readKey(m, p.Member(m.Name), declared.Key(m.Name)); value != nil {
			n.Fields = append(n.Fields, spec.Field{Name: m.Name, NameRange: m.NameAt, Value: value})
		}
	}
	return n
}

// readStructs reads a list of such sections, or of templates.
func (r *dataReader) readStructs(it walk.Item, p source.Place, declared *block.Block) *spec.Node {
	n := &spec.Node{Kind: spec.ListNode, Range: it.At}
	if !r.readList(it, p, func(m walk.Item, at source.Place) {
		if r.Kind(m) == cue.StructKind {
			n.Items = append(n.Items, r.readStruct(m, at, declared))
			return
		}
		n.Items = append(n.Items, r.readTemplate(m, at))
	}) {
		n.Kind = 0
	}
	return n
}

// hasKey reports whether the block has a key in this kind of document.
func (b *section) hasKey(name string) bool {
	key := b.declared.Key(name)
	return key != nil && (b.raw || !key.InData)
}

// keyNames returns the names of the keys that the block has in this kind of document.
func (b *section) keyNames() []string {
	return slices.DeleteFunc(b.declared.Names(), func(name string) bool { return !b.hasKey(name) })
}

// get returns a member and whether it is present.
func (b *section) get(name string) (walk.Item, bool) {
	it, ok := b.members[name]
	return it, ok
}

// at returns the place of a member.
func (b *section) at(name string) source.Place { return b.place.Member(name) }

// has reports whether a key is present, also if its value is invalid or its name
// misspelt, which was reported.
func (b *section) has(name string) bool {
	return slices.ContainsFunc(b.order, func(m walk.Item) bool {
		if m.Name == name || b.hasKey(m.Name) {
			return m.Name == name
		}
		if t, ok := foreign.Key(b.declared.What, m.Name); ok {
			return t.Own == name
		}
		return diag.DidYouMean(m.Name, b.keyNames()) == name
	})
}

// meant returns the key for which an unknown key is another name, with the same value, or "".
func (b *section) meant(name string) string {
	t, ok := foreign.Key(b.declared.What, name)
	switch {
	case !ok:
		return diag.DidYouMean(name, b.keyNames())
	case t.IsRename():
		return t.Own
	default:
		return ""
	}
}

// startOf returns the range for reports about something that a block lacks: its name.
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

// readObject reads the object type of a member of a block. If the member is absent, the
// type has no properties.
func (r *dataReader) readObject(b *section, name string, role typing.Role) *spec.Type {
	m, ok := b.get(name)
	if !ok {
		// If the name of the block is misspelt, its properties are unknown.
		return &spec.Type{Kind: spec.Object, Open: b.has(name)}
	}
	return r.Object(m, b.at(name).AddContext(name), role)
}

// readMembers calls read for the members of a part, and checks their names. what is the noun
// for a member in messages.
func (r *dataReader) readMembers(b *section, key, what string, read func(walk.Item, source.Place)) {
	part, ok := b.get(key)
	if !ok || !r.expect(part, b.at(key), cue.StructKind, walk.Named(key).By(b.declared.Key(key).Remedy)) {
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
			r.Report(source.CodeTypeAsValue, m.NameAt, at, fmt.Sprintf("%s is declared, but has no value", m.Name), "Remove the ? or !, or the field.")
			continue
		}
		if allowed != nil && !allowed.Pattern.MatchString(m.Name) {
			r.Report(names.CodeName, m.NameAt, at, fmt.Sprintf("%q is not a valid name for %s", m.Name, article(what)),
				fmt.Sprintf(allowed.Remedy, names.Suggest(m.Name, allowed.Capital)))
		}
		read(m, at)
	}
}

// appendRead appends what was read to a list, unless it was broken.
func appendRead[T any](list []*T, read *T) []*T {
	if read == nil {
		return list
	}
	return append(list, read)
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// readWireRule returns the naming rule of a block, or "".
func (r *dataReader) readWireRule(b *section) string {
	m, ok := b.get("wire")
	if !ok {
		return ""
	}
	rule, ok := r.readString(m, b.at("wire"))
	if ok && !slices.Contains(spec.WireRules, rule) {
		r.Report(source.CodeBadValue, m.At, b.at("wire"), fmt.Sprintf("%q is not a naming rule", rule), "").Meant(rule, spec.WireRules)
		return ""
	}
	return rule
}
