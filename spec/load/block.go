package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// block is a struct whose keys the language knows: members by name. Keys that
// it does not know are reported.
type block struct {
	place   place
	item    item
	known   []string
	members map[string]item
	order   []item
}

// block opens a struct of the document. What says what it is ("a resource");
// other, if not nil, is asked about keys that are not known before they are
// reported, and returns true for those it takes.
func (r *dataReader) block(it item, p place, what string, known []string, other func(item) bool) (*block, bool) {
	if r.broken(it, p) {
		return nil, false
	}
	if r.kind(it) != cue.StructKind {
		r.wrongShape(it, p, "a struct")
		return nil, false
	}
	b := &block{place: p, item: it, known: known, members: map[string]item{}}
	for _, m := range r.values(it) {
		b.order = append(b.order, m)
		switch {
		case slices.Contains(known, m.name):
			if m.optional || m.required {
				r.report(typeAsValue, m.nameAt, p.at(m.name), fmt.Sprintf("%s is declared, and not given", m.name),
					"Only types (config, inputs, outputs) have optional fields. Write the value, or leave the field out.")
				continue
			}
			b.members[m.name] = m
		case other != nil && other(m):
		default:
			r.report(unknownKey, m.nameAt, p.at(m.name), fmt.Sprintf("unknown key %q", m.name),
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

// given reports whether a key is written, even if what it holds is broken, or
// its name is misspelt: that was reported.
func (b *block) given(name string) bool {
	return slices.ContainsFunc(b.order, func(m item) bool {
		return m.name == name || !slices.Contains(b.known, m.name) && diag.DidYouMean(m.name, b.known) == name
	})
}

// need reports a key that a block lacks.
func (r *dataReader) need(b *block, key, example string) {
	if !b.given(key) {
		at := startOf(b.item)
		if len(b.order) > 0 && b.order[0].nameAt.Start == at.Start {
			at = b.order[0].nameAt // a block of YAML begins with its first key
		}
		r.report(missingKey, at, b.place, fmt.Sprintf("%s is missing", key), "Add "+example+".")
	}
}

// startOf is where the absence of something in a block is shown: at its name.
func startOf(it item) diag.Range {
	if it.name != "" && !it.nameAt.IsZero() {
		return it.nameAt
	}
	r := it.at
	if r.End.Line > r.Start.Line || r.End.Column > r.Start.Column+1 {
		r.End = diag.Position{Line: r.Start.Line, Column: r.Start.Column + 1}
	}
	return r
}

// objectAt is the object type of a block's member; without it, of nothing.
func (r *dataReader) objectAt(b *block, name string, role role) *spec.Type {
	m, ok := b.get(name)
	if !ok {
		// Of a block whose name is misspelt nothing is known.
		return &spec.Type{Kind: spec.Object, Open: b.given(name)}
	}
	return r.object(m, b.at(name).in(name), role)
}

// namePattern says what the members of a part may be called.
type namePattern struct {
	re     *regexp.Regexp
	remedy string
}

var (
	resourceName = &namePattern{regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`), "A capital letter, then letters and digits: %q."}
	memberName   = &namePattern{regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`), "A small letter, then letters and digits: %q."}
)

// each walks the members of a part, whose names it checks.
func (r *dataReader) each(b *block, key, what string, names *namePattern, walk func(item, place)) {
	part, ok := b.get(key)
	if !ok || r.broken(part, b.at(key)) {
		return
	}
	if r.kind(part) != cue.StructKind {
		r.wrongShape(part, b.at(key), "a struct of "+key+" by name")
		return
	}
	for _, m := range r.values(part) {
		context := fmt.Sprintf("%s %q", what, m.name)
		if b.place.context != "" {
			context = b.place.context + ", " + context
		}
		at := place{context, b.at(key).at(m.name).path}
		if m.optional || m.required {
			r.report(typeAsValue, m.nameAt, at, fmt.Sprintf("%s is declared, and not given", m.name), "Leave out the ? or !, or the whole.")
			continue
		}
		if names != nil && !names.re.MatchString(m.name) {
			r.report(badName, m.nameAt, at, fmt.Sprintf("%q is no name for %s", m.name, article(what)),
				fmt.Sprintf(names.remedy, suggestName(m.name, names == resourceName)))
		}
		walk(m, at)
	}
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

func without(list []string, name string) []string {
	var rest []string
	for _, s := range list {
		if s != name {
			rest = append(rest, s)
		}
	}
	return rest
}

// structOf reads a block of templates.
func (r *dataReader) structOf(it item, p place, what string, known []childOption) *spec.Node {
	names := make([]string, len(known))
	for i, o := range known {
		names[i] = o.name
	}
	b, ok := r.block(it, p, what, names, nil)
	if !ok {
		return &spec.Node{Range: it.at}
	}
	n := &spec.Node{Kind: spec.MapNode, Range: it.at}
	for _, m := range b.order {
		i := slices.Index(names, m.name)
		if _, given := b.get(m.name); i < 0 || !given {
			continue
		}
		n.Fields = append(n.Fields, spec.Field{Name: m.name, NameRange: m.nameAt, Value: known[i].read(r, m, p.at(m.name))})
	}
	return n
}

// wireRule is the rule for names on the wire that a block gives, or "".
func (r *dataReader) wireRule(b *block) string {
	m, ok := b.get("wire")
	if !ok {
		return ""
	}
	rule, ok := r.string(m, b.at("wire"))
	if ok && !slices.Contains(spec.WireRules, rule) {
		r.report(badValue, m.at, b.at("wire"), fmt.Sprintf("%q is no rule for names on the wire", rule), diag.Remedy(rule, spec.WireRules))
		return ""
	}
	return rule
}
