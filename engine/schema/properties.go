package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// side says which way values go: from the program, or to it.
type side uint8

const (
	input side = iota + 1
	output
	// within is inside an output. A type may serve both sides, so its members
	// are described as inputs are, with their defaults; only names differ.
	within
)

// properties describes an object's fields and says which are required; base is
// what the names of nested types begin with.
func (g *generator) properties(t *spec.Type, base string, s side) (map[string]property, []string) {
	if t == nil || len(t.Fields) == 0 {
		return nil, nil
	}
	properties := make(map[string]property, len(t.Fields))
	var required []string
	// By name, so that names of types that collide do not depend on the order.
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

// isRequired says what SDKs enforce. Pulumi cannot tell null from absent, so
// nothing that may be null is required. A setting that the environment can give
// need not be in the program. An output is always there if it says so, or if it
// is an input that Check completes.
func isRequired(f *spec.Property, types spec.Types, s side) bool {
	if types.Resolve(f.Type).Nullable {
		return false
	}
	if s == output && (f.Default != nil || f.Autoname != nil) {
		return true
	}
	return f.Required && len(f.Env) == 0 && f.Autoname == nil && f.DefaultExpr == nil
}

func (g *generator) property(f *spec.Property, base string, s side) property {
	p := property{
		typeSpec:           g.typeSpec(f.Type, place{base: base + names.Pascal(f.Name), doc: f.Doc, side: s}),
		Description:        g.documented(f),
		DeprecationMessage: f.Deprecated,
		Secret:             f.Secret || f.Ephemeral,
		ReplaceOnChanges:   f.Replace,
		Language:           languageNames(f.Names),
	}
	if t := g.named.Resolve(f.Type); f.Required && f.Default == nil && !t.Nullable && len(t.Enum) == 1 && isPrimitive(p.Type) {
		p.Const = scalar(t.Enum[0], p.Type)
	}
	if s == output {
		return p
	}
	p.WillReplaceOnChanges = f.Replace
	p.Default = g.defaultOf(f, p.typeSpec)
	if len(f.Env) > 0 && g.primitiveOf(p.typeSpec) != "" {
		p.DefaultInfo = &defaultInfo{Environment: f.Env}
	}
	return p
}

// defaultOf returns the default as far as a schema can say it: scalars only, and an
// enum's only if it is one of its values. Check sets the others.
func (g *generator) defaultOf(f *spec.Property, t typeSpec) any {
	value := scalar(f.Default, g.primitiveOf(t))
	if value == nil {
		return nil
	}
	if enum := g.named.Resolve(f.Type).Enum; len(enum) > 0 && !slices.Contains(enum, f.Default) {
		return nil
	}
	return value
}

// primitiveOf returns the primitive that a value of the type is written as, or "".
func (g *generator) primitiveOf(t typeSpec) string {
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

// scalar returns a literal as a schema takes it for that primitive, or nil where it
// does not: Pulumi's integers have 32 bits in schemas.
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

// languageNames returns the names that the author gives a property in some languages.
// Terraform is not one that Pulumi knows.
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
