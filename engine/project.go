package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// projection is what of an operation's yield fits the declared properties.
type projection struct {
	values map[string]property.Value
	// missing are the required properties that the yield has not.
	missing []string
}

// project fits what an operation yields onto an object's properties, by name.
// Null means absent, unless the type says `null |`. What else the yield has is
// left out: the types say what a resource shows.
func (c *checker) project(yield any, m *mask) (projection, error) {
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

// fit fits the members of an object at a path onto the declared ones.
func (c *checker) fit(object map[string]any, path string, m *mask, out *projection) error {
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
			return err
		}
		out.values[p.Name] = value.WithSecret(value.Secret() || p.Secret || p.Ephemeral)
	}
	return nil
}

// value makes a host's value of a plain one, by its declared type. A text that
// equals a secret that was sent becomes secret.
func (c *checker) value(v any, path string, m *mask) (property.Value, error) {
	switch v := v.(type) {
	case nil:
		return property.Value{}, nil
	case expr.Unknown:
		return property.New(property.Computed), nil
	case expr.Secret:
		inner, err := c.value(v.Value, path, m)
		return inner.WithSecret(true), err
	case bool:
		return property.New(v), c.want(path, v, spec.Bool)
	case string:
		return property.New(v).WithSecret(m.holds(v)), c.want(path, v, spec.String)
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
	if c.t.Kind != kind && c.t.Kind != spec.Any && c.t.Kind != spec.Union {
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
	case spec.Union:
		return nil // which variant it is, is the reader's to see
	case spec.Number:
		if kind == spec.Int {
			return nil
		}
	}
	return fmt.Errorf("%s: it yields %s, and %s is declared", path, actions.KindOf(v), describe(c.t))
}

// numberValue keeps digits where text is declared, and refuses to lose them
// where a number is: a host's numbers are exact up to 2^53 only.
func (c *checker) numberValue(v any, path string, m *mask) (property.Value, error) {
	text, err := textOf(v)
	if err != nil {
		return property.Value{}, err
	}
	if c.t.Kind == spec.String {
		return property.New(text).WithSecret(m.known[text]), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return property.Value{}, fmt.Errorf("%s: %s is no number that a host can hold", path, text)
	}
	whole := f == math.Trunc(f)
	if c.t.Kind == spec.Int && !whole {
		return property.Value{}, fmt.Errorf("%s: it yields %s, and an integer is declared", path, text)
	}
	if whole && math.Abs(f) > maxExact && !strings.ContainsAny(text, ".eE") && strconv.FormatFloat(f, 'f', 0, 64) != text {
		return property.Value{}, fmt.Errorf("%s: %s has more digits than a host's number holds (2^53); declare it as string", path, text)
	}
	return property.New(f).WithSecret(m.known[text]), c.want(path, v, spec.Int)
}

func (c *checker) listValue(v []any, path string, m *mask) (property.Value, error) {
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

func (c *checker) mapValue(v map[string]any, path string, m *mask) (property.Value, error) {
	c = c.variantOf(v)
	if c.t.Kind == spec.Object && !c.t.Open {
		p := projection{values: map[string]property.Value{}}
		err := c.fit(v, path, m, &p)
		if err == nil && p.missing != nil {
			err = fmt.Errorf("%s: it yields no %s", path, enumerateAnd(p.missing))
		}
		return property.New(p.values), err
	}
	if c.t.Kind != spec.Object {
		if err := c.want(path, v, spec.Map); err != nil {
			return property.Value{}, err
		}
	}
	out := make(map[string]property.Value, len(v))
	for _, name := range slices.Sorted(mapKeys(v)) {
		if v[name] == nil && c.t.Kind != spec.Any {
			continue
		}
		value, err := c.under(name).value(v[name], join(path, name), m)
		if err != nil {
			return property.Value{}, err
		}
		p := c.member(name)
		out[name] = value.WithSecret(value.Secret() || p != nil && (p.Secret || p.Ephemeral))
	}
	return property.New(out), nil
}

// variantOf is the checker of the struct that a union's value is, by its tag.
func (c *checker) variantOf(v map[string]any) *checker {
	if c.t.Kind != spec.Union || c.t.Tag == "" {
		return c
	}
	tag, _ := v[c.t.Tag].(string)
	for _, variant := range c.variants {
		if m := variant.member(c.t.Tag); m != nil && slices.Contains(m.check.t.Enum, any(tag)) {
			return variant
		}
	}
	return c
}
