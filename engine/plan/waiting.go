package plan

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/expr"
)

// Waiting tells which steps of an operation wait for what earlier steps have begun.
type Waiting struct{ *Operation }

// Role is what a step says about what earlier steps have begun.
type Role uint8

// The roles of steps, and what follows from them:
//
//	        is vague: only its `fail`     decides: what came of the earlier
//	        says that they have failed    steps is not known before it
//	Checks  no                            no
//	Acts    no                            no
//	Asks    yes                           no
//	Judges  no                            yes
//	Awaits  yes                           yes
const (
	// Checks is a step without an effect that is about nothing that an earlier step has begun.
	Checks Role = iota
	// Acts is a step with an effect.
	Acts
	// Asks is a step without an effect that asks for something that the response to an earlier step with an effect names, such
	// as an operation.
	Asks
	// Judges is a step with a `fail` of its own, or with an effect and `until`.
	Judges
	// Awaits is a step without an effect that has `until`, or that asks, as Asks, and has a `fail` of its own.
	Awaits
)

// RoleOf returns the role of a step after the steps before.
func RoleOf(s *Step, before []*Step) Role {
	judges, asks := s.Fail != nil && !s.Inherits.Fail, AsksOfEarlier(s, before)
	switch {
	case s.Effect == actions.Write && s.Until == nil && !judges:
		return Acts
	case s.Effect == actions.Write:
		return Judges
	case s.Until != nil, judges && asks:
		return Awaits
	case judges:
		return Judges
	case asks:
		return Asks
	default:
		return Checks
	}
}

// IsVague reports whether a failure of the step, other than by its `fail`, says nothing about what earlier steps have begun.
func (r Role) IsVague() bool { return r == Asks || r == Awaits }

// Decides reports whether what came of what earlier steps have begun is known only once the step is done.
func (r Role) Decides() bool { return r == Judges || r == Awaits }

// Polls returns the later steps that ask what became of what a step has begun: they have no effect, wait for something or
// can fail, and use the response to the step.
func (o Waiting) Polls(of *Step) (polls []*Step) {
	relying := o.RelyOn(map[int]bool{of.Index: true})
	for _, s := range o.Steps {
		if relying[s.Index] && s.Effect != actions.Write && o.decides(s) {
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

// OriginOf returns the step with an effect whose response names what a step asks for, such as an operation, nil if there is none. If there
// are several, it is the last.
func (o Waiting) OriginOf(s *Step) (begun *Step) {
	if s.Effect == actions.Write || s.ForEach != nil {
		return nil
	}
	for _, ref := range s.Refs() {
		if of, _ := ResultOf(o.Steps[:s.Index], nil, ref.Path); of != nil && of.Effect == actions.Write && (begun == nil || of.Index > begun.Index) {
			begun = of
		}
	}
	return begun
}

// IsAwaited reports whether it is known only at the end of the operation what came of a step, because the step or a later one waits
// for something, or judges it: that what was sent can be read does not tell. able reports whether the steps after it could
// run without its result.
func (o Waiting) IsAwaited(s *Step) (awaited, able bool) {
	awaited = s.Until != nil || slices.ContainsFunc(o.Steps[s.Index+1:], o.decides) || s.Effect != actions.Write && o.decides(s)
	return awaited, s.Until == nil && s.Effect == actions.Write && !slices.ContainsFunc(o.Steps[:s.Index+1], o.stepsUse)
}

// LosesJob reports whether a step awaits what an earlier one has begun, and refers to the response to that, such as the address of
// a job: nothing else tells it.
func (o Waiting) LosesJob(s, begins *Step) bool {
	return begins != nil && begins.Index < s.Index && o.decides(s) && refersTo(begins, s.Refs(), o.Steps[:s.Index], nil)
}

// OnlyAwaits reports whether the operation has no effect from a step on, wherever it begins again after a failure.
func (o Waiting) OnlyAwaits(step int) bool {
	return step < len(o.Steps) && o.Steps[step].Restart == step && !slices.ContainsFunc(o.Steps[step:], func(s *Step) bool { return s.Effect == actions.Write })
}

func (o Waiting) decides(s *Step) bool { return RoleOf(s, o.Steps[:s.Index]).Decides() }
