package engine

import (
	"fmt"
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec/expr"
)

// upgrade brings a recorded state to the spec's `schemaVersion`, one version
// after the other. Hosts have no call for it, so every call that gets a state
// does it first.
func (e *Engine) upgrade(res *resource, s State) (State, error) {
	have, want := s.Private.SchemaVersion, res.spec.SchemaVersion
	if have > want {
		return s, fmt.Errorf("the state of this %s was written by a newer spec (schemaVersion %d, this one has %d); use that spec or a later one",
			res.spec.Name, have, want)
	}
	if have == want || s.Inputs.Len() == 0 && s.Outputs.Len() == 0 {
		return s, nil
	}
	var secrets secretPaths
	old := untyped.plainMap(s.Inputs, []string{"old"}, &secrets)
	maps.Copy(old, untyped.plainMap(s.Outputs, []string{"old"}, &secrets))
	vars := &expr.Vars{Values: map[string]any{"config": e.plainConfig}, Secrets: secrets.paths}
	for version := have; version < want; version++ {
		v := res.upgrades[version]
		if v == nil {
			continue // nothing of the shape changed
		}
		vars.Values["old"] = old
		out, err := v.Eval(vars)
		if err != nil {
			return s, fmt.Errorf("the state of this %s cannot be brought from schemaVersion %d to %d: %w", res.spec.Name, version, version+1, err)
		}
		next, ok := expr.Reveal(out, func(v any) { collect(&secrets, v) }).(map[string]any)
		if !ok {
			return s, fmt.Errorf("upgrade %d of %s yields %s, and an object is wanted", version, res.spec.Name, kindOfPlain(out))
		}
		old = next
	}
	return res.upgraded(s, old, newMask(secrets.values))
}

func collect(s *secretPaths, v any) {
	if text, err := textOf(v); err == nil {
		s.values = append(s.values, text)
	}
}

// upgraded is the state of the new shape.
func (r *resource) upgraded(s State, shape map[string]any, m *mask) (State, error) {
	inputs, err := r.inputs.project(shape, m)
	if err != nil {
		return s, fmt.Errorf("the upgraded state of %s: %w", r.spec.Name, err)
	}
	outputs, err := r.outputs.project(shape, m)
	if err != nil {
		return s, fmt.Errorf("the upgraded state of %s: %w", r.spec.Name, err)
	}
	s.Inputs = property.NewMap(inputs.values)
	s.Outputs = withInputs(s.Inputs, outputs.values)
	s.Private.SchemaVersion = r.spec.SchemaVersion
	return s, nil
}
