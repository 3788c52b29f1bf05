package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/reserved"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
	"github.com/declprov/declprov/spec/types"
)

// Projection is what of an operation's yield fits the declared properties.
type Projection struct {
	Values map[string]property.Value
	// missing are the required properties that the yield has not.
	Missing []string
	// lost are the properties whose values are not to be had, each in the error.
	Lost []string
}

// Project fits what an operation yields onto an object's properties, by name.
// Null means absent, unless the type says `null |`. What else the yield has is
// left out: the types say what a resource shows.
func (c *Type) Project(yield any, m *screen.Mask) (Projection, error) {
	out := Projection{Values: map[string]property.Value{}}
	var secret bool
	if s, ok := yield.(expr.Secret); ok {
		yield, secret = s.Value, true
	}
	if _, ok := yield.(expr.Unknown); ok {
		for _, p := range c.Fields {
			out.Values[p.Name] = property.New(property.Computed)
		}
		return out, nil
	}
	object, ok := yield.(map[string]any)
	if !ok && yield != nil {
		return out, fmt.Errorf("it yields %s, and an object is wanted; say what it yields with `return`", actions.KindOf(yield))
	}
	err := (&projector{m}).fit(c, object, "", &out)
	for name, value := range out.Values {
		out.Values[name] = value.WithSecret(value.Secret() || secret)
	}
	return out, err
}

// fit fits the members of an object at a path onto the declared ones. One that does
// not fit is left out: the others are worth recording all the same.
func (p *projector) fit(c *Type, object map[string]any, path string, out *Projection) error {
	var failed error
	for _, m := range c.Fields {
		v, given := object[m.Name]
		if v == nil && (m.Check.Spec.Nullable || given && m.Check.Spec.Kind == spec.Any) {
			out.Values[m.Name] = property.Value{} // null is a value of it
			continue
		}
		if v == nil {
			if m.Required {
				out.Missing = append(out.Missing, m.Name)
			}
			continue
		}
		value, err := p.value(m.Check, v, Join(path, m.Name))
		if err != nil {
			failed, out.Lost = errors.Join(failed, err), append(out.Lost, m.Name)
			continue
		}
		out.Values[m.Name] = value.WithSecret(value.Secret() || m.Secret || m.Ephemeral)
	}
	return failed
}

// FromPlain makes a host's value of a plain one, as Project does with each member.
func (c *Type) FromPlain(v any, path string, m *screen.Mask) (property.Value, error) {
	return (&projector{m}).value(c, v, path)
}

// projector makes values of plain ones. What equals a secret of the mask becomes secret.
type projector struct{ mask *screen.Mask }

// value makes a host's value of a plain one, by its declared type. A text that
// equals a secret that was sent becomes secret.
func (p *projector) value(c *Type, v any, path string) (property.Value, error) {
	switch v := v.(type) {
	case nil:
		return property.Value{}, nil
	case expr.Unknown:
		return property.New(property.Computed), nil
	case expr.Secret:
		inner, err := p.value(c, v.Value, path)
		return inner.WithSecret(true), err
	}
	if c.Spec.Kind == spec.Union {
		return p.union(c, v, path)
	}
	switch v := v.(type) {
	case bool:
		return property.New(v), c.want(path, v, spec.Bool)
	case string:
		if reserved.Text(v) {
			return property.Value{}, &UnrecordableError{path, reserved.TextReason}
		}
		return property.New(v).WithSecret(p.mask.Holds(v)), c.want(path, v, spec.String)
	case int, int64, float64, json.Number:
		return p.number(c, v, path)
	case []any:
		return p.list(c, v, path)
	case map[string]any:
		return p.object(c, v, path)
	case *spec.File:
		return c.fileValue(v, path)
	default:
		return property.Value{}, fmt.Errorf("%s: %s cannot be an output", path, actions.KindOf(v))
	}
}

// fileValue is a file as the host's asset or archive, where one is declared.
func (c *Type) fileValue(f *spec.File, path string) (property.Value, error) {
	kind := spec.Asset
	if f.Archive {
		kind = spec.Archive
	}
	if c.Spec.Kind != kind && c.Spec.Kind != spec.Any {
		return property.Value{}, fmt.Errorf("%s: it yields a file, and %s is declared", path, Describe(c.Spec))
	}
	if f.Archive {
		return property.New(archiveOfFile(f)), nil
	}
	return property.New(assetOfFile(f)), nil
}

// want refuses a value whose kind is not the declared one.
func (c *Type) want(path string, v any, kind spec.Kind) error {
	switch c.Spec.Kind {
	case kind, spec.Any:
		return nil
	case spec.Number:
		if kind == spec.Int {
			return nil
		}
	}
	return fmt.Errorf("%s: it yields %s, and %s is declared", path, actions.KindOf(v), Describe(c.Spec))
}

// number keeps digits where text is declared, and refuses to lose them
// where a number is: a host's numbers are exact up to 2^53 only.
func (p *projector) number(c *Type, v any, path string) (property.Value, error) {
	text, err := Text(v)
	if err != nil {
		return property.Value{}, err
	}
	if c.Spec.Kind == spec.String {
		return property.New(text).WithSecret(p.mask.Is(text)), nil
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
	if c.Spec.Kind == spec.Int && f != math.Trunc(f) {
		return property.Value{}, fmt.Errorf("%s: it yields %s, and an integer is declared", path, text)
	}
	return property.New(f).WithSecret(p.mask.Is(text)), c.want(path, v, spec.Int)
}

func (p *projector) list(c *Type, v []any, path string) (property.Value, error) {
	if err := c.want(path, v, spec.List); err != nil {
		return property.Value{}, err
	}
	out := make([]property.Value, len(v))
	for i, item := range v {
		var err error
		if out[i], err = p.value(c.Under(""), item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return property.Value{}, err
		}
	}
	return property.New(out), nil
}

func (p *projector) object(c *Type, v map[string]any, path string) (property.Value, error) {
	if c.Spec.Kind == spec.Object {
		out := Projection{Values: map[string]property.Value{}}
		err := p.fit(c, v, path, &out)
		if err == nil && out.Missing != nil {
			err = fmt.Errorf("%s: it yields no %s", path, diag.And(out.Missing))
		}
		if err != nil || !c.Spec.Open {
			return property.New(out.Values), err
		}
		return p.open(c, v, path, out.Values)
	}
	if err := c.want(path, v, spec.Map); err != nil {
		return property.Value{}, err
	}
	return p.open(c, v, path, make(map[string]property.Value, len(v)))
}

// open adds the members of a map, or those that an open struct does not declare,
// to the ones that are there.
func (p *projector) open(c *Type, v map[string]any, path string, out map[string]property.Value) (property.Value, error) {
	hidden := false
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if c.ByName[name] != nil {
			continue
		}
		hidden = hidden || p.mask.Holds(name)
		if reserved.Key(name) {
			return property.Value{}, &UnrecordableError{path, reserved.KeyReason}
		}
		if v[name] == nil && c.Spec.Kind != spec.Any {
			continue
		}
		var err error
		if out[name], err = p.value(c.Under(name), v[name], Join(path, name)); err != nil {
			return property.Value{}, err
		}
	}
	return property.New(out).WithSecret(hidden), nil // no mark hides a key alone
}

// union makes a host's value of one of a union. Of what is not known yet which
// variant it is all is secret, where one of the variants has a secret.
func (p *projector) union(c *Type, v any, path string) (property.Value, error) {
	i := types.Variant(c.Spec, types.ShapeOf(v, nil), c.types)
	switch {
	case i >= 0:
		return p.value(c.variants[i], v, path)
	case i == types.Undecided:
		value, err := p.value(Untyped, v, path)
		hedged, _ := c.hedged(value)
		return hedged, err
	}
	anyText := slices.IndexFunc(c.variants, func(t *Type) bool { return t.Spec.Kind == spec.String && len(t.Spec.Enum) == 0 })
	if anyText >= 0 && actions.KindOf(v) == "a number" {
		return p.value(c.variants[anyText], v, path) // where text is declared, a number becomes it
	}
	if members, ok := v.(map[string]any); ok && c.Spec.Tag != "" && members[c.Spec.Tag] != nil {
		return property.Value{}, fmt.Errorf("%s: expected one of %s, which tells the structs of the union apart", Join(path, c.Spec.Tag), diag.Or(quoted(c.tagValues())))
	}
	return property.Value{}, fmt.Errorf("%s: it yields %s, and %s is declared", path, actions.KindOf(v), Describe(c.Spec))
}
