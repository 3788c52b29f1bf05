package value

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// refitMembers makes each member of a map fit the checker that is its own. One
// without a checker stays as it is, or is left out.
func refitMembers(values property.Map, each iter.Seq2[string, property.Value], of func(name string) (own *Type, stays bool)) (rebuilt, error) {
	out := rebuilt{of: values}
	for name, v := range each {
		own, stays := of(name)
		switch {
		case own != nil:
			fitting, changed, err := own.refit(v)
			if err != nil {
				return out, RefitWithin(Join("", name), err)
			}
			if changed {
				out.set(name, fitting)
			}
		case !stays:
			out.drop(name)
		}
	}
	return out, nil
}

// refit makes a recorded value fit the type, and says whether that changed it.
// Bounds and patterns do not count: they are for what is yet to come.
func (c *Type) refit(v property.Value) (_ property.Value, changed bool, err error) {
	if v.IsNull() || v.IsComputed() {
		return v, false, nil
	}
	switch c.Spec.Kind {
	case spec.Object, spec.Map:
		if v.IsMap() {
			return c.refitMap(v)
		}
	case spec.List:
		if v.IsArray() {
			return c.refitItems(v)
		}
	case spec.Union:
		return c.refitUnion(v)
	default:
		if c.takes(v) {
			return v, false, nil
		}
		if scalar, ok := c.converted(v); ok {
			return scalar, true, nil
		}
	}
	// The value may be secret, so its kind alone is told.
	return v, false, &refitError{is: (&Findings{hidden: 1}).kindOf(v) + ", and " + Describe(c.Spec) + " is wanted"}
}

// refitError reports a recorded value that does not fit its type. Its path is made where
// there is an error only: a state is refitted in nearly every call.
type refitError struct{ path, is string }

func (e *refitError) Error() string { return e.path + " is " + e.is }

// RefitWithin puts what a value is in before the path of a refitError.
func RefitWithin(outer string, err error) error {
	var e *refitError
	if !errors.As(err, &e) {
		return err
	}
	if e.path != "" && !strings.HasPrefix(e.path, "[") {
		outer += "."
	}
	return &refitError{path: outer + e.path, is: e.is}
}

// refitMap makes a struct's members fit, or a map's.
func (c *Type) refitMap(v property.Value) (property.Value, bool, error) {
	of := func(string) (*Type, bool) { return c.elem, true }
	if c.Spec.Kind == spec.Object {
		of = func(name string) (*Type, bool) {
			if m := c.ByName[name]; m != nil {
				return m.Check, true
			}
			return nil, c.Spec.Open
		}
	}
	out, err := refitMembers(v.AsMap(), v.AsMap().AllStable, of)
	if err != nil {
		return v, false, err
	}
	fitting, changed := out.value(v)
	return fitting, changed, nil
}

func (c *Type) refitItems(v property.Value) (property.Value, bool, error) {
	if c.elem == nil {
		return v, false, nil
	}
	items, changed := v.AsArray().AsSlice(), false
	for i, value := range items {
		fitting, is, err := c.elem.refit(value)
		if err != nil {
			return v, false, RefitWithin("["+strconv.Itoa(i)+"]", err)
		}
		items[i], changed = fitting, changed || is
	}
	if !changed {
		return v, false, nil
	}
	return property.WithGoValue(v, property.NewArray(items)), true, nil
}

// refitUnion fits a value to the variant that it is. What is of no variant's kind is
// fitted to the first that takes it in another one (7 for "7").
func (c *Type) refitUnion(v property.Value) (property.Value, bool, error) {
	i := types.Variant(c.Spec, shape{v}, c.types)
	if i >= 0 {
		fitting, changed, err := c.variants[i].refit(v)
		if err == nil || c.Spec.Tag != "" && v.IsMap() {
			return fitting, changed, err
		}
	}
	if i == types.NoVariant && c.Spec.Tag != "" && v.IsMap() {
		return v, false, &refitError{is: "none of what is declared: " + Describe(c.Spec)}
	}
	for _, variant := range c.variants {
		if fitting, changed, err := variant.refit(v); err == nil {
			return fitting, changed, nil
		}
	}
	return v, false, &refitError{is: "none of what is declared: " + Describe(c.Spec)}
}

// converted is a scalar in the type's kind, where it says the same there: what
// Terraform does for the states of older schemas, too.
func (c *Type) converted(v property.Value) (property.Value, bool) {
	switch {
	case c.Spec.Kind == spec.String && (v.IsNumber() || v.IsBool()):
		return property.WithGoValue(v, literalText(v)), true
	case v.IsString() && slices.Contains([]spec.Kind{spec.Bool, spec.Int, spec.Number}, c.Spec.Kind):
		scalar, err := FromText(v.AsString(), c.Spec, 1)
		if err != nil || !c.takes(scalar) || literalText(scalar) != v.AsString() {
			return v, false
		}
		return scalar.WithSecret(v.Secret()).WithDependencies(v.Dependencies()), true
	default:
		return v, false
	}
}

// literalText is a number or truth value as text.
func literalText(v property.Value) string {
	if v.IsBool() {
		return strconv.FormatBool(v.AsBool())
	}
	text, _ := Text(Untyped.PlainNumber(v.AsNumber()))
	return text
}

// Lacks reports whether a recorded value lacks what its type requires: itself, or a
// member at any depth.
func (c *Type) Lacks(v property.Value) bool {
	if v.IsNull() {
		return !c.Spec.Nullable && c.Spec.Kind != spec.Any
	}
	switch c = c.variantOf(v); {
	case v.IsMap():
		for _, m := range c.Fields {
			if m.Required && m.Check.Lacks(v.AsMap().Get(m.Name)) {
				return true
			}
		}
		for name, item := range v.AsMap().All {
			if c.elem != nil && c.ByName[name] == nil && c.elem.Lacks(item) {
				return true
			}
		}
	case v.IsArray() && c.elem != nil:
		return slices.ContainsFunc(v.AsArray().AsSlice(), c.elem.Lacks)
	}
	return false
}

// RefitEach makes the members of a recorded object fit their properties. What no property
// has is left out, but for what begins with two underscores.
func RefitEach(values property.Map, each iter.Seq2[string, property.Value], memberOf func(string) *Member) (property.Map, error) {
	out, err := refitMembers(values, each, func(name string) (*Type, bool) {
		if m := memberOf(name); m != nil && !strings.HasPrefix(name, "__") {
			return m.Check, true
		}
		return nil, strings.HasPrefix(name, "__")
	})
	if err != nil || out.changed == nil {
		return values, err
	}
	return property.NewMap(out.changed), nil
}
