package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// upgrade brings a recorded state to the spec's `schemaVersion`, one version
// after the other. Hosts have no call for it, so every call that gets a state
// does it first.
func (e *Engine) upgrade(ctx context.Context, res *resource, s State) (State, error) {
	have, want := s.Private.SchemaVersion, res.spec.SchemaVersion
	if have > want {
		return s, fmt.Errorf("the state of this %s was written by a newer spec (schemaVersion %d, this one has %d); use that spec or a later one",
			res.spec.Name, have, want)
	}
	if have == want || s.Inputs.Len() == 0 && s.Outputs.Len() == 0 {
		s.Private.SchemaVersion = want
		return s, nil
	}
	secrets := secretPaths{paths: slices.Clone(e.configSecrets.paths), values: slices.Clone(e.configSecrets.values)}
	old := untyped.plainMap(s.Inputs, []string{"old"}, &secrets)
	maps.Copy(old, untyped.plainMap(s.Outputs, []string{"old"}, &secrets))
	vars := e.scope(ctx, map[string]any{"config": e.plainConfig, "old": old})
	vars.Secrets = secrets.paths
	var shape any // nil: nothing of it changed
	for version := have; version < want; version++ {
		v := res.upgrades[version]
		if v == nil {
			continue
		}
		out, err := v.Eval(vars)
		if err != nil {
			return s, fmt.Errorf("the state of this %s cannot be brought from schemaVersion %d to %d: %w", res.spec.Name, version, version+1, screen.NewMask(secrets.values).Error(err))
		}
		next, ok := expr.Reveal(out, secrets.saw).(map[string]any)
		if !ok {
			return s, fmt.Errorf("upgrade %d of %s yields %s, and an object is wanted", version, res.spec.Name, actions.KindOf(out))
		}
		moved := secretPaths{paths: slices.Clone(e.configSecrets.paths)}
		moved.within(out, []string{"old"})
		shape, vars.Values["old"], vars.Secrets = out, next, moved.paths
	}
	if shape == nil {
		s.Private.SchemaVersion = want
		return s, nil
	}
	m := screen.NewMask(secrets.values)
	s, err := res.upgraded(s, shape, m)
	return s, m.Error(err)
}

// upgraded is the state of the new shape.
func (r *resource) upgraded(s State, shape any, m *screen.Mask) (State, error) {
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
