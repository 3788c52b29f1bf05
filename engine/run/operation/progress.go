package operation

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
)

// Progress is what has been done of an operation, by this run and by the runs that it continues.
type Progress struct {
	// Results are the results of the finished steps, by index.
	Results []any
	// Finished are the steps that an earlier run has done, by index; their results are
	// recorded.
	Finished map[int]bool
	// Effected is true if a step has changed something, or may have.
	Effected bool
	// Touched are the steps with an effect that ran, in order. Earlier are those that earlier runs have finished. Undo goes
	// through both: see Made.
	Touched, Earlier []*Touched
	// Looping is the forEach step that the run is at, or at which an earlier run stopped, and
	// Elements are those that it has done so far, by key. Another run may have other elements under their keys.
	Looping  *plan.Step
	Elements map[string]recorded.Element
	// Spare are the results for elements that are gone. The next run may have them again.
	Spare []recorded.Element
	// Turns are the keys of the elements that a forEach has done, or may have, by step.
	Turns map[int][]string
	// Misfits are the steps that succeeded, here or in an earlier run, with responses that
	// do not match their declared types.
	Misfits map[int]bool
	// Idle are the errors of the steps that succeeded without an effect in this run, by index.
	Idle map[int]error
	// StandIns are the steps whose results are not their responses, by index: those that find has found to be done, and
	// those that were not sent, because something else has shown what they wait for.
	StandIns map[int]bool
	// Partial says of which steps the results may be incomplete, and why.
	Partial map[int]*actions.Partial
	titles  map[int]func() string
}

// Touched is a step that has changed something, or may have.
type Touched struct {
	Step *plan.Step
	// Done is true if at least one attempt succeeded: what the step made is the resource's.
	Done bool
	// Answer is the latest response, whatever its verdict, nil if none came.
	Answer any
	// Claim is what the responses say that they have done. Unproven is true if the step was not undone, because nothing
	// proves that what is there is what it has made: then Done is false.
	Claim    actions.Claim
	Unproven bool
}

// firstUnfinished returns the index of the first step that no earlier run has finished.
func (p *Progress) firstUnfinished() int {
	first := 0
	for p.Finished[first] {
		first++
	}
	return first
}

// keep keeps the result of a finished step.
func (p *Progress) keep(s *plan.Step, value any) {
	for len(p.Results) <= s.Index {
		p.Results = append(p.Results, nil)
	}
	p.Results[s.Index] = value
}

// keepElement keeps the result of a step for one element.
func (p *Progress) keepElement(s *plan.Step, e recorded.Element) {
	if p.Looping != s {
		p.Looping, p.Elements, p.Spare = s, nil, nil
	}
	if p.Elements == nil {
		p.Elements = map[string]recorded.Element{}
	}
	p.Elements[e.Key] = e
}

// matchElements gives the results of earlier runs to the elements that they belong to. In a list, an
// element may have another index now. prints are those of the elements of now, by key.
func (p *Progress) matchElements(keys []string, prints map[string]string, listed bool) {
	var old []recorded.Element
	for _, key := range slices.Sorted(maps.Keys(p.Elements)) {
		old = append(old, p.Elements[key])
	}
	old = append(old, p.Spare...)
	p.Elements = map[string]recorded.Element{}
	for _, anywhere := range []bool{false, listed} {
		old = slices.DeleteFunc(old, func(e recorded.Element) bool {
			at := slices.IndexFunc(keys, func(key string) bool {
				_, done := p.Elements[key]
				// States of older versions have no hashes.
				return !done && (e.Print == prints[key] && (anywhere || key == e.Key) || e.Print == "" && key == e.Key)
			})
			if at >= 0 {
				e.Key = keys[at]
				p.Elements[e.Key] = e
			}
			return at >= 0
		})
	}
	p.Spare = old
}

// ResultSoFar returns the result of a step, or the results of the elements that its loop has done. known is
// false if the step has none.
func (p *Progress) ResultSoFar(s *plan.Step) (result any, known bool) {
	switch {
	case p.Finished[s.Index]:
		return p.Results[s.Index], true
	case p.Looping != s || len(p.Elements) == 0 && p.Spare == nil:
		return nil, false
	}
	byKey, list := map[string]any{}, []any{}
	for _, e := range p.Spare {
		byKey[e.Key], list = e.Result, append(list, e.Result)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Elements)) {
		byKey[key], list = p.Elements[key].Result, append(list, p.Elements[key].Result)
	}
	return loopResult(s.ForEachKind == spec.List, list, byKey), true
}

// ElementsDone returns the keys of the elements that a step has done, or may have, in this run and
// in those that it continues. It returns only "" for a step without `forEach`. hide hides the keys of maps:
// the results do not tell whether they are secret.
func (p *Progress) ElementsDone(s *plan.Step, hide func(key string) string) []string {
	if s.ForEach == nil {
		return []string{""}
	}
	keys := slices.Clone(p.Turns[s.Index])
	if p.Finished[s.Index] {
		switch results := p.Results[s.Index].(type) {
		case []any:
			for i := range results {
				keys = append(keys, strconv.Itoa(i))
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(results)) {
				keys = append(keys, hide(key))
			}
		}
	}
	return keys
}

// unseen returns the indices of the steps that succeeded, and of whose effect only read can tell.
func (p *Progress) unseen() []int {
	steps := map[int]bool{}
	maps.Copy(steps, p.Misfits)
	for i := range p.Idle {
		steps[i] = true
	}
	return slices.Sorted(maps.Keys(steps))
}

// Misfit records that a step succeeded with a response that does not match its type.
func (p *Progress) Misfit(step int) {
	if p.Misfits == nil {
		p.Misfits = map[int]bool{}
	}
	p.Misfits[step] = true
}

// Of returns the record of a step's effect, nil if it had none.
func (p *Progress) Of(s *plan.Step) *Touched {
	return lists.Find(p.Touched, func(t *Touched) bool { return t.Step == s })
}

// setPartialAnswer makes the results of a forEach so far visible to its undo steps.
func (p *Progress) setPartialAnswer(s *plan.Step, results any) {
	if t := p.Of(s); t != nil {
		t.Answer = results
	}
}

// LastAnswer returns the latest response of the last step that had an effect, if that is the
// step: nil otherwise, and if it is a loop.
func (p *Progress) LastAnswer(s *plan.Step) any {
	if t := plan.Last(p.Touched); t != nil && t.Step == s && s.ForEach == nil {
		return t.Answer
	}
	return nil
}

// Effect records that a step has changed something, or may have.
func (r *Run) Effect(s *plan.Step, v verdict.Verdict) {
	if s.Effect != actions.Write || v.Status == actions.Refused || v.Status == actions.Gone || r.Undoing {
		return
	}
	r.Effected = r.Effected || v.Idle == nil || r.Verb != plan.Update
	t := r.Of(s)
	if t == nil {
		t = &Touched{Step: s}
		r.Touched = append(r.Touched, t)
	}
	r.takeTurn(s)
	if v.Status == actions.Done {
		if t.Claim = t.Claim.And(v.Claim); !t.Done {
			t.Claim = v.Claim
		}
	}
	// If a settled action fails, what it made is known and is the resource's.
	t.Done = t.Done || v.Status == actions.Done || v.Status == actions.Failed && s.Certainty == actions.Settled
	if v.Status != actions.Unknown && v.Value != nil {
		t.Answer = v.Value
	}
}

// takeTurn records that a loop has done its current element, or may have.
func (r *Run) takeTurn(s *plan.Step) {
	if s.ForEach == nil || r.Undoing || slices.Contains(r.Turns[s.Index], r.At) {
		return
	}
	if r.Turns == nil {
		r.Turns = map[int][]string{}
	}
	r.Turns[s.Index] = append(r.Turns[s.Index], r.At)
}

// notePartial records whether the result of an attempt may be incomplete. In a loop, one element suffices.
func (p *Progress) notePartial(s *plan.Step, partial *actions.Partial) {
	if p.Partial == nil {
		p.Partial = map[int]*actions.Partial{}
	}
	if partial != nil || s.ForEach == nil {
		p.Partial[s.Index] = partial
	}
}

// noteTitle records what a step has attempted last.
func (p *Progress) noteTitle(s *plan.Step, title func() string) {
	if p.titles == nil {
		p.titles = map[int]func() string{}
	}
	p.titles[s.Index] = title
}

// TitleOf returns what a step has attempted last and what came of it, or "" if its action has no such text.
func (p *Progress) TitleOf(s *plan.Step) string {
	if title := p.titles[s.Index]; title != nil {
		return title()
	}
	return ""
}

// NotOnPages returns the error of finding nothing by steps of which one may have an incomplete result:
// the object may be in what is missing. It returns nil if all results are complete. What a delete
// reads may be anything, so there only the incomplete lists count.
func (r *Run) NotOnPages(by ...*plan.Step) error {
	for _, s := range by {
		if p := r.Partial[s.Index]; p != nil && (p.Listed || r.Verb != plan.Delete) {
			return r.Stop(s, 1, actions.Refused, errors.New("it was not found, but "+p.Why))
		}
	}
	return nil
}

// WhyPartial returns why the result of a step may be incomplete, or "".
func (p *Progress) WhyPartial(s *plan.Step) string {
	if partial := p.Partial[s.Index]; partial != nil {
		return partial.Why
	}
	return ""
}

// HasMade reports whether a step of a create was done, here or in an earlier run, that the next create cannot do again, or,
// if more is to be made, whether any was.
func HasMade(r *Run, more bool) bool {
	made := func(s *plan.Step) bool {
		return s.Effect == actions.Write && s.Certainty != actions.Settled && (more || r.Resource.MustNotRepeat(s))
	}
	return slices.ContainsFunc(r.Touched, func(t *Touched) bool { return t.Done && made(t.Step) }) ||
		slices.ContainsFunc(r.Operation.Steps, func(s *plan.Step) bool { return r.Finished[s.Index] && made(s) })
}
