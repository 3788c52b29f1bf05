package unlikely

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
)

// checkRetries reports a step that is retried after a conflict, and sends each time what an earlier step has read of the
// object: its version, or the rest of a document.
func checkRetries(found *finding.Collector, op *plan.Operation, verb string) {
	if op == nil || op.Retry != nil {
		return
	}
	for i, s := range op.Steps {
		if !s.Known || s.Effect != actions.Write || s.Retry == nil || s.Model.Retry == nil { // a default belongs to every request
			continue
		}
		conflict := slices.IndexFunc(s.Retry.On, func(class string) bool { return class == "409" || class == "412" })
		read := slices.IndexFunc(op.Steps[:i], func(e *plan.Step) bool {
			return e.Known && e.Effect != actions.Write && isWithin(e.Place, s.Place) && (s.SendsETag || sendsResult(s, op.Steps[:i], e))
		})
		if conflict < 0 || read < 0 {
			continue
		}
		found.Warn(finding.CodeStaleRetry, s.Model.Retry.Range, fmt.Sprintf("%s.steps[%d].retry", verb, i),
			fmt.Sprintf("a retry after %s sends again what %s has read before", s.Retry.On[conflict], op.Steps[read].Name),
			"If somebody has changed the object since, the server refuses each attempt. Move `retry` next to `steps`: it then repeats all of them, beginning with the read.")
	}
}

// isWithin reports whether two places are the same, or one of them is a part of the other.
func isWithin(a, b string) bool {
	return a != "" && b != "" && (a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/"))
}

// sendsResult reports whether an argument of a step, other than its address, refers to the result of an earlier step.
func sendsResult(s *plan.Step, before []*plan.Step, earlier *plan.Step) bool {
	for name, a := range s.Args {
		if name == "path" || name == "url" {
			continue
		}
		refs := slices.Clone(a.Value.Refs())
		for _, part := range a.Parts.All() {
			refs = append(refs, part.Refs()...)
		}
		for _, ref := range refs {
			if of, _ := plan.ResultOf(before, nil, ref.Path); of == earlier {
				return true
			}
		}
	}
	return false
}
