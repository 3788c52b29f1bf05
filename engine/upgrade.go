package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// upgrade converts a recorded state to the spec's `schemaVersion`, one version after the
// other. Pulumi has no call for that, so each call that receives a state converts it first.
func (l stateLoader) upgrade(ctx context.Context, s recorded.State) (recorded.State, error) {
	have, want := s.Private.SchemaVersion, l.res.Spec.SchemaVersion
	if have > want {
		return s, fmt.Errorf("the state of this %s was written by a newer spec (schemaVersion %d, this one has %d); use that spec or a later one",
			l.res.Spec.Name, have, want)
	}
	if have == want || s.Inputs.Len() == 0 && s.Outputs.Len() == 0 { // an import has no state yet
		s.Private.SchemaVersion = want
		return s, nil
	}
	secrets := value.Secrets{Paths: slices.Clone(l.resources.ConfigSecrets.Paths), Values: slices.Clone(l.resources.ConfigSecrets.Values)}
	old := value.Untyped.PlainMap(s.Inputs, []string{"old"}, &secrets)
	maps.Copy(old, value.Untyped.PlainMap(s.Outputs, []string{"old"}, &secrets))
	vars := l.resources.Vars(ctx, map[string]any{"config": l.resources.Config, "old": old})
	vars.Secrets = secrets.Paths
	var shape any // the inputs and outputs after the last upgrade; nil if no version has one
	for version := have; version < want; version++ {
		v := l.res.Upgrades[version]
		if v == nil {
			continue
		}
		out, err := v.Eval(vars)
		if err != nil {
			return s, fmt.Errorf("the state of this %s cannot be converted from schemaVersion %d to %d: %w", l.res.Spec.Name, version, version+1, screen.NewMask(secrets.Values).Error(err))
		}
		next, ok := expr.Reveal(out, secrets.AddPlain).(map[string]any)
		if !ok {
			return s, fmt.Errorf("upgrade %d of %s yields %s, and must yield an object", version, l.res.Spec.Name, actions.KindOf(out))
		}
		moved := value.Secrets{Paths: slices.Clone(l.resources.ConfigSecrets.Paths)}
		moved.MarkSecrets(out, []string{"old"})
		shape, vars.Values["old"], vars.Secrets = out, next, moved.Paths
	}
	if shape == nil {
		s.Private.SchemaVersion = want
		return s, nil
	}
	m := screen.NewMask(secrets.Values)
	s, err := upgraded(l.res, s, shape, m)
	return s, m.Error(err)
}

// upgraded is the state of the new shape.
func upgraded(r *plan.Resource, s recorded.State, shape any, m *screen.Mask) (recorded.State, error) {
	inputs, err := r.Inputs.Project(shape, m)
	if err != nil {
		return s, fmt.Errorf("the upgraded state of %s: %w", r.Spec.Name, err)
	}
	outputs, err := r.Outputs.Project(shape, m)
	if err != nil {
		return s, fmt.Errorf("the upgraded state of %s: %w", r.Spec.Name, err)
	}
	s.Inputs = property.NewMap(inputs.Values)
	s.Outputs = recorded.WithInputs(s.Inputs, outputs.Values)
	s.Private.SchemaVersion = r.Spec.SchemaVersion
	s.Private.Written = nil // it has the old shape
	return s, nil
}
