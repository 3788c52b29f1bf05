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

// refitMembers refits each member of a map to its type. of returns the property and the type of a
// member; if the type is nil, it also returns whether the member stays. An entry of a map has no property.
func refitMembers(values property.Map, each iter.Seq2[string, property.Value], of func(name string) (m *Member, own *Type, stays bool)) (copyOnWrite, error) {
	out := copyOnWrite{original: values}
	for name, v := range each {
		m, own, stays := of(name)
		switch {
		case own != nil:
			fitting, changed, err := own.refit(v)
			if err != nil {
				return out, memberError(m, name, err)
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

// refit converts a recorded value to the type, and reports whether that changed it.
// It ignores bounds and patterns, which only apply to new values.
func (c *Type) refit(v property.Value) (_ property.Value, changed bool, err error) {
	if v.Secret() {
		defer func() { err = withoutKeys(err) }()
	}
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
		if c.accepts(v) {
			return v, false, nil
		}
		if scalar, ok := c.convert(v); ok {
			return scalar, true, nil
		}
	}
	// The value may be secret, so the message only contains its kind.
	return v, false, &refitError{reason: "expected " + Describe(c.Spec) + ", got " + (&Findings{hidden: 1}).kindOf(v)}
}

// refitError reports a recorded value that does not match its type. Its path is only
// built in case of an error, because nearly every call refits a state.
type refitError struct {
	path, reason string
	// keyed is true if the path has a key of a map, and before is the path up to the first one.
	keyed  bool
	before string
}

func (e *refitError) Error() string { return e.path + ": " + e.reason }

// anyKey stands for the keys of a secret map in the path of an error.
const anyKey = "*"

// withoutKeys returns a refitError of a secret: its path has no keys of maps, which are a part of the
// secret.
func withoutKeys(err error) error {
	var e *refitError
	if !errors.As(err, &e) || !e.keyed {
		return err
	}
	return &refitError{path: e.before, reason: e.reason}
}

// memberError returns the error of a member with its name, or of an entry of a map if m is nil.
func memberError(m *Member, name string, err error) error {
	if m != nil && m.IsSecret() {
		err = withoutKeys(err)
	}
	err = RefitWithin(Join("", name), err)
	var e *refitError
	if m == nil && errors.As(err, &e) {
		e.keyed, e.before = true, anyKey
	}
	return err
}

// RefitWithin prepends the path of the containing value to a refitError.
func RefitWithin(outer string, err error) error {
	var e *refitError
	if !errors.As(err, &e) {
		return err
	}
	join := func(path string) string {
		if path != "" && !strings.HasPrefix(path, "[") {
			path = "." + path
		}
		return outer + path
	}
	return &refitError{path: join(e.path), reason: e.reason, keyed: e.keyed, before: join(e.before)}
}

// refitMap refits the members of an object or a map.
func (c *Type) refitMap(v property.Value) (property.Value, bool, error) {
	of := func(string) (*Member, *Type, bool) { return nil, c.elem, true }
	if c.Spec.Kind == spec.Object {
		of = func(name string) (*Member, *Type, bool) {
			if m := c.ByName[name]; m != nil {
				return m, m.Check, true
			}
			return nil, c.elem, c.Spec.Open
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

// refitUnion refits a value to the variant of a union that it belongs to. A value of
// no variant's kind is refitted to the first variant that it can be converted to (7
// for "7").
func (c *Type) refitUnion(v property.Value) (property.Value, bool, error) {
	i := types.Variant(c.Spec, shape{v}, c.types)
	if i >= 0 {
		fitting, changed, err := c.variants[i].refit(v)
		if err == nil || c.Spec.Tag != "" && v.IsMap() {
			return fitting, changed, err
		}
	}
	if i == types.NoVariant && c.Spec.Tag != "" && v.IsMap() {
		return v, false, &refitError{reason: "expected " + Describe(c.Spec)}
	}
	for _, variant := range c.variants {
		if fitting, changed, err := variant.refit(v); err == nil {
			return fitting, changed, nil
		}
	}
	return v, false, &refitError{reason: "expected " + Describe(c.Spec)}
}

// convert converts a scalar to the type's kind if its text remains the same.
// Terraform does the same for states of older schemas.
func (c *Type) convert(v property.Value) (property.Value, bool) {
	switch {
	case c.Spec.Kind == spec.String && (v.IsNumber() || v.IsBool()):
		return property.WithGoValue(v, scalarText(v)), true
	case v.IsString() && slices.Contains([]spec.Kind{spec.Bool, spec.Int, spec.Number}, c.Spec.Kind):
		scalar, err := FromText(v.AsString(), c.Spec, 1)
		if err != nil || !c.accepts(scalar) || scalarText(scalar) != v.AsString() {
			return v, false
		}
		return scalar.WithSecret(v.Secret()).WithDependencies(v.Dependencies()), true
	default:
		return v, false
	}
}

// scalarText returns a number or boolean as text.
func scalarText(v property.Value) string {
	if v.IsBool() {
		return strconv.FormatBool(v.AsBool())
	}
	text, _ := Text(Untyped.PlainNumber(v.AsNumber()))
	return text
}

// Lacks reports whether a recorded value lacks something that its type requires: the
// value itself, or a member at any depth.
func (c *Type) Lacks(v property.Value) bool {
	if v.IsNull() {
		return !mayBeNull(c)
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

// RefitEach refits the members of a recorded object to their properties. It omits
// members without a property, except those that begin with two underscores.
func RefitEach(values property.Map, each iter.Seq2[string, property.Value], memberOf func(string) *Member) (property.Map, error) {
	out, err := refitMembers(values, each, func(name string) (*Member, *Type, bool) {
		if m := memberOf(name); m != nil && !strings.HasPrefix(name, "__") {
			return m, m.Check, true
		}
		return nil, nil, strings.HasPrefix(name, "__")
	})
	if err != nil || out.changed == nil {
		return values, err
	}
	return property.NewMap(out.changed), nil
}
