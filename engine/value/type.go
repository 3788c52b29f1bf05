// Package value converts and checks the values of a provider's properties according
// to their declared types: between the host, the operations of a spec, and what these
// send and receive. It does not depend on resources or operations.
//
// Inputs, state and outputs are property.Value of Pulumi's SDK. Inside an operation,
// values are plain Go: nil, bool, string, int64, float64, json.Number, []any,
// map[string]any, *spec.File, expr.Unknown and expr.Secret.
package value

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/expr"
)

// Type is a declared type, prepared for checking values: with references resolved,
// patterns compiled and members by name. A check takes microseconds, instead of
// hundreds with CUE.
type Type struct {
	Spec     *spec.Type
	elem     *Type
	Fields   []*Member
	ByName   map[string]*Member
	variants []*Type
	types    spec.Types // for the variants of a union
	patterns []*budget.Regexp
	keys     []*budget.Regexp
}

// Member is a property of an object.
type Member struct {
	*spec.Property
	Check *Type
	// Fallback is the default of the property as a property.Value, or null.
	Fallback property.Value
	// EqualRule is the @equal template, or nil.
	EqualRule *expr.Value
}

// Builder prepares types. It prepares each named type once, so that recursive types
// are possible.
type Builder struct {
	types spec.Types
	// equal compiles the @equal template of a property.
	equal func(p *spec.Property) *expr.Value
	named map[string]*Type
}

// NewBuilder returns a builder for types that refer to the named types. It calls
// equal for each property with an @equal template.
func NewBuilder(types spec.Types, equal func(p *spec.Property) *expr.Value) *Builder {
	return &Builder{types: types, equal: equal, named: map[string]*Type{}}
}

// Build prepares a type. A nil type allows any value.
func (b *Builder) Build(t *spec.Type) *Type {
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
		out.elem = b.Build(t.Elem)
	}
	for _, p := range t.Fields {
		m := &Member{Property: p, Check: b.Build(p.Type)}
		if p.Default != nil {
			m.Fallback = fromLiteral(p.Default).WithSecret(p.IsSecret())
		}
		if p.EqualExpr != nil {
			m.EqualRule = b.equal(p)
		}
		out.Fields = append(out.Fields, m)
		out.ByName[p.Name] = m
	}
	for _, v := range t.Variants {
		out.types = b.types
		out.variants = append(out.variants, b.Build(v))
	}
	for _, p := range t.Patterns {
		out.patterns = append(out.patterns, budget.MustCompile(p.Regexp))
	}
	for _, k := range t.Keys {
		out.keys = append(out.keys, budget.MustCompile(k))
	}
	return out
}

// UnknownMembers returns the properties of an object with unknown values.
func (c *Type) UnknownMembers() property.Map {
	values := make(map[string]property.Value, len(c.Fields))
	for _, m := range c.Fields {
		values[m.Name] = property.New(property.Computed).WithSecret(m.IsSecret())
	}
	return property.NewMap(values)
}

// UnknownPaths returns the paths of the unknown parts of a value. m is the property
// of the value, or nil. A value that is only compared as a whole is one part.
func (c *Type) UnknownPaths(m *Member, v property.Value, at string) (paths []string) {
	switch {
	case !v.HasComputed():
	case v.IsMap() && (m == nil || m.EqualExpr == nil):
		c = c.variantOf(v)
		for name, item := range v.AsMap().AllStable {
			paths = append(paths, c.Child(name).UnknownPaths(c.Member(name), item, Join(at, name))...)
		}
	case v.IsArray() && (m == nil || m.EqualExpr == nil && !m.Set && m.Key == ""):
		c = c.variantOf(v)
		for i, item := range v.AsArray().All {
			paths = append(paths, c.Child("").UnknownPaths(nil, item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	default:
		paths = []string{at}
	}
	return paths
}
