package rest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/names"
)

// access returns the expression suffix for a member.
func access(name string) string {
	if block.Identifiers.Pattern.MatchString(name) {
		return "." + name
	}
	quoted, _ := json.Marshal(name) // a string is always encoded
	return "[" + string(quoted) + "]"
}

// accessAll returns the expression suffix for a path of members.
func accessAll(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteString(access(name))
	}
	return b.String()
}

// ofBodyOrNull returns the expression for a path of members of an untyped body. Without a body, it is null.
func ofBodyOrNull(path []string) string {
	suffix := accessAll(path)
	if strings.HasPrefix(suffix, "[") {
		suffix = "." + suffix
	}
	if suffix == "" {
		return "body"
	}
	return "body?" + suffix
}

// declaredNames returns the names that the members of a path have in the type that
// `wrap` returns.
func declaredNames(path []string) []string {
	declared := make([]string, len(path))
	for i, name := range path {
		declared[i] = name
		if !block.Identifiers.Pattern.MatchString(name) {
			declared[i] = names.Suggest(name, false)
		}
	}
	return declared
}

// wrap returns the type of a response that has a value of type t at a path of names on
// the wire, and any other members. rule is the naming rule of the resource.
func wrap(t *spec.Type, path []string, rule string) *spec.Type {
	declared := declaredNames(path)
	for i, name := range slices.Backward(path) {
		p := &spec.Property{Name: declared[i], Type: t, Required: true}
		if spec.WireName(rule, p.Name) != name {
			p.Wire = name
		}
		t = &spec.Type{Kind: spec.Object, Open: true, Fields: []*spec.Property{p}}
	}
	return t
}

// memberOf returns the expression suffix for the member of a type at a path of names on
// the wire. rule is the naming rule of the resource. ok is false if the type does not
// have the member.
func memberOf(t *spec.Type, path []string, rule string, types spec.Types) (suffix string, ok bool) {
	if len(path) == 0 {
		return "", true
	}
	t = types.Resolve(t)
	if t.Kind != spec.Object {
		return accessAll(path), t.Kind == spec.Any || t.Kind == spec.Map || t.Kind == spec.Union
	}
	for _, p := range t.Fields {
		wire := p.WirePath(rule)
		if n := len(wire); n <= len(path) && slices.Equal(wire, path[:n]) {
			inner, ok := memberOf(p.Type, path[n:], rule, types)
			return access(p.Name) + inner, ok
		}
	}
	return accessAll(path), t.Open
}

// wireNames returns the dotted paths on the wire of the members of a type, for remedies.
func wireNames(t *spec.Type, rule string, types spec.Types) []string {
	t = types.Resolve(t)
	list := make([]string, len(t.Fields))
	for i, p := range t.Fields {
		list[i] = strings.Join(p.WirePath(rule), ".")
	}
	return list
}
