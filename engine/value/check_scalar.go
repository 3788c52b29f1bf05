package value

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// checkScalar checks strings, numbers, booleans, assets and archives. Each rule that
// a value breaks is a separate failure.
func (f *Findings) checkScalar(c *Type, v property.Value, path string) {
	if !c.accepts(v) {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return
	}
	if isPlaceholder(v) {
		f.Add(path, "is the placeholder of `pulumi import`: write the file in its place")
	}
	keeps := func(s string, pattern int) bool {
		return f.matches(c.patterns[pattern], s, path) != c.Spec.Patterns[pattern].Negated || f.exhausted
	}
	for _, b := range types.Breaches(scalarOf(v), c.Spec, keeps) {
		if b.Unlisted {
			known := types.Texts(c.Spec.Enum)
			b.Must = "must be one of " + diag.Or(lists.Map(known, Quote)) + f.suggestion(v, known)
		}
		f.Add(path, "%s", b.Must)
	}
}

// scalarOf returns a boolean, a string or a number as a literal of a type. It returns
// nil for any other value.
func scalarOf(v property.Value) any {
	switch {
	case v.IsBool():
		return v.AsBool()
	case v.IsString():
		return v.AsString()
	case v.IsNumber():
		return v.AsNumber()
	default:
		return nil
	}
}
