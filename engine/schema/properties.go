package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// side is the direction of values: from the program, or to it.
type side uint8

const (
	input side = iota + 1
	output
	// within is inside an output. A type may be used for inputs and outputs, so its
	// members are described like inputs, with their defaults. Only the names differ.
	within
)

// properties returns the properties of an object, and which are required. base is the
// prefix of the names of nested types.
func (g *typeGenerator) properties(t *spec.Type, base string, s side) (map[string]property, []string) {
	if t == nil || len(t.Fields) == 0 {
		return nil, nil
	}
	properties := make(map[string]property, len(t.Fields))
	var required []string
	// Sorted by name, so that the resolution of name collisions does not depend on the order.
	fields := slices.SortedFunc(slices.Values(t.Fields), func(a, b *spec.Property) int {
		return compareNames(a.Name, b.Name)
	})
	for _, f := range fields {
		properties[f.Name] = g.property(f, base, s)
		if isRequired(f, g.named, s) {
			required = append(required, f.Name)
		}
	}
	return properties, required
}

// isRequired reports whether SDKs enforce a property. Pulumi cannot distinguish null
// from absent, so a nullable property is not required. A setting with an environment
// variable may be absent from the program. An output is always present if it is
// declared so, or if it is an input that Check completes.
func isRequired(f *spec.Property, types spec.Types, s side) bool {
	if types.Resolve(f.Type).Nullable {
		return false
	}
	if s == output && (f.Default != nil || f.Autoname != nil) {
		return true
	}
	return f.Required && len(f.Env) == 0 && f.Autoname == nil && f.DefaultExpr == nil
}

func (g *typeGenerator) property(f *spec.Property, base string, s side) property {
	p := property{
		typeSpec:           g.typeSpec(f.Type, place{base: base + names.Pascal(f.Name), doc: f.Doc, side: s}),
		Description:        g.documented(f),
		DeprecationMessage: f.Deprecated,
		Secret:             f.IsSecret(),
		Language:           languageNames(f.Names),
	}
	// The generator of programs, which pulumi import calls, fails for a constant that is an integer.
	if t := g.named.Resolve(f.Type); f.Required && f.Default == nil && !t.Nullable && len(t.Enum) == 1 && isPrimitive(p.Type) && t.Kind != spec.Int {
		p.Const = scalar(t.Enum[0], p.Type)
	}
	if s == output {
		return p
	}
	p.WillReplaceOnChanges = f.Replace // for the docs: the SDK would replace by replaceOnChanges whatever Diff says
	p.Default = g.defaultOf(f, p.typeSpec)
	if len(f.Env) > 0 && g.primitiveOf(p.typeSpec) != "" {
		p.DefaultInfo = &defaultInfo{Environment: f.Env}
	}
	return p
}

// defaultOf returns the default if a schema can represent it: a scalar, and for an
// enum one of its values. Check sets other defaults.
func (g *typeGenerator) defaultOf(f *spec.Property, t typeSpec) any {
	value := scalar(f.Default, g.primitiveOf(t))
	if value == nil {
		return nil
	}
	if enum := g.named.Resolve(f.Type).Enum; len(enum) > 0 && !slices.Contains(enum, f.Default) {
		return nil
	}
	return value
}

// primitiveOf returns the primitive type of a type's values, or "".
func (g *typeGenerator) primitiveOf(t typeSpec) string {
	if isPrimitive(t.Type) {
		return t.Type
	}
	if def, ok := g.types[refToken(t.Ref)]; ok && len(def.Enum) > 0 {
		return def.Type
	}
	return ""
}

func isPrimitive(name string) bool {
	return name == "string" || name == "boolean" || name == "integer" || name == "number"
}

// scalar returns a literal if a schema accepts it for a primitive type, otherwise
// nil. Integers in Pulumi's schemas have 32 bits.
func scalar(literal any, primitive string) any {
	switch v := literal.(type) {
	case string:
		if primitive == "string" {
			return v
		}
	case bool:
		if primitive == "boolean" {
			return v
		}
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil
		}
		if primitive == "number" || primitive == "integer" && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
			return v
		}
	}
	return nil
}

// languageNames returns the author's names of a property in programming languages.
// Terraform is not one of them.
func languageNames(names map[string]string) map[string]any {
	out := map[string]any{}
	for language, name := range names {
		if language != "terraform" {
			out[language] = map[string]any{"name": name}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// plainObject returns an object that does not belong to a resource, so that no change
// of it requires replacement.
func (g *typeGenerator) plainObject(t *spec.Type, base string, s side) *objectType {
	out := &objectType{Type: "object"}
	out.Properties, out.Required = g.properties(t, base, s)
	for name, p := range out.Properties {
		p.WillReplaceOnChanges = false
		out.Properties[name] = p
	}
	return out
}
