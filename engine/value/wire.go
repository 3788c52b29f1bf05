package value

import (
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// In the scope of templates values carry the names that the spec declares. What
// an action sends of a typed struct goes out under the names on the wire
// (`@wire`, the resource's `wire` rule), and what comes back is matched by them.
// The keys of maps are data, and stay.

// Naming is how an operation's values are named on the wire.
type Naming struct {
	Rule  WireRule
	types spec.Types
	// onto is the object that the operation's yield is for.
	onto *spec.Type
	// active says that any name differs, so that nothing is copied where none
	// does.
	Active bool
}

// NewNaming names what is for onto; sent are the other types that go out.
func NewNaming(rule string, named spec.Types, onto *spec.Type, sent ...*spec.Type) Naming {
	n := Naming{Rule: WireRule(rule), types: named, onto: onto}
	n.Active = slices.ContainsFunc(append(sent, onto), func(t *spec.Type) bool { return n.Rule.Renames(named, t) })
	return n
}

// In gives what came from outside its declared names; from is what is known of
// it.
func (n Naming) In(v any, from *spec.Type) any {
	if !n.Active {
		return v
	}
	return n.Rule.in(v, from, n.onto, n.types)
}

// Out gives what is sent its names on the wire. Whether any differ is known of each
// argument (argument.renamed): it does not depend on what else the resource declares.
func (n Naming) Out(v any, t *spec.Type) any { return n.Rule.out(v, t, n.types) }

// WireRule is a resource's case rule; "" changes nothing.
type WireRule string

// Name is the property's name on the wire.
func (w WireRule) Name(p *spec.Property) string {
	if p.Wire != "" {
		return p.Wire
	}
	return spec.WireName(string(w), p.Name)
}

// Capital returns a name with an upper-case first letter.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// out renames what of a value is a typed struct to its names on the wire. What is no
// declared name (the keys of maps, and those that the author wrote) goes out as it is,
// and comes before a declared name that would be the same on the wire.
func (w WireRule) out(v any, t *spec.Type, named spec.Types) any {
	t = w.narrow(v, named.Resolve(t), named, false)
	switch v := v.(type) {
	case map[string]any:
		renamed := make(map[string]any, len(v))
		deep := false
		for name, item := range v {
			switch p := t.Field(name); {
			case p == nil || p.AsWritten():
			case p.WireParents != nil:
				deep = true
			default:
				renamed[w.Name(p)] = w.out(item, p.Type, named)
			}
		}
		for name, item := range v {
			if p := t.Field(name); p == nil {
				renamed[name] = w.out(item, t.Elem, named)
			} else if p.AsWritten() {
				renamed[name] = w.out(item, p.Type, named)
			}
		}
		for _, p := range t.Fields {
			if item, given := v[p.Name]; given && deep && p.WireParents != nil {
				putAt(renamed, p.WireParents, w.Name(p), w.out(item, p.Type, named))
			}
		}
		return renamed
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = w.out(item, t.Elem, named)
		}
		return list
	default:
		return v
	}
}

// in renames what came under its names on the wire to the declared ones. from is
// what is known of the value: where that is a struct, its names are declared
// already; to is what it is for.
func (w WireRule) in(v any, from, to *spec.Type, named spec.Types) any {
	if s, ok := v.(expr.Secret); ok {
		return expr.Secret{Value: w.in(s.Value, from, to, named)}
	}
	from = w.narrow(v, named.Resolve(from), named, false)
	to = w.narrow(v, named.Resolve(to), named, !declaresNames(from, named))
	switch v := v.(type) {
	case map[string]any:
		if from.Kind == spec.Object {
			return w.declared(v, from, to, named)
		}
		byWire := make(map[string]*spec.Property, len(to.Fields))
		renamed := make(map[string]any, len(v))
		for _, p := range to.Fields {
			if p.WireParents == nil {
				byWire[w.Name(p)] = p
				continue
			}
			item, found, rest := takeAt(v, p.WireParents, w.Name(p))
			if v = rest; found {
				renamed[p.Name] = w.in(item, nil, p.Type, named)
			}
		}
		for name, item := range v {
			if p := byWire[name]; p != nil {
				renamed[p.Name] = w.in(item, from.Elem, p.Type, named)
			} else if to.Field(name) == nil {
				renamed[name] = w.in(item, from.Elem, to.Elem, named)
			}
		}
		return renamed
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = w.in(item, from.Elem, to.Elem, named)
		}
		return list
	default:
		return v
	}
}

// putAt puts a value under a name below parents, which are made where they are not
// there. What is there is copied.
func putAt(m map[string]any, parents []string, name string, v any) {
	for _, parent := range parents {
		inner, _ := m[parent].(map[string]any)
		if inner = maps.Clone(inner); inner == nil {
			inner = map[string]any{}
		}
		m[parent] = inner
		m = inner
	}
	m[name] = v
}

// takeAt is the value under a name below parents, and the map without it: a parent
// that becomes empty goes, too. What is below a secret is secret.
func takeAt(m map[string]any, parents []string, name string) (v any, found bool, rest map[string]any) {
	at := name
	if len(parents) > 0 {
		at = parents[0]
	}
	if v, found = m[at]; !found {
		return nil, false, m
	}
	rest = maps.Clone(m)
	if delete(rest, at); len(parents) == 0 {
		return v, true, rest
	}
	secret, hidden := v.(expr.Secret)
	if hidden {
		v = secret.Value
	}
	inner, _ := v.(map[string]any)
	v, found, inner = takeAt(inner, parents[1:], name)
	switch {
	case !found:
		return nil, false, m
	case len(inner) > 0 && hidden:
		rest[at] = expr.Secret{Value: inner}
	case len(inner) > 0:
		rest[at] = inner
	}
	if hidden {
		v = expr.Secret{Value: v}
	}
	return v, true, rest
}

// declared goes on below a struct whose own names are declared ones.
func (w WireRule) declared(v map[string]any, from, to *spec.Type, named spec.Types) any {
	out := make(map[string]any, len(v))
	for name, item := range v {
		inner := from.Field(name)
		if inner == nil {
			continue
		}
		var target *spec.Type
		if p := to.Field(name); p != nil {
			target = p.Type
		}
		out[name] = w.in(item, inner.Type, target, named)
	}
	for name, item := range v {
		if from.Field(name) == nil {
			w.undeclared(out, name, item, from, to, named)
		}
	}
	return out
}

// undeclared puts a member that an open struct does not declare into out: it still
// has its name on the wire. What is declared stands.
func (w WireRule) undeclared(out map[string]any, name string, item any, from, to *spec.Type, named spec.Types) {
	p := to.Field(name)
	if from.Open {
		if p = w.onWire(to, name); p == nil && to.Field(name) != nil {
			return // a stranger of the same name
		}
	}
	target := to.Elem
	if p != nil {
		name, target = p.Name, p.Type
	}
	if _, there := out[name]; !there {
		out[name] = w.in(item, from.Elem, target, named)
	}
}

// onWire is the property that has a name on the wire, or nil.
func (w WireRule) onWire(t *spec.Type, name string) *spec.Property {
	if i := slices.IndexFunc(t.Fields, func(p *spec.Property) bool { return p.WireParents == nil && w.Name(p) == name }); i >= 0 {
		return t.Fields[i]
	}
	return nil
}

// declaresNames reports whether what is known of a value is a struct, or lists or
// maps of it, whose names are declared ones.
func declaresNames(t *spec.Type, named spec.Types) bool {
	for depth := 0; depth < 100 && (t.Kind == spec.List || t.Kind == spec.Map); depth++ {
		t = named.Resolve(t.Elem)
	}
	return t.Kind == spec.Object
}

// narrow is the type that a value is of, where t is a union: nothing is known of
// one that is no variant. The value has its names on the wire, or else the declared
// ones.
func (w WireRule) narrow(v any, t *spec.Type, named spec.Types, wire bool) *spec.Type {
	if t.Kind != spec.Union {
		return t
	}
	seen := types.ShapeOf(v, nil)
	if wire {
		seen = types.ShapeOf(v, w.Name)
	}
	if variant := types.Narrow(t, seen, named); variant != nil {
		return variant
	}
	return &spec.Type{}
}

// Renames reports whether the rule or any @wire changes a name of the type.
func (w WireRule) Renames(named spec.Types, root *spec.Type) bool {
	seen := map[*spec.Type]bool{}
	var visit func(t *spec.Type) bool
	visit = func(t *spec.Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if t.Ref != "" && visit(named.Resolve(t)) || visit(t.Elem) {
			return true
		}
		for _, p := range t.Fields {
			if w.Name(p) != p.Name || p.WireParents != nil || visit(p.Type) {
				return true
			}
		}
		for _, v := range t.Variants {
			if visit(v) {
				return true
			}
		}
		return false
	}
	return visit(root)
}

// Secrets are the names on the wire of all properties that are secret, however
// deep.
func (n Naming) Secrets() []string {
	var names []string
	seen := map[*spec.Type]bool{}
	var visit func(t *spec.Type)
	visit = func(t *spec.Type) {
		if t = n.types.Resolve(t); seen[t] {
			return
		}
		seen[t] = true
		for _, p := range t.Fields {
			if p.Secret && !slices.Contains(names, n.Rule.Name(p)) {
				names = append(names, n.Rule.Name(p))
			}
			visit(p.Type)
		}
		for _, v := range t.Variants {
			visit(v)
		}
		if t.Elem != nil {
			visit(t.Elem)
		}
	}
	visit(n.onto)
	return names
}
