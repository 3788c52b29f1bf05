package outputs

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// Partial returns the outputs of a failed create that can be evaluated from the responses
// so far: the members of `return`, or of the response of the last step if that failed.
func Partial(r *operation.Run, m *screen.Mask) map[string]property.Value {
	if r.Operation.Return == nil && r.Failed < len(r.Operation.Steps)-1 {
		return nil // the last step, which would have said them, did not run
	}
	defer r.Branch()()
	for _, s := range r.Operation.Steps[min(r.Failed, len(r.Operation.Steps)):] {
		var answer any = expr.Unknown{}
		if s.Index == r.Failed {
			if last := r.LastAnswer(s); last != nil {
				answer = last
			}
		}
		r.SetResult(s, answer)
	}
	yield, err := r.Return(r.Operation)
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
	out, _ := r.Resource.Outputs.Project(known, m)
	return out.Values
}
