package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// Operation is a compiled operation.
type Operation struct {
	Steps []*Step
	// Retry repeats all steps if one is refused. nil means never.
	Retry *Retry
	// Lock is the lock that is held for all steps, or nil.
	Lock *expr.Value
	// Return is the `return` of the operation or else of the resource. It is nil if the
	// result is that of the last step.
	Return *expr.Value
	// IDFrom are the indices of the steps to whose results the id of the resource refers, if the
	// operation creates it: what refers to the id relies on them.
	IDFrom []int
	// Broken is true if `return` did not compile. Meant are the properties for which
	// misspelt names in it were intended. Both mistakes were reported.
	Broken bool
	Meant  []string
}

// Stepless reports whether the operation has no steps, which the loader has reported.
// The type of its result is then unknown.
func (o *Operation) Stepless() bool { return len(o.Steps) == 0 }

// MeansTo reports whether `return` contains a misspelling of a property's name.
func (o *Operation) MeansTo(property string) bool {
	return o != nil && slices.Contains(o.Meant, property)
}

// Renames reports whether an update both identifies the object by recorded values and
// sends an input, so that it may rename the object.
func (o *Operation) Renames(input string) bool {
	finds, sends := false, false
	for _, ref := range o.requestRefs() {
		switch ref.Path[0] {
		case "id", "state":
			finds = true
		case "inputs", "changes":
			sends = sends || len(ref.Path) < 2 || ref.Path[1] == input
		}
	}
	return finds && sends
}

// YieldType returns the type of the operation's result.
func (o *Operation) YieldType() *spec.Type {
	if o.Return != nil {
		return o.Return.Type()
	}
	return Last(o.Steps).Yields()
}

// Refs returns the references of the steps, `lock` and `return`, without those of undo steps. A nil
// operation has none.
func (o *Operation) Refs() []expr.Ref {
	if o == nil {
		return nil
	}
	refs := append(o.requestRefs(), slices.Concat(o.Lock.Refs(), o.Return.Refs())...)
	for _, s := range o.Steps {
		refs = append(refs, s.ownRefs()...)
	}
	return refs
}

// requestRefs returns the references that are evaluated before one of the steps runs.
func (o *Operation) requestRefs() []expr.Ref {
	var refs []expr.Ref
	for _, s := range o.Steps {
		refs = append(refs, s.Refs()...)
	}
	return refs
}

// RefersToState reports whether the operation refers to the id or to the recorded
// state.
func (o *Operation) RefersToState() bool { return expr.Mention(o.requestRefs(), "id", "state") }

// RecallsInputs reports whether the operation refers to recorded inputs of the resource that an update may
// have changed.
func (o *Operation) RecallsInputs(of *Resource) bool {
	return o != nil && slices.ContainsFunc(o.requestRefs(), func(ref expr.Ref) bool {
		if ref.Path[0] != "state" || len(ref.Path) == 1 {
			return ref.Path[0] == "state"
		}
		m := of.Inputs.ByName[ref.Path[1]]
		return m != nil && !m.Replace
	})
}

// AsksByID reports whether the operation refers to the id.
func (o *Operation) AsksByID() bool {
	return o.Return.RefersTo("id") || expr.Mention(o.requestRefs(), "id")
}

// AsksFor reports whether the operation refers to the id ("id") or to an input ("inputs.NAME").
func (o *Operation) AsksFor(name string) bool { return asksFor(o.Refs(), name) }

// StepAsksFor reports whether what is evaluated before a step runs refers to the id or to an input.
func StepAsksFor(s *Step, name string) bool { return asksFor(s.Refs(), name) }

// asksFor reports whether references are to the id or to an input, which the state has as well.
func asksFor(refs []expr.Ref, name string) bool {
	input, isInput := strings.CutPrefix(name, "inputs.")
	return slices.ContainsFunc(refs, func(ref expr.Ref) bool {
		if ref.Path[0] == "inputs" || ref.Path[0] == "state" {
			return isInput && (len(ref.Path) < 2 || ref.Path[1] == input)
		}
		return ref.Path[0] == name
	})
}

// Writes returns how many steps have an effect.
func (o *Operation) Writes() (n int) {
	for _, s := range o.Steps {
		if s.Effect == actions.Write {
			n++
		}
	}
	return n
}

// FirstUnsettled returns the first step with an effect that does not always know what it did, such as
// a request whose response may be lost, nil if there is none.
func (o *Operation) FirstUnsettled() *Step {
	if o == nil {
		return nil
	}
	return lists.Find(o.Steps, func(s *Step) bool { return s.Effect == actions.Write && s.Certainty != actions.Settled })
}

// LastWrite returns the index of the last step with an effect, or of the last step if none has one.
func (o *Operation) LastWrite() int {
	for i, s := range slices.Backward(o.Steps) {
		if s.Effect == actions.Write {
			return i
		}
	}
	return len(o.Steps) - 1
}

// WhereStopped returns a phrase that names the step at which the operation stopped.
func (o *Operation) WhereStopped(step int) string {
	if step < len(o.Steps) {
		return "at " + o.Steps[step].Name
	}
	return "after its last step"
}

// Shape returns a hash of the names and actions of the steps, in order. It does not
// depend on their arguments.
func (o *Operation) Shape() string {
	sum := sha256.New()
	for _, s := range o.Steps {
		fmt.Fprintf(sum, "%q %q\n", s.Model.As, s.Action)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// MayEndHalfway reports whether a step can be refused after something was done: by an
// earlier step, by an earlier iteration, or for an earlier request of the same step.
func (op *Operation) MayEndHalfway() bool {
	requests, more := 0, len(op.Steps) > 1
	for _, s := range op.Steps {
		requests += len(s.Requests)
		more = more || s.ForEach != nil || len(s.Requests) > 1
	}
	return more && requests > 0
}

// RelyOn returns the indices of the steps that use results of the given steps,
// directly or indirectly. When those steps are undone, the work of the dependent
// steps is gone, too.
func (o *Operation) RelyOn(some map[int]bool) map[int]bool {
	out := map[int]bool{}
	for i, s := range o.Steps {
		out[i] = slices.ContainsFunc(o.resultsFor(s), func(of int) bool { return some[of] || out[of] })
	}
	maps.DeleteFunc(out, func(_ int, relies bool) bool { return !relies })
	return out
}

// StaleReads returns the indices of the finished steps that a run which continues the operation repeats:
// those that only read, and whose results only unfinished steps use. What they have read may have changed
// since, and what is built of it would undo that. The results of steps that wait for something are final,
// and a result that a finished step has used must stay the same for the others.
func (o *Operation) StaleReads(finished map[int]bool) map[int]bool {
	stale := map[int]bool{}
	for i, s := range slices.Backward(o.Steps) {
		if !finished[i] || s.Effect == actions.Write || s.Until != nil {
			continue
		}
		used := false
		stale[i] = true
		for n, later := range o.Steps[i+1:] {
			if !slices.Contains(o.resultsFor(later), i) {
				continue
			}
			again := !finished[i+1+n] || stale[i+1+n]
			used, stale[i] = true, stale[i] && again
		}
		stale[i] = stale[i] && used
	}
	maps.DeleteFunc(stale, func(_ int, is bool) bool { return !is })
	return stale
}

// UndoesByResult reports whether the undo steps of a step refer to its result.
func (o *Operation) UndoesByResult(s *Step) bool {
	return slices.ContainsFunc(undoRefs(s), func(ref expr.Ref) bool {
		of, _ := ResultOf(o.Steps[:s.Index+1], nil, ref.Path)
		return of == s
	})
}

// resultsFor returns the indices of the steps whose results a step refers to before it runs.
func (o *Operation) resultsFor(s *Step) []int {
	var out []int
	for _, ref := range s.Refs() {
		if ref.Path[0] == "id" {
			out = append(out, o.IDFrom...)
		} else if of, _ := ResultOf(o.Steps[:s.Index], nil, ref.Path); of != nil {
			out = append(out, of.Index)
		}
	}
	return out
}

// isConditional reports whether the operation sends the ETag of the last read.
func isConditional(o *Operation) bool {
	return o != nil && slices.ContainsFunc(o.Steps, func(s *Step) bool { return s.SendsETag })
}

// Uses reports whether anything that is evaluated after a step refers to its result.
func (o *Operation) Uses(s *Step) bool {
	return o.stepsUse(s) || refersTo(s, o.Return.Refs(), o.Steps, nil)
}

// stepsUse reports whether a later step refers to the result of a step.
func (o *Operation) stepsUse(s *Step) bool {
	return slices.ContainsFunc(o.Steps[s.Index+1:], func(later *Step) bool {
		before := o.Steps[:later.Index]
		return refersTo(s, later.Refs(), before, nil) || refersTo(s, later.ownRefs(), before, later)
	})
}

// refersTo reports whether one of the references is to the result of s: see ResultOf.
func refersTo(s *Step, refs []expr.Ref, before []*Step, own *Step) bool {
	return slices.ContainsFunc(refs, func(ref expr.Ref) bool {
		of, _ := ResultOf(before, own, ref.Path)
		return of == s
	})
}

// Recorded returns the sorted names of the recorded properties to which the steps
// refer. whole is true if a step refers to all of them.
func (o *Operation) Recorded(r *Resource) (out []string, whole bool) {
	for _, ref := range o.requestRefs() {
		switch {
		case ref.Path[0] != "inputs" && ref.Path[0] != "state":
		case len(ref.Path) < 2:
			whole = true
		case r.Inputs.ByName[ref.Path[1]] != nil || r.Outputs.ByName[ref.Path[1]] != nil:
			out = append(out, ref.Path[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out), whole
}

// Last returns the last element of a list, or the zero value if the list is empty.
func Last[T any](list []T) T {
	if len(list) == 0 {
		var none T
		return none
	}
	return list[len(list)-1]
}
