package value

import (
	"maps"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// Templates use the declared names of properties. The members of a typed struct are sent
// and received under their wire names (`@wire`, or the `wire` rule of the resource). The
// keys of maps are data, and never renamed.

// Naming maps the declared names of an operation's values to wire names.
type Naming struct {
	Rule  WireRule
	types spec.Types
	// onto is the object type of the operation's result.
	onto *spec.Type
	// Active is true if any name differs on the wire. Otherwise values need not be
	// copied.
	Active bool
}

// NewNaming returns the naming for a result of type onto. sent are the types of other
// values that are sent.
func NewNaming(rule string, named spec.Types, onto *spec.Type, sent ...*spec.Type) Naming {
	n := Naming{Rule: WireRule(rule), types: named, onto: onto}
	n.Active = slices.ContainsFunc(append(sent, onto), func(t *spec.Type) bool { return n.Rule.Renames(named, t) })
	return n
}

// FromWire renames the members of a response to their declared names. from is the
// known type of the response.
func (n Naming) FromWire(v any, from *spec.Type) any {
	if !n.Active {
		return v
	}
	return n.Rule.fromWire(v, from, n.onto, n.types)
}

// ToWire renames the members of a value that is sent to their wire names. Callers
// know for each argument whether any differ (plan.Argument.Renamed), regardless of
// Active.
func (n Naming) ToWire(v any, t *spec.Type) any { return n.Rule.toWire(v, t, n.types) }

// WireRule is the case rule of a resource. "" changes nothing.
type WireRule string

// Name returns the wire name of a property.
func (w WireRule) Name(p *spec.Property) string {
	if p.Wire != "" {
		return p.Wire
	}
	return spec.WireName(string(w), p.Name)
}

// toWire renames the members of typed structs to their wire names. Names that are not
// declared (keys of maps, and names that the author wrote) are sent unchanged. Of two names that
// are the same on the wire, the later one in the type counts, as in merge.
func (w WireRule) toWire(v any, t *spec.Type, named spec.Types) any {
	t = w.narrow(v, named.Resolve(t), named, false)
	switch v := v.(type) {
	case map[string]any:
		if t.Sent != nil && t.Sent.Struct != nil {
			return w.membersToWire(v, t.Sent.Struct, t.Sent.Beneath, named)
		}
		return w.membersToWire(v, t, false, named)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			of := t.Elem
			if t.Sent != nil && len(t.Sent.Items) == len(v) {
				of = t.Sent.Items[i]
			}
			list[i] = w.toWire(item, of, named)
		}
		return list
	default:
		return types.ToWire(v, t)
	}
}

// membersToWire is toWire for the members of a struct of a type. beneath reports that a declared member counts, and not
// an undeclared one that has its name on the wire.
func (w WireRule) membersToWire(v map[string]any, t *spec.Type, beneath bool, named spec.Types) map[string]any {
	renamed := make(map[string]any, len(v))
	deep := false
	undeclared := func() {
		for name, item := range v {
			if t.Field(name) == nil {
				renamed[name] = w.toWire(item, t.Elem, named)
			}
		}
	}
	if beneath {
		undeclared()
	}
	for _, p := range t.Fields {
		item, given := v[p.Name]
		switch {
		case !given:
		case p.AsWritten():
			renamed[p.Name] = w.toWire(item, p.Type, named)
		case p.WireParents != nil:
			deep = true
		default:
			renamed[w.Name(p)] = w.memberToWire(item, p, named)
		}
	}
	if !beneath {
		undeclared()
	}
	for _, p := range t.Fields {
		if item, given := v[p.Name]; given && deep && p.WireParents != nil {
			putAt(renamed, p.WireParents, w.Name(p), w.memberToWire(item, p, named))
		}
	}
	return renamed
}

// memberToWire is toWire for the value of a property.
func (w WireRule) memberToWire(v any, p *spec.Property, named spec.Types) any {
	v = w.toWire(v, p.Type, named)
	list, ok := v.([]any)
	if !ok || p.WireItem == nil {
		return v
	}
	last := len(p.WireItem) - 1
	objects := make([]any, len(list))
	for i, item := range list {
		object := map[string]any{}
		putAt(object, p.WireItem[:last], p.WireItem[last], item)
		objects[i] = object
	}
	return objects
}

// fromWire renames members from their wire names to their declared names. from is the
// known type of the value: if it is a struct, its names are already the declared
// ones. to is the type of the result.
func (w WireRule) fromWire(v any, from, to *spec.Type, named spec.Types) any {
	if s, ok := v.(expr.Secret); ok {
		return expr.Secret{Value: w.fromWire(s.Value, from, to, named)}
	}
	from = w.narrow(v, named.Resolve(from), named, false)
	to = w.narrow(v, named.Resolve(to), named, !declaresNames(from, named))
	switch v := v.(type) {
	case map[string]any:
		if from.Kind == spec.Object {
			return w.fromDeclared(v, from, to, named)
		}
		return w.membersFromWire(v, from, to, named)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = w.fromWire(item, from.Elem, to.Elem, named)
		}
		return list
	default:
		return types.FromWire(v, to)
	}
}

// membersFromWire is fromWire for the members of a struct of a type, where from has no declared
// names.
func (w WireRule) membersFromWire(v map[string]any, from, to *spec.Type, named spec.Types) map[string]any {
	byWire := make(map[string]*spec.Property, len(to.Fields))
	renamed := make(map[string]any, len(v))
	for _, p := range to.Fields {
		if p.WireParents == nil {
			byWire[w.Name(p)] = p
			continue
		}
		item, found, rest := takeAt(v, p.WireParents, w.Name(p))
		if v = rest; found {
			renamed[p.Name] = w.fromWire(types.AtItems(item, p.WireItem), nil, p.Type, named)
		}
	}
	for name, item := range v {
		if p := byWire[name]; p != nil {
			renamed[p.Name] = w.fromWire(types.AtItems(item, p.WireItem), from.Elem, p.Type, named)
		} else if to.Field(name) == nil {
			renamed[name] = w.fromWire(item, from.Elem, to.Elem, named)
		}
	}
	return renamed
}

// Takes reports whether FromWire, for a value of type from, keeps the member at a path, which
// contains "*" for the items of a list and the values of a map. If the struct that would have the
// member lacks it, known are the names that it has: declared ones in a value that has declared
// names, else those on the wire. If there is no such struct, it returns nil and false.
func (w WireRule) Takes(from, to *spec.Type, path []string, named spec.Types) (known []string, ok bool) {
	lacking, steps := types.Lacking(to, path, named, func(t *spec.Type, i int) (*spec.Property, bool) {
		value, name := typeAt(from, path[:i], named), path[i]
		if value.Field(name) != nil {
			return t.Field(name), !t.Open || t.Field(name) != nil
		}
		return w.propertyNamed(t, name), (!t.Open || t.Field(name) != nil) && value.Kind != spec.Union && !w.hasParent(t, name)
	})
	switch {
	case lacking == nil:
		return nil, true
	case steps < len(path)-1:
		return nil, false
	case typeAt(from, path[:steps], named).Field(path[steps]) != nil:
		return lacking.FieldNames(), false
	}
	for _, p := range lacking.Fields {
		known = append(known, p.WirePath(string(w))[0])
	}
	return known, false
}

// typeAt returns the type at a path in a type: any if it has none.
func typeAt(t *spec.Type, path []string, named spec.Types) *spec.Type {
	t = types.Present(named.Resolve(t), named)
	for _, step := range path {
		t = types.Present(named.Resolve(memberType(t, step)), named)
	}
	return t
}

// memberType returns the type of a member of a struct or map, or of the items of a list.
func memberType(t *spec.Type, step string) *spec.Type {
	if p := t.Field(step); p != nil {
		return p.Type
	}
	return t.Elem
}

// hasParent reports whether a property of a struct is within a member of the wire.
func (w WireRule) hasParent(t *spec.Type, name string) bool {
	return slices.ContainsFunc(t.Fields, func(p *spec.Property) bool { return p.WireParents != nil && p.WireParents[0] == name })
}

// putAt sets a value below parents. It creates missing parents, and copies existing
// ones.
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

// takeAt returns the value below parents, and the map without it. A parent that
// becomes empty is removed, too. A value below a secret is secret.
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

// fromDeclared converts a value of the struct type `from`, whose members already have their
// declared names, to the type `to`.
func (w WireRule) fromDeclared(v map[string]any, from, to *spec.Type, named spec.Types) any {
	out := make(map[string]any, len(v))
	for name, item := range v {
		inner := from.Field(name)
		if inner == nil {
			continue
		}
		out[name] = w.fromWire(item, inner.Type, memberType(to, name), named)
	}
	rest := maps.Clone(v)
	maps.DeleteFunc(rest, func(name string, _ any) bool { return from.Field(name) != nil })
	if from.Open {
		rest = w.takeNested(out, rest, to, named)
	}
	for name, item := range rest {
		w.addUndeclared(out, name, item, from, to, named)
	}
	return out
}

// takeNested adds to out the properties of `to` that are within members of the wire, from what a value
// has beyond its declared members, and returns what is left of that.
func (w WireRule) takeNested(out, rest map[string]any, to *spec.Type, named spec.Types) map[string]any {
	for _, p := range to.Fields {
		if _, there := out[p.Name]; there || p.WireParents == nil {
			continue
		}
		item, found, left := takeAt(rest, p.WireParents, w.Name(p))
		if rest = left; found {
			out[p.Name] = w.fromWire(types.AtItems(item, p.WireItem), nil, p.Type, named)
		}
	}
	return rest
}

// addUndeclared adds to out a member of a value that `from` does not declare. If `from` is an
// open struct, the member still has its wire name, and gets the declared name that `to` has for
// it. A member that is already in out is not replaced.
func (w WireRule) addUndeclared(out map[string]any, name string, item any, from, to *spec.Type, named spec.Types) {
	p := to.Field(name)
	if from.Open {
		if p = w.propertyNamed(to, name); p == nil && to.Field(name) != nil {
			return // an unrelated member with the same name
		}
	}
	target := to.Elem
	if p != nil {
		name, target = p.Name, p.Type
		if from.Open {
			item = types.AtItems(item, p.WireItem)
		}
	}
	if _, there := out[name]; !there {
		out[name] = w.fromWire(item, from.Elem, target, named)
	}
}

// propertyNamed returns the property of a struct whose wire name is the given name, or nil.
// Properties that are within a member of the wire do not count.
func (w WireRule) propertyNamed(t *spec.Type, name string) *spec.Property {
	if i := slices.IndexFunc(t.Fields, func(p *spec.Property) bool { return p.WireParents == nil && w.Name(p) == name }); i >= 0 {
		return t.Fields[i]
	}
	return nil
}

// declaresNames reports whether a type is a struct, or a list or map of structs. The members of
// such a value already have their declared names; those of any other value have wire names.
func declaresNames(t *spec.Type, named spec.Types) bool {
	for depth := 0; depth < 100 && (t.Kind == spec.List || t.Kind == spec.Map); depth++ {
		t = named.Resolve(t.Elem)
	}
	return t.Kind == spec.Object
}

// narrow returns the variant of a union that a value belongs to, or an untyped type
// if it is not known. wire is true if the value has wire names.
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

// SecretNames returns the wire names of all secret properties at any depth.
func (n Naming) SecretNames() []string {
	var names []string
	types.Search(n.onto, func(t *spec.Type, part func(*spec.Type) bool) bool {
		t = n.types.Resolve(t)
		for _, p := range t.Fields {
			if p.IsSecret() && !slices.Contains(names, n.Rule.Name(p)) {
				names = append(names, n.Rule.Name(p))
			}
		}
		return types.InParts(t, part) // false: all parts are visited
	})
	return names
}
