package engine

import (
	"slices"
	"strings"
	"unicode"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// In the scope of templates values carry the names that the spec declares. What
// an action sends of a typed struct goes out under the names on the wire
// (`@wire`, the resource's `wire` rule), and what comes back is matched by them.
// The keys of maps are data, and stay.

// naming is how an operation's values are named on the wire.
type naming struct {
	rule  wireRule
	types spec.Types
	// onto is the object that the operation's yield is for.
	onto *spec.Type
	// active says that any name differs, so that nothing is copied where none
	// does.
	active bool
}

// newNaming names what is for onto; sent are the other types that go out.
func newNaming(rule string, types spec.Types, onto *spec.Type, sent ...*spec.Type) naming {
	n := naming{rule: wireRule(rule), types: types, onto: onto}
	n.active = slices.ContainsFunc(append(sent, onto), func(t *spec.Type) bool { return n.rule.renames(types, t) })
	return n
}

// in gives what came from outside its declared names; from is what is known of
// it.
func (n naming) in(v any, from *spec.Type) any {
	if !n.active {
		return v
	}
	return n.rule.in(v, from, n.onto, n.types)
}

// out gives what is sent its names on the wire.
func (n naming) out(v any, t *spec.Type) any {
	if !n.active {
		return v
	}
	return n.rule.out(v, t, n.types)
}

// wireRule is a resource's case rule; "" changes nothing.
type wireRule string

// name is the property's name on the wire.
func (w wireRule) name(p *spec.Property) string {
	if p.Wire != "" {
		return p.Wire
	}
	switch w {
	case "snake_case":
		return strings.Join(words(p.Name), "_")
	case "kebab-case":
		return strings.Join(words(p.Name), "-")
	case "camelCase":
		all := words(p.Name)
		for i := 1; i < len(all); i++ {
			all[i] = capital(all[i])
		}
		return strings.Join(all, "")
	case "PascalCase":
		all := words(p.Name)
		for i := range all {
			all[i] = capital(all[i])
		}
		return strings.Join(all, "")
	default:
		return p.Name
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// words splits a name where its case or a sign does, in lower case: petId is
// pet, id; HTTPServer is http, server.
func words(name string) []string {
	var out []string
	runes := []rune(name)
	start := 0
	end := func(i int) {
		if i > start {
			out = append(out, strings.ToLower(string(runes[start:i])))
		}
		start = i
	}
	for i := 1; i < len(runes); i++ {
		switch {
		case runes[i] == '_' || runes[i] == '-':
			end(i)
			start = i + 1
		case unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]),
			unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			end(i)
		}
	}
	end(len(runes))
	return out
}

// out renames what of a value is a typed struct to its names on the wire.
func (w wireRule) out(v any, t *spec.Type, types spec.Types) any {
	t = types.Resolve(t)
	switch v := v.(type) {
	case map[string]any:
		if t.Kind == spec.Union {
			t = variantOf(v, t, types)
		}
		renamed := make(map[string]any, len(v))
		for name, item := range v {
			if p := t.Field(name); p != nil {
				renamed[w.name(p)] = w.out(item, p.Type, types)
			} else {
				renamed[name] = w.out(item, t.Elem, types)
			}
		}
		return renamed
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = w.out(item, t.Elem, types)
		}
		return list
	default:
		return v
	}
}

// in renames what came under its names on the wire to the declared ones. from is
// what is known of the value: where that is a struct, its names are declared
// already; to is what it is for.
func (w wireRule) in(v any, from, to *spec.Type, types spec.Types) any {
	from, to = types.Resolve(from), types.Resolve(to)
	switch v := v.(type) {
	case expr.Secret:
		return expr.Secret{Value: w.in(v.Value, from, to, types)}
	case map[string]any:
		if to.Kind == spec.Union {
			to = w.variantIn(v, to, types)
		}
		if from.Kind == spec.Object {
			return w.declared(v, from, to, types)
		}
		byWire := make(map[string]*spec.Property, len(to.Fields))
		for _, p := range to.Fields {
			byWire[w.name(p)] = p
		}
		renamed := make(map[string]any, len(v))
		for name, item := range v {
			if p := byWire[name]; p != nil {
				renamed[p.Name] = w.in(item, from.Elem, p.Type, types)
			} else if to.Field(name) == nil {
				renamed[name] = w.in(item, from.Elem, to.Elem, types)
			}
		}
		return renamed
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = w.in(item, from.Elem, to.Elem, types)
		}
		return list
	default:
		return v
	}
}

// declared goes on below a struct whose own names are declared ones.
func (w wireRule) declared(v map[string]any, from, to *spec.Type, types spec.Types) any {
	out := make(map[string]any, len(v))
	for name, item := range v {
		var inner, target *spec.Type
		if p := from.Field(name); p != nil {
			inner = p.Type
		}
		if p := to.Field(name); p != nil {
			target = p.Type
		}
		out[name] = w.in(item, inner, target, types)
	}
	return out
}

// variantOf is the struct of a union that a value under declared names is.
func variantOf(v map[string]any, union *spec.Type, types spec.Types) *spec.Type {
	return wireRule("").variantIn(v, union, types)
}

// variantIn is the struct of a union that a value under its names on the wire is.
func (w wireRule) variantIn(v map[string]any, union *spec.Type, types spec.Types) *spec.Type {
	for _, variant := range union.Variants {
		t := types.Resolve(variant)
		p := t.Field(union.Tag)
		if p == nil {
			continue
		}
		for _, literal := range types.Resolve(p.Type).Enum {
			if v[w.name(p)] == literal {
				return t
			}
		}
	}
	return &spec.Type{}
}

// renames reports whether the rule or any @wire changes a name of the type.
func (w wireRule) renames(types spec.Types, root *spec.Type) bool {
	seen := map[*spec.Type]bool{}
	var visit func(t *spec.Type) bool
	visit = func(t *spec.Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if t.Ref != "" && visit(types.Resolve(t)) || visit(t.Elem) {
			return true
		}
		for _, p := range t.Fields {
			if w.name(p) != p.Name || visit(p.Type) {
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

// secrets are the names on the wire of all properties that are secret, however
// deep.
func (n naming) secrets() []string {
	var names []string
	seen := map[*spec.Type]bool{}
	var visit func(t *spec.Type)
	visit = func(t *spec.Type) {
		if t = n.types.Resolve(t); seen[t] {
			return
		}
		seen[t] = true
		for _, p := range t.Fields {
			if p.Secret && !slices.Contains(names, n.rule.name(p)) {
				names = append(names, n.rule.name(p))
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
