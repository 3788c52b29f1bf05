package engine

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
)

// A spec changes, and the states that its older versions wrote remain. Each call
// that is given a state makes it fit first, or refuses it; none works on a state
// of which it does not know what it says.

// stateLoader makes the states that calls receive for a resource fit its spec.
type stateLoader struct {
	resources *run.Resources
	res       *plan.Resource
	ref       recorded.Ref
}

func (e *Engine) states(res *plan.Resource, ref recorded.Ref) stateLoader {
	return stateLoader{resources: e.resources, res: res, ref: ref}
}

// recorded is a state as the host kept it, fit for the spec as it is now. The
// intents that it settles are those of the inputs that were recorded, whatever
// an upgrade makes of them.
func (l stateLoader) recorded(ctx context.Context, s recorded.State) (recorded.State, error) {
	about := l.resources.Entries(l.res, l.ref, s)
	about.Settle(s)
	s, err := about.Advanced(s)
	s.Private.Unmade = about.UnmadeBy(s)
	if err == nil {
		s, err = about.Interrupted(s)
	}
	if err != nil {
		return s, err
	}
	if s.Inputs, err = s.OriginalInputs(); err != nil {
		return s, err
	}
	s, err = l.upgrade(ctx, s)
	if err != nil {
		return s, err
	}
	return refitted(l.res, s)
}

// refitted is the state under the declared types: without what is declared no
// longer, and with the scalars that only changed their kind (7 for "7") in their
// new one. What does not fit is an error; no value is guessed.
func refitted(r *plan.Resource, s recorded.State) (recorded.State, error) {
	inputs, err := refit(s.Inputs, r.Inputs.Member)
	if err != nil {
		return s, misfitOf(r, value.RefitWithin("inputs", err))
	}
	outputs, err := refit(s.Outputs, func(name string) *value.Member {
		if m := r.Outputs.Member(name); m != nil {
			return m
		}
		return r.Inputs.Member(name)
	})
	if err != nil {
		return s, misfitOf(r, value.RefitWithin("outputs", err))
	}
	s.Inputs, s.Outputs = withFixedDefaults(r, inputs), outputs
	return s, nil
}

func misfitOf(r *plan.Resource, err error) error {
	return fmt.Errorf("the recorded state of this %s does not fit its spec: %w. Another version of the spec wrote it. "+
		"In the spec, raise schemaVersion, and say in upgrade what becomes of such a state", r.Spec.Name, err)
}

// withFixedDefaults are inputs with the defaults that they lack and that cannot
// be changed in place: the spec did not have them when the resource was made,
// and to replace it for one would destroy what nobody has changed.
func withFixedDefaults(r *plan.Resource, inputs property.Map) property.Map {
	for _, m := range r.Inputs.Fields {
		if m.Default == nil || !m.Replace && r.Update != nil {
			continue
		}
		if _, given := inputs.GetOk(m.Name); !given && !r.ServerMaySet(m.Name) {
			inputs = inputs.Set(m.Name, m.Check.Complete(m.Fallback, "", &value.Findings{}))
		}
	}
	return inputs
}

// refit makes each property of a map fit its member; those without one are left
// out, but for the host's own.
func refit(values property.Map, memberOf func(string) *value.Member) (property.Map, error) {
	fitting, err := value.RefitEach(values, values.All, memberOf)
	if err != nil {
		// Which misfit is told must not change from run to run; sorting is for that.
		return value.RefitEach(values, values.AllStable, memberOf)
	}
	return fitting, nil
}
