package engine

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// partialOutputs are the outputs of a create that stopped, as far as what its
// steps have answered says them: what `return` makes of it, or what the last step
// answered, where that is the one that failed.
func (r *run) partialOutputs(m *screen.Mask) map[string]property.Value {
	if r.op.Return == nil && r.failed < len(r.op.Steps)-1 {
		return nil // the last step, which would have said them, did not run
	}
	before := r.Vars.Values
	r.Vars.Values = maps.Clone(before)
	defer func() { r.Vars.Values = before }()
	for _, s := range r.op.Steps[min(r.failed, len(r.op.Steps)):] {
		var answer any = expr.Unknown{}
		if t := plan.Last(r.touched); t != nil && t.answer != nil && t.step == s && s.ForEach == nil && s.Index == r.failed {
			answer = t.answer
		}
		r.SetResult(s, answer)
	}
	yield, err := r.Return(r.op)
	if err != nil {
		return nil
	}
	members, _ := yield.(map[string]any)
	known := map[string]any{}
	for name, v := range members {
		if !expr.HasUnknown(v) {
			known[name] = v
		}
	}
	out, _ := r.res.Outputs.Project(known, m)
	return out.Values
}
