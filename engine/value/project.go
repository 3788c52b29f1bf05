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
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/screen"
	"github.com/declprov/declprov/spec/types"
)

// Projection is the part of an operation's result that matches the declared
// properties.
type Projection struct {
	Values map[string]property.Value
	// Missing are the required properties that the result lacks.
	Missing []string
	// Lost are the properties whose values do not match their types. The error names
	// each.
	Lost []string
}

// Project converts the result of an operation to the properties of an object, by
// name. Null means absent unless the type allows null. Members of the result that the
// type does not declare are omitted.
func (c *Type) Project(yield any, m *screen.Mask) (Projection, error) {
	return (&projector{mask: m}).project(c, yield)
}

// ProjectRead is Type.Project for the value of a read. A property that reads do not return (`@noRead()`, `@ephemeral()`)
// counts as absent if what has its name is of another type: APIs show the names of secrets in place of their values.
func ProjectRead(c *Type, yield any, m *screen.Mask) (Projection, error) {
	return (&projector{mask: m, read: true}).project(c, yield)
}

// project converts the result of an operation.
func (p *projector) project(c *Type, yield any) (Projection, error) {
	out := Projection{Values: map[string]property.Value{}}
	var secret bool
	if s, ok := yield.(expr.Secret); ok {
		yield, secret = s.Value, true
	}
	if _, ok := yield.(expr.Unknown); ok {
		for _, m := range c.Fields {
			out.Values[m.Name] = property.New(property.Computed)
		}
		return out, nil
	}
	object, ok := yield.(map[string]any)
	if !ok && yield != nil {
		return out, fmt.Errorf("the result must be an object, got %s; build one with `return`", actions.KindOf(yield))
	}
	p.secret = secret
	err := p.fit(c, object, "", &out)
	for name, value := range out.Values {
		out.Values[name] = value.WithSecret(value.Secret() || secret)
	}
	return out, err
}

// fit converts the declared members of an object at a path. It omits a member that
// does not match its type, because the others are still worth recording.
func (p *projector) fit(c *Type, object map[string]any, path string, out *Projection) error {
	var failed error
	for _, m := range c.Fields {
		v, given := object[m.Name]
		if v == nil && (m.Check.Spec.Nullable || given && m.Check.Spec.Kind == spec.Any) {
			out.Values[m.Name] = property.Value{} // null is a valid value
			continue
		}
		if v == nil {
			if m.Required {
				out.Missing = append(out.Missing, m.Name)
			}
			continue
		}
		value, err := p.within(m.IsSecret()).convert(m.Check, v, Join(path, m.Name))
		if err != nil && p.ignores(m) {
			if m.Required {
				out.Missing = append(out.Missing, m.Name)
			}
			continue
		}
		if err != nil {
			failed, out.Lost = errors.Join(failed, err), append(out.Lost, m.Name)
			continue
		}
		out.Values[m.Name] = value.WithSecret(value.Secret() || m.IsSecret())
	}
	return failed
}

// FromPlain converts a plain value to a property.Value, as Project does with each
// member.
func (c *Type) FromPlain(v any, path string, m *screen.Mask) (property.Value, error) {
	return (&projector{mask: m}).convert(c, v, path)
}

// projector converts plain values to property.Value. Strings and numbers that are
// equal to a secret of the mask become secret.
type projector struct {
	mask *screen.Mask
	// read is true if the value is that of a read, whose members are converted.
	read bool
	// secret is true within a secret. Errors then do not show the keys of maps, which are a
	// part of it.
	secret bool
}

// ignores reports whether nothing is taken of a member that does not match its type.
func (p *projector) ignores(m *Member) bool { return p.read && (m.NoRead || m.Ephemeral) }

// within returns the projector for a value in this one, which may be secret.
func (p *projector) within(secret bool) *projector {
	if !secret || p.secret {
		return p
	}
	return &projector{mask: p.mask, secret: true}
}

// convert converts a plain value according to its declared type.
func (p *projector) convert(c *Type, v any, path string) (property.Value, error) {
	switch v := v.(type) {
	case nil:
		return property.Value{}, nil
	case expr.Unknown:
		return property.New(property.Computed), nil
	case expr.Secret:
		inner, err := p.within(true).convert(c, v.Value, path)
		return inner.WithSecret(true), err
	}
	if c.Spec.Kind == spec.Union {
		return p.convertUnion(c, v, path)
	}
	switch v := v.(type) {
	case bool:
		return property.New(v), c.checkKind(path, v, spec.Bool)
	case string:
		if reserved.Text(v) {
			return property.Value{}, &UnrecordableError{path, reserved.TextReason}
		}
		return property.New(v).WithSecret(p.mask.Holds(v)), c.checkKind(path, v, spec.String)
	case int, int64, float64, json.Number:
		return p.convertNumber(c, v, path)
	case []any:
		return p.convertList(c, v, path)
	case map[string]any:
		return p.convertObject(c, v, path)
	case *spec.File:
		return c.fileValue(v, path)
	default:
		return property.Value{}, fmt.Errorf("%s: %s cannot be an output", path, actions.KindOf(v))
	}
}

// fileValue returns a file as an asset or archive, if the type declares one.
func (c *Type) fileValue(f *spec.File, path string) (property.Value, error) {
	kind := spec.Asset
	if f.Archive {
		kind = spec.Archive
	}
	if c.Spec.Kind != kind && c.Spec.Kind != spec.Any {
		return property.Value{}, fmt.Errorf("%s: expected %s, got a file", path, Describe(c.Spec))
	}
	if f.Archive {
		return property.New(archiveOfFile(f)), nil
	}
	return property.New(assetOfFile(f)), nil
}

// checkKind returns an error if the kind of a value is not the declared one.
func (c *Type) checkKind(path string, v any, kind spec.Kind) error {
	switch c.Spec.Kind {
	case kind, spec.Any:
		return nil
	case spec.Number:
		if kind == spec.Int {
			return nil
		}
	}
	return fmt.Errorf("%s: expected %s, got %s", path, Describe(c.Spec), actions.KindOf(v))
}

// convertNumber keeps all digits if the type is a string. If it is a number, it
// returns an error for a number that a float64 cannot represent exactly.
func (p *projector) convertNumber(c *Type, v any, path string) (property.Value, error) {
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
		return property.Value{}, fmt.Errorf("%s: expected a number that a 64-bit float represents exactly, got %s; declare it as string to keep its digits", path, actions.Clip(text, 40))
	}
	if c.Spec.Kind == spec.Int && f != math.Trunc(f) {
		return property.Value{}, fmt.Errorf("%s: expected an integer, got %s", path, text)
	}
	return property.New(f).WithSecret(p.mask.Is(text)), c.checkKind(path, v, spec.Int)
}

func (p *projector) convertList(c *Type, v []any, path string) (property.Value, error) {
	if err := c.checkKind(path, v, spec.List); err != nil {
		return property.Value{}, err
	}
	out := make([]property.Value, len(v))
	for i, item := range v {
		var err error
		if out[i], err = p.convert(c.Child(""), item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return property.Value{}, err
		}
	}
	return property.New(out), nil
}

func (p *projector) convertObject(c *Type, v map[string]any, path string) (property.Value, error) {
	if c.Spec.Kind == spec.Object {
		out := Projection{Values: map[string]property.Value{}}
		err := p.fit(c, v, path, &out)
		if err == nil && out.Missing != nil {
			err = fmt.Errorf("%s: missing %s", path, diag.And(out.Missing))
		}
		if err != nil || !c.Spec.Open {
			return property.New(out.Values), err
		}
		return p.addEntries(c, v, path, out.Values)
	}
	if err := c.checkKind(path, v, spec.Map); err != nil {
		return property.Value{}, err
	}
	return p.addEntries(c, v, path, make(map[string]property.Value, len(v)))
}

// addEntries adds the members of a map, or the undeclared members of an open object,
// to out.
func (p *projector) addEntries(c *Type, v map[string]any, path string, out map[string]property.Value) (property.Value, error) {
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
		at := Join(path, name)
		if p.secret {
			at = path + "." + anyKey
		}
		if out[name], err = p.convert(c.Child(name), v[name], at); err != nil {
			return property.Value{}, err
		}
	}
	return property.New(out).WithSecret(hidden), nil // a key alone cannot be secret
}

// convertUnion converts a value of a union. If its variant is not known yet and one
// of the variants contains a secret, the whole value is secret.
func (p *projector) convertUnion(c *Type, v any, path string) (property.Value, error) {
	i := types.Variant(c.Spec, types.ShapeOf(v, nil), c.types)
	switch {
	case i >= 0:
		return p.convert(c.variants[i], v, path)
	case i == types.Undecided:
		value, err := p.convert(Untyped, v, path)
		hedged, _ := c.markUndecided(value)
		return hedged, err
	}
	anyText := slices.IndexFunc(c.variants, func(t *Type) bool { return t.Spec.Kind == spec.String && len(t.Spec.Enum) == 0 })
	if anyText >= 0 && actions.KindOf(v) == "a number" {
		return p.convert(c.variants[anyText], v, path) // a number becomes a string if that is declared
	}
	if members, ok := v.(map[string]any); ok && c.Spec.Tag != "" && members[c.Spec.Tag] != nil {
		return property.Value{}, fmt.Errorf("%s: expected one of %s, which select the variant of the union", Join(path, c.Spec.Tag), diag.Or(lists.Map(c.tagValues(), Quote)))
	}
	return property.Value{}, fmt.Errorf("%s: expected %s, got %s", path, Describe(c.Spec), actions.KindOf(v))
}
