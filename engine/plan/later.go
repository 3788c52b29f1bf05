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
	steps, used := r.Create.Steps, usedResults(r.Create.UsedFrom(from))
	for i, s := range steps {
		used.add(undoRefs(s), steps[:i+1], nil)
	}
	if !idKnown {
		used.add(r.ID.Refs(), steps[:min(r.IDAfter+1, len(steps))], nil)
	}
	used.add(r.Create.Return.Refs(), steps, nil)
	if last := Last(steps); last != nil && r.Create.Return == nil && (r.Read == nil || r.showsOnce()) {
		used[last.Index] = append(used[last.Index], nil)
	}
	return used
}

// UsedFrom returns the paths of the results of steps to which the steps from one on refer, by the index of the step.
func (o *Operation) UsedFrom(from int) map[int][][]string {
	used := usedResults{}
	for i := min(from, len(o.Steps)); i < len(o.Steps); i++ {
		used.add(o.Steps[i].Refs(), o.Steps[:i], nil)
		used.add(o.Steps[i].ownRefs(), o.Steps[:i], o.Steps[i])
	}
	return used
}

// usedResults are paths of results of steps, by the index of the step.
type usedResults map[int][][]string

// add adds the paths to which references lead: see ResultOf.
func (u usedResults) add(refs []expr.Ref, before []*Step, own *Step) {
	for _, ref := range refs {
		if of, path := ResultOf(before, own, ref.Path); of != nil {
			u[of.Index] = append(u[of.Index], path)
		}
	}
}

// RecordsDelete reports whether a delete is recorded in the journal before its first request. If it is one request by an id that the
// server has assigned, and that is safe to repeat, or if nothing tells whether the object is there, the next delete sends the same
// whether or not it knows.
func (r *Resource) RecordsDelete() bool {
	first := r.Delete.FirstUnsettled()
	switch {
	case first == nil:
		return false
	case first.Certainty == actions.Uncertain || first.Certainty == actions.Keyed || first.ForEach != nil || r.Delete.Writes() > 1 || len(r.Delete.Steps) > first.Index+1:
		return true
	default:
		return r.MayBeReplaced() && (r.Read != nil || r.Find != nil)
	}
}

// MayBeReplaced reports whether somebody else may have an object that a delete cannot tell from this one, once this one is gone: the
// program has chosen the name by which it is deleted.
func (r *Resource) MayBeReplaced() bool {
	assigned := slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool {
		last := ref.Path[len(ref.Path)-1]
		return slices.Contains(NamesOfResponses, ref.Path[0]) && !slices.ContainsFunc(r.Inputs.Fields, func(m *value.Member) bool { return m.Wire == last || m.Name == last })
	})
	return !assigned || !r.Delete.AsksByID()
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
