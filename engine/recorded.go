package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
)

// A spec changes, and the states that its older versions wrote remain. Each call
// that is given a state makes it fit first, or refuses it; none works on a state
// of which it does not know what it says.

// recorded is a state as the host kept it, fit for the spec as it is now. The
// intents that it settles are those of the inputs that were recorded, whatever
// an upgrade makes of them.
func (e *Engine) recorded(ctx context.Context, res *resource, ref Ref, s State) (State, error) {
	e.settleRecorded(res, ref, s)
	s.Private.Unmade = e.unmadeBy(res, ref, s)
	if f := s.Private.Failed; f != nil && len(f.World) > 0 {
		world, err := unrecorded(f.World)
		if err != nil {
			return s, err
		}
		s.Inputs = world
	}
	s, err := e.upgrade(ctx, res, s)
	if err != nil {
		return s, err
	}
	return res.refitted(s)
}

// refitted is the state under the declared types: without what is declared no
// longer, and with the scalars that only changed their kind (7 for "7") in their
// new one. What does not fit is an error; no value is guessed.
func (r *resource) refitted(s State) (State, error) {
	inputs, err := refit(s.Inputs, r.inputs.member)
	if err != nil {
		return s, r.misfit(refitWithin("inputs", err))
	}
	outputs, err := refit(s.Outputs, func(name string) *member {
		if m := r.outputs.member(name); m != nil {
			return m
		}
		return r.inputs.member(name)
	})
	if err != nil {
		return s, r.misfit(refitWithin("outputs", err))
	}
	s.Inputs, s.Outputs = r.withFixedDefaults(inputs), outputs
	return s, nil
}

func (r *resource) misfit(err error) error {
	return fmt.Errorf("the recorded state of this %s does not fit its spec: %w. Another version of the spec wrote it. "+
		"In the spec, raise schemaVersion, and say in upgrade what becomes of such a state", r.spec.Name, err)
}

// withFixedDefaults are inputs with the defaults that they lack and that cannot
// be changed in place: the spec did not have them when the resource was made,
// and to replace it for one would destroy what nobody has changed.
func (r *resource) withFixedDefaults(inputs property.Map) property.Map {
	for _, m := range r.inputs.fields {
		if m.Default == nil || !m.Replace && r.update != nil {
			continue
		}
		if _, given := inputs.GetOk(m.Name); !given && !r.serverMaySet(m.Name) {
			inputs = inputs.Set(m.Name, m.check.complete(m.fallback, "", &findings{}))
		}
	}
	return inputs
}

// serverMaySet reports whether an input is an output, too: it is then not there
// where the program has not set it.
func (r *resource) serverMaySet(name string) bool { return r.outputs.byName[name] != nil }

// refit makes each property of a map fit its member; those without one are left
// out, but for the host's own.
func refit(values property.Map, memberOf func(string) *member) (property.Map, error) {
	fitting, err := refitEach(values, values.All, memberOf)
	if err != nil {
		// Which misfit is told must not change from run to run; sorting is for that.
		return refitEach(values, values.AllStable, memberOf)
	}
	return fitting, nil
}

func refitEach(values property.Map, each iter.Seq2[string, property.Value], memberOf func(string) *member) (property.Map, error) {
	out, err := refitMembers(values, each, func(name string) (*checker, bool) {
		if m := memberOf(name); m != nil && !strings.HasPrefix(name, "__") {
			return m.check, true
		}
		return nil, strings.HasPrefix(name, "__")
	})
	if err != nil || out.changed == nil {
		return values, err
	}
	return property.NewMap(out.changed), nil
}

// refitMembers makes each member of a map fit the checker that is its own. One
// without a checker stays as it is, or is left out.
func refitMembers(values property.Map, each iter.Seq2[string, property.Value], of func(name string) (own *checker, stays bool)) (rebuilt, error) {
	out := rebuilt{of: values}
	for name, v := range each {
		own, stays := of(name)
		switch {
		case own != nil:
			fitting, changed, err := own.refit(v)
			if err != nil {
				return out, refitWithin(join("", name), err)
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
func (c *checker) refit(v property.Value) (_ property.Value, changed bool, err error) {
	if v.IsNull() || v.IsComputed() {
		return v, false, nil
	}
	switch c.t.Kind {
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
		if c.kindFits(v) {
			return v, false, nil
		}
		if scalar, ok := c.converted(v); ok {
			return scalar, true, nil
		}
	}
	// The value may be secret, so its kind alone is told.
	return v, false, &refitError{is: (&findings{hidden: 1}).kindOf(v) + ", and " + describe(c.t) + " is wanted"}
}

// refitError reports a recorded value that does not fit its type. Its path is made where
// there is an error only: a state is refitted in nearly every call.
type refitError struct{ path, is string }

func (e *refitError) Error() string { return e.path + " is " + e.is }

// refitWithin puts what a value is in before the path of a refitError.
func refitWithin(outer string, err error) error {
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
func (c *checker) refitMap(v property.Value) (property.Value, bool, error) {
	of := func(string) (*checker, bool) { return c.elem, true }
	if c.t.Kind == spec.Object {
		of = func(name string) (*checker, bool) {
			if m := c.byName[name]; m != nil {
				return m.check, true
			}
			return nil, c.t.Open
		}
	}
	out, err := refitMembers(v.AsMap(), v.AsMap().AllStable, of)
	if err != nil {
		return v, false, err
	}
	fitting, changed := out.value(v)
	return fitting, changed, nil
}

func (c *checker) refitItems(v property.Value) (property.Value, bool, error) {
	if c.elem == nil {
		return v, false, nil
	}
	items, changed := v.AsArray().AsSlice(), false
	for i, value := range items {
		fitting, is, err := c.elem.refit(value)
		if err != nil {
			return v, false, refitWithin("["+strconv.Itoa(i)+"]", err)
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
func (c *checker) refitUnion(v property.Value) (property.Value, bool, error) {
	i := c.types.Variant(c.t, shape{v})
	if i >= 0 {
		fitting, changed, err := c.variants[i].refit(v)
		if err == nil || c.t.Tag != "" && v.IsMap() {
			return fitting, changed, err
		}
	}
	if i == spec.NoVariant && c.t.Tag != "" && v.IsMap() {
		return v, false, &refitError{is: "none of what is declared: " + describe(c.t)}
	}
	for _, variant := range c.variants {
		if fitting, changed, err := variant.refit(v); err == nil {
			return fitting, changed, nil
		}
	}
	return v, false, &refitError{is: "none of what is declared: " + describe(c.t)}
}

// converted is a scalar in the type's kind, where it says the same there: what
// Terraform does for the states of older schemas, too.
func (c *checker) converted(v property.Value) (property.Value, bool) {
	switch {
	case c.t.Kind == spec.String && (v.IsNumber() || v.IsBool()):
		return property.WithGoValue(v, literalText(v)), true
	case v.IsString() && slices.Contains([]spec.Kind{spec.Bool, spec.Int, spec.Number}, c.t.Kind):
		scalar, err := fromText(v.AsString(), c.t, 1)
		if err != nil || !c.kindFits(scalar) || literalText(scalar) != v.AsString() {
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
	text, _ := textOf(untyped.plainNumber(v.AsNumber()))
	return text
}

// filled are recorded inputs as the templates of an operation see them: with the
// defaults of now, so that what the spec says is always there is there. What an
// import knows has none, because the world will say.
func (r *resource) filled(s State) property.Map {
	if s.Outputs.Len() == 0 {
		return s.Inputs
	}
	return r.inputs.complete(property.New(s.Inputs), "", &findings{}).AsMap()
}
