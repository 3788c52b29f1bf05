package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/reserved"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// projection is what of an operation's yield fits the declared properties.
type projection struct {
	values map[string]property.Value
	// missing are the required properties that the yield has not.
	missing []string
	// lost are the properties whose values are not to be had, each in the error.
	lost []string
}

// project fits what an operation yields onto an object's properties, by name.
// Null means absent, unless the type says `null |`. What else the yield has is
// left out: the types say what a resource shows.
func (c *checker) project(yield any, m *screen.Mask) (projection, error) {
	out := projection{values: map[string]property.Value{}}
	var secret bool
	if s, ok := yield.(expr.Secret); ok {
		yield, secret = s.Value, true
	}
	if _, ok := yield.(expr.Unknown); ok {
		for _, p := range c.fields {
			out.values[p.Name] = property.New(property.Computed)
		}
		return out, nil
	}
	object, ok := yield.(map[string]any)
	if !ok && yield != nil {
		return out, fmt.Errorf("it yields %s, and an object is wanted; say what it yields with `return`", actions.KindOf(yield))
	}
	err := c.fit(object, "", m, &out)
	for name, value := range out.values {
		out.values[name] = value.WithSecret(value.Secret() || secret)
	}
	return out, err
}

// fit fits the members of an object at a path onto the declared ones. One that does
// not fit is left out: the others are worth recording all the same.
func (c *checker) fit(object map[string]any, path string, m *screen.Mask, out *projection) error {
	var failed error
	for _, p := range c.fields {
		v, given := object[p.Name]
		if v == nil && (p.check.t.Nullable || given && p.check.t.Kind == spec.Any) {
			out.values[p.Name] = property.Value{} // null is a value of it
			continue
		}
		if v == nil {
			if p.Required {
				out.missing = append(out.missing, p.Name)
			}
			continue
		}
		value, err := p.check.value(v, join(path, p.Name), m)
		if err != nil {
			failed, out.lost = errors.Join(failed, err), append(out.lost, p.Name)
			continue
		}
		out.values[p.Name] = value.WithSecret(value.Secret() || p.Secret || p.Ephemeral)
	}
	return failed
}

// value makes a host's value of a plain one, by its declared type. A text that
// equals a secret that was sent becomes secret.
func (c *checker) value(v any, path string, m *screen.Mask) (property.Value, error) {
	switch v := v.(type) {
	case nil:
		return property.Value{}, nil
	case expr.Unknown:
		return property.New(property.Computed), nil
	case expr.Secret:
		inner, err := c.value(v.Value, path, m)
		return inner.WithSecret(true), err
	}
	if c.t.Kind == spec.Union {
		return c.unionValue(v, path, m)
	}
	switch v := v.(type) {
	case bool:
		return property.New(v), c.want(path, v, spec.Bool)
	case string:
		if reserved.Text(v) {
			return property.Value{}, &UnrecordableError{path, reserved.TextReason}
		}
		return property.New(v).WithSecret(m.Holds(v)), c.want(path, v, spec.String)
	case int, int64, float64, json.Number:
		return c.numberValue(v, path, m)
	case []any:
		return c.listValue(v, path, m)
	case map[string]any:
		return c.mapValue(v, path, m)
	case *spec.File:
		return c.fileValue(v, path)
	default:
		return property.Value{}, fmt.Errorf("%s: %s cannot be an output", path, actions.KindOf(v))
	}
}

// fileValue is a file as the host's asset or archive, where one is declared.
func (c *checker) fileValue(f *spec.File, path string) (property.Value, error) {
	kind := spec.Asset
	if f.Archive {
		kind = spec.Archive
	}
	if c.t.Kind != kind && c.t.Kind != spec.Any {
		return property.Value{}, fmt.Errorf("%s: it yields a file, and %s is declared", path, describe(c.t))
	}
	if f.Archive {
		return property.New(archiveOfFile(f)), nil
	}
	return property.New(assetOfFile(f)), nil
}

// want refuses a value whose kind is not the declared one.
func (c *checker) want(path string, v any, kind spec.Kind) error {
	switch c.t.Kind {
	case kind, spec.Any:
		return nil
	case spec.Number:
		if kind == spec.Int {
			return nil
		}
	}
	return fmt.Errorf("%s: it yields %s, and %s is declared", path, actions.KindOf(v), describe(c.t))
}

// numberValue keeps digits where text is declared, and refuses to lose them
// where a number is: a host's numbers are exact up to 2^53 only.
func (c *checker) numberValue(v any, path string, m *screen.Mask) (property.Value, error) {
	text, err := textOf(v)
	if err != nil {
		return property.Value{}, err
	}
	if c.t.Kind == spec.String {
		return property.New(text).WithSecret(m.Is(text)), nil
	}
	f, ok := v.(float64)
	if ok {
		ok = !math.IsInf(f, 0) && !math.IsNaN(f)
	} else {
		f, ok = decode.Float(text)
	}
	if !ok {
		return property.Value{}, fmt.Errorf("%s: expected a number that a host can hold to its last digit (a 64-bit float), got %s; declare it as string to keep its digits", path, actions.Clip(text, 40))
	}
	if c.t.Kind == spec.Int && f != math.Trunc(f) {
		return property.Value{}, fmt.Errorf("%s: it yields %s, and an integer is declared", path, text)
	}
	return property.New(f).WithSecret(m.Is(text)), c.want(path, v, spec.Int)
}

func (c *checker) listValue(v []any, path string, m *screen.Mask) (property.Value, error) {
	if err := c.want(path, v, spec.List); err != nil {
		return property.Value{}, err
	}
	out := make([]property.Value, len(v))
	for i, item := range v {
		var err error
		if out[i], err = c.under("").value(item, fmt.Sprintf("%s[%d]", path, i), m); err != nil {
			return property.Value{}, err
		}
	}
	return property.New(out), nil
}

func (c *checker) mapValue(v map[string]any, path string, m *screen.Mask) (property.Value, error) {
	if c.t.Kind == spec.Object {
		p := projection{values: map[string]property.Value{}}
		err := c.fit(v, path, m, &p)
		if err == nil && p.missing != nil {
			err = fmt.Errorf("%s: it yields no %s", path, enumerateAnd(p.missing))
		}
		if err != nil || !c.t.Open {
			return property.New(p.values), err
		}
		return c.openValue(v, path, m, p.values)
	}
	if err := c.want(path, v, spec.Map); err != nil {
		return property.Value{}, err
	}
	return c.openValue(v, path, m, make(map[string]property.Value, len(v)))
}

// openValue adds the members of a map, or those that an open struct does not declare,
// to the ones that are there.
func (c *checker) openValue(v map[string]any, path string, m *screen.Mask, out map[string]property.Value) (property.Value, error) {
	hidden := false
	for _, name := range slices.Sorted(mapKeys(v)) {
		if c.byName[name] != nil {
			continue
		}
		hidden = hidden || m.Holds(name)
		if reserved.Key(name) {
			return property.Value{}, &UnrecordableError{path, reserved.KeyReason}
		}
		if v[name] == nil && c.t.Kind != spec.Any {
			continue
		}
		var err error
		if out[name], err = c.under(name).value(v[name], join(path, name), m); err != nil {
			return property.Value{}, err
		}
	}
	return property.New(out).WithSecret(hidden), nil // no mark hides a key alone
}

// unionValue makes a host's value of one of a union. Of what is not known yet which
// variant it is all is secret, where one of the variants has a secret.
func (c *checker) unionValue(v any, path string, m *screen.Mask) (property.Value, error) {
	i := c.types.Variant(c.t, expr.ShapeOf(v, nil))
	switch {
	case i >= 0:
		return c.variants[i].value(v, path, m)
	case i == spec.Undecided:
		value, err := untyped.value(v, path, m)
		hedged, _ := c.hedged(value)
		return hedged, err
	}
	if text := c.textVariant(); text != nil && actions.KindOf(v) == "a number" {
		return text.value(v, path, m) // where text is declared, a number becomes it
	}
	if members, ok := v.(map[string]any); ok && c.t.Tag != "" && members[c.t.Tag] != nil {
		return property.Value{}, fmt.Errorf("%s: expected one of %s, which tells the structs of the union apart", join(path, c.t.Tag), enumerate(quoted(c.tagValues())))
	}
	return property.Value{}, fmt.Errorf("%s: it yields %s, and %s is declared", path, actions.KindOf(v), describe(c.t))
}

// textVariant is the variant of a union that is any text, or nil.
func (c *checker) textVariant() *checker {
	for _, v := range c.variants {
		if v.t.Kind == spec.String && len(v.t.Enum) == 0 {
			return v
		}
	}
	return nil
}
