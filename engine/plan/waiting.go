package plan

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/expr"
)

// Waiting tells which steps of an operation wait for what earlier steps have begun.
type Waiting struct{ *Operation }

// Polls returns the later steps that ask what became of what a step has begun: they have no effect, wait for something or
// can fail, and use the response to the step.
func (o Waiting) Polls(of *Step) (polls []*Step) {
	relying := o.RelyOn(map[int]bool{of.Index: true})
	for _, s := range o.Steps {
		if relying[s.Index] && s.Effect != actions.Write && awaits(s) {
			polls = append(polls, s)
		}
	}
	return polls
}

// AsksOfEarlier reports whether a step asks for something that the response to a step with an effect before it names, such as
// an operation.
func AsksOfEarlier(s *Step, before []*Step) bool {
	return s.Effect != actions.Write && slices.ContainsFunc(s.Refs(), func(ref expr.Ref) bool {
		of, _ := ResultOf(before, nil, ref.Path)
		return of != nil && of.Effect == actions.Write
	})
}

// IsAwaited reports whether it is known only at the end of the operation what came of a step, because the step or a later one waits
// for something, or judges it: that what was sent can be read does not tell. able reports whether the steps after it could
// run without its result.
func (o Waiting) IsAwaited(s *Step) (awaited, able bool) {
	awaited = s.Until != nil || slices.ContainsFunc(o.Steps[s.Index+1:], awaits) || s.Effect != actions.Write && awaits(s)
	return awaited, s.Until == nil && s.Effect == actions.Write && !slices.ContainsFunc(o.Steps[:s.Index+1], o.stepsUse)
}

// LosesJob reports whether a step awaits what an earlier one has begun, and refers to the response to that, such as the address of
// a job: nothing else tells it.
func (o Waiting) LosesJob(s, begins *Step) bool {
	return begins != nil && begins.Index < s.Index && awaits(s) && refersTo(begins, s.Refs(), o.Steps[:s.Index], nil)
}

// OnlyAwaits reports whether the operation has no effect from a step on, wherever it begins again after a failure.
func (o Waiting) OnlyAwaits(step int) bool {
	return step < len(o.Steps) && o.Steps[step].Restart == step && !slices.ContainsFunc(o.Steps[step:], func(s *Step) bool { return s.Effect == actions.Write })
}

// awaits reports whether a step waits for something, or judges what earlier steps have begun.
func awaits(s *Step) bool { return s.Until != nil || s.Fail != nil && !s.Inherits.Fail }
