package plan

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// UsedLater returns the paths of the results of the create's steps to which anything refers that is evaluated
// from a step on, by the index of the step: the steps, undo steps, `return`, and the id if it is not known yet.
func (r *Resource) UsedLater(from int, idKnown bool) map[int][][]string {
	steps, used := r.Create.Steps, map[int][][]string{}
	use := func(refs []expr.Ref, before []*Step, own *Step) {
		for _, ref := range refs {
			if of, path := ResultOf(before, own, ref.Path); of != nil {
				used[of.Index] = append(used[of.Index], path)
			}
		}
	}
	for i, s := range steps {
		if i >= from {
			use(s.Refs(), steps[:i], nil)
			use(s.ownRefs(), steps[:i], s)
		}
		use(undoRefs(s), steps[:i+1], nil)
	}
	if !idKnown {
		use(r.ID.Refs(), steps[:min(r.IDAfter+1, len(steps))], nil)
	}
	use(r.Create.Return.Refs(), steps, nil)
	if last := Last(steps); last != nil && r.Create.Return == nil && (r.Read == nil || r.showsOnce()) {
		used[last.Index] = append(used[last.Index], nil)
	}
	return used
}

// showsOnce reports whether an output is only in the response to the create.
func (r *Resource) showsOnce() bool {
	return slices.ContainsFunc(r.Outputs.Fields, func(m *value.Member) bool { return m.NoRead })
}

// MustNotRepeat reports whether a create that was killed after the response to a step with an effect must not run the step
// again: that may take effect twice, or be refused, and find does not tell what it has made.
func (r *Resource) MustNotRepeat(s *Step) bool {
	return !s.Certainty.Repeatable() && !(r.Finds(s) && r.FindFirst)
}

// MakesMore reports whether a second create with the same inputs makes something a second time, and find does not tell.
func (r *Resource) MakesMore() bool {
	return slices.ContainsFunc(r.Create.Steps, func(s *Step) bool {
		return s.Effect == actions.Write && s.Certainty == actions.Uncertain && r.MustNotRepeat(s)
	})
}

// MayStopHalfMade reports whether the create may have done something that a further step follows, and that must be kept in the
// journal until then.
func (r *Resource) MayStopHalfMade() bool {
	for i, s := range r.Create.Steps {
		later := r.Create.Steps[i+1:]
		if s.Effect == actions.Write && s.Certainty != actions.Settled && (s.ForEach != nil || len(later) > 0 && r.MustNotRepeat(s) ||
			slices.ContainsFunc(later, func(s *Step) bool { return s.Effect == actions.Write })) {
			return true
		}
	}
	return false
}
