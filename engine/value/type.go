// Package value is about the values of a provider's properties: it holds them against their
// declared types, and takes them between the host, the operations of a spec, and what they
// send and receive. It knows no resources and no operations.
//
// A value at the edges (inputs, state, outputs) is a property.Value of Pulumi's SDK. Inside
// an operation it is plain Go: nil, bool, string, int64, float64, json.Number, []any,
// map[string]any, *spec.File, expr.Unknown and expr.Secret.
package value

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/expr"
)

// Type is a declared type made ready to check values: references followed, patterns
// compiled, members by name. It takes microseconds where CUE takes hundreds.
type Type struct {
	Spec     *spec.Type
	elem     *Type
	Fields   []*Member
	ByName   map[string]*Member
	variants []*Type
	types    spec.Types // those of a union's variants
	patterns []*budget.Regexp
	keys     []*budget.Regexp
}

// Member is a property of an object.
type Member struct {
	*spec.Property
	Check *Type
	// fallback is the property's default, ready to use; null where it has none.
	Fallback property.Value
	// EqualRule is the @equal template, or nil.
	EqualRule *expr.Value
}

// Builder makes types ready to check values; those that are named once, so that types
// that refer to themselves end.
type Builder struct {
	types spec.Types
	// equal compiles the @equal template of a property.
	equal func(p *spec.Property) *expr.Value
	named map[string]*Type
}

// NewBuilder returns a builder that refers to the named types. It calls equal for each
// property with an @equal template.
func NewBuilder(types spec.Types, equal func(p *spec.Property) *expr.Value) *Builder {
	return &Builder{types: types, equal: equal, named: map[string]*Type{}}
}

// Of makes a type ready; nil is that of anything.
func (b *Builder) Of(t *spec.Type) *Type {
	switch {
	case t == nil:
		return b.build(&spec.Type{})
	case t.Ref == "":
		return b.build(t)
	}
	key := fmt.Sprintf("%s/%t", t.Ref, t.Nullable)
	if known := b.named[key]; known != nil {
		return known
	}
	out := &Type{}
	b.named[key] = out
	*out = *b.build(b.types.Resolve(t))
	return out
}

func (b *Builder) build(t *spec.Type) *Type {
	out := &Type{Spec: t, ByName: map[string]*Member{}}
	if t.Elem != nil {
		out.elem = b.Of(t.Elem)
	}
	for _, p := range t.Fields {
		m := &Member{Property: p, Check: b.Of(p.Type)}
		if p.Default != nil {
			m.Fallback = fromLiteral(p.Default).WithSecret(p.Secret || p.Ephemeral)
		}
		if p.EqualExpr != nil {
			m.EqualRule = b.equal(p)
		}
		out.Fields = append(out.Fields, m)
		out.ByName[p.Name] = m
	}
	for _, v := range t.Variants {
		out.types = b.types
		out.variants = append(out.variants, b.Of(v))
	}
	for _, p := range t.Patterns {
		out.patterns = append(out.patterns, budget.MustCompile(p.Regexp))
	}
	for _, k := range t.Keys {
		out.keys = append(out.keys, budget.MustCompile(k))
	}
	return out
}

// Unknown are an object's properties, none of them known.
func (c *Type) Unknown() property.Map {
	values := make(map[string]property.Value, len(c.Fields))
	for _, m := range c.Fields {
		values[m.Name] = property.New(property.Computed).WithSecret(m.Secret)
	}
	return property.NewMap(values)
}

// UnknownPaths returns the paths of what is unknown in a value of the type, which a property
// has (nil for none). What is compared only as a whole counts as a whole.
func (c *Type) UnknownPaths(m *Member, v property.Value, at string) (paths []string) {
	switch {
	case !v.HasComputed():
	case v.IsMap() && (m == nil || m.EqualExpr == nil):
		c = c.variantOf(v)
		for name, item := range v.AsMap().AllStable {
			paths = append(paths, c.Under(name).UnknownPaths(c.Member(name), item, Join(at, name))...)
		}
	case v.IsArray() && (m == nil || m.EqualExpr == nil && !m.Set && m.Key == ""):
		c = c.variantOf(v)
		for i, item := range v.AsArray().All {
			paths = append(paths, c.Under("").UnknownPaths(nil, item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	default:
		paths = []string{at}
	}
	return paths
}
