package expr

import (
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// refersToSecret reports whether any reference is to what is declared secret.
func (s *Scope) refersToSecret(refs []Ref) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool {
		i := slices.IndexFunc(s.Names, func(n Name) bool { return n.Name == r.Path[0] })
		if i < 0 {
			return false
		}
		if s.Names[i].Secret {
			return true
		}
		return secretAt(s.Names[i].Type, r.Path[1:], r.Presence, s.Types, map[string]bool{})
	})
}

// secretAt reports whether a path of a type leads through or to a secret
// property or, unless only its presence matters, above one.
func secretAt(t *spec.Type, path []string, presence bool, types spec.Types, seen map[string]bool) bool {
	if t == nil || presence && len(path) == 0 {
		return false
	}
	if t.Ref != "" {
		key := strconv.Itoa(len(path)) + t.Ref
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	t = resolve(t, types)
	step, rest := "*", path
	if len(path) > 0 {
		step, rest = path[0], path[1:]
	}
	for _, f := range t.Fields {
		if (step == "*" || step == f.Name) && (f.Secret || f.Ephemeral || secretAt(f.Type, rest, presence, types, seen)) {
			return true
		}
	}
	for _, v := range t.Variants {
		if secretAt(v, path, presence, types, seen) {
			return true
		}
	}
	return t.Elem != nil && secretAt(t.Elem, rest, presence, types, seen)
}

// outside is a type as it is outside of an expression: times are text there.
func outside(t *spec.Type) *spec.Type {
	switch {
	case t == nil:
		return static().any
	case isTime(t):
		return &spec.Type{Kind: spec.String, Nullable: t.Nullable}
	case t.Ref != "":
		return t
	}
	if !holdsTime(t) {
		return t
	}
	c := *t
	if t.Elem != nil {
		c.Elem = outside(t.Elem)
	}
	c.Fields = slices.Clone(t.Fields)
	for i, f := range c.Fields {
		p := *f
		p.Type = outside(f.Type)
		c.Fields[i] = &p
	}
	c.Variants = slices.Clone(t.Variants)
	for i, v := range c.Variants {
		c.Variants[i] = outside(v)
	}
	return &c
}

// holdsTime reports whether a type that was not declared has a time in it.
func holdsTime(t *spec.Type) bool {
	return t != nil && (isTime(t) || t.Ref == "" && (holdsTime(t.Elem) ||
		slices.ContainsFunc(t.Fields, func(f *spec.Property) bool { return holdsTime(f.Type) }) ||
		slices.ContainsFunc(t.Variants, holdsTime)))
}
