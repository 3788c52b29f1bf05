package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// resume takes over the results of an earlier run. The run continues at the step at which that
// one stopped, or at the step from which that one restarts. It runs again what was undone.
func (r *Run) resume(s recorded.State) {
	f := s.Private.Failed
	r.unmade = strings.Fields(s.Private.Unmade)
	r.resumed, r.finished = true, map[int]bool{}
	first := f.Step
	if f.Step < len(r.Operation.Steps) {
		first = r.Operation.Steps[f.Step].Restart
	}
	again := map[int]bool{}
	for _, i := range f.Undone {
		again[i] = true
	}
	r.remakes = r.Verb == plan.Create && r.res.Maker != nil && again[r.res.Maker.Index]
	relying := r.Operation.RelyOn(again)
	for _, i := range f.Misfits {
		r.misfit(i)
	}
	for i, result := range f.Results[:min(len(f.Results), len(r.Operation.Steps))] {
		if i >= first && !slices.Contains(f.Kept, i) || again[i] || relying[i] {
			continue
		}
		r.finished[i] = true
		r.record(r.Operation.Steps[i], value.Restore(result))
		if r.Operation.Steps[i].Effect == actions.Write {
			r.effected = true
		}
	}
	if f.Elements != nil && first == f.Step && !relying[first] {
		r.goesOn = r.Operation.Steps[f.Step]
		r.elements, _ = value.Restore(f.Elements).(map[string]any)
	}
}

// lackError is the error of a step that requires the result of an earlier step whose response
// did not match its type. The template is not at fault: what it misses is missing from that
// response.
type lackError struct {
	earlier string
	goesOn  bool
}

func (e *lackError) Error() string {
	text := fmt.Sprintf("it requires the result of %s, whose response did not match its `returns`", e.earlier)
	if !e.goesOn {
		return text
	}
	return text + "; correct the type, then run `pulumi refresh` and `pulumi up`"
}

// misfit records that a step succeeded with a response that does not match its type.
func (r *Run) misfit(step int) {
	if r.misfits == nil {
		r.misfits = map[int]bool{}
	}
	r.misfits[step] = true
}

// lacking returns the error of a step. If an expression has no value, and an earlier response on
// which the step relies did not match its type, it returns a lackError.
func (r *Run) lacking(s *plan.Step, err error) error {
	var failed *StepError
	if !errors.As(err, new(*expr.EvalError)) || !errors.As(err, &failed) {
		return err
	}
	for i := range s.Index {
		if r.misfits[i] && r.Operation.RelyOn(map[int]bool{i: true})[s.Index] {
			told := *failed
			told.Err = &lackError{earlier: r.Operation.Steps[i].Name, goesOn: r.Verb != plan.Create}
			return &told
		}
	}
	return err
}

// orphaned reports whether a step of a delete uses the result of an earlier step that found
// nothing, such as a step that waits for the end of a delete that never began. A step with an
// `if` decides for itself.
func (r *Run) orphaned(s *plan.Step) bool {
	if r.Verb != plan.Delete || s.When != nil || s.Index == 0 {
		return false
	}
	before := r.Operation.Steps[:s.Index]
	named := plan.Usage{Named: map[string]*plan.Step{}}
	for _, b := range before {
		named.Named[b.Model.As] = b
	}
	for _, v := range s.Templates() {
		if v == nil {
			continue
		}
		for _, ref := range v.Refs() {
			of, _ := named.Resolve(before, ref.Path)
			if of != nil && of.When == nil && of.ForEach == nil && r.results[of.Index] == nil {
				return true
			}
		}
	}
	return false
}

// takeTurn records that a loop has done its current element, or may have.
func (r *Run) takeTurn(s *plan.Step) {
	if s.ForEach == nil || r.Undoing || slices.Contains(r.turns[s.Index], r.at) {
		return
	}
	if r.turns == nil {
		r.turns = map[int][]string{}
	}
	r.turns[s.Index] = append(r.turns[s.Index], r.at)
}

// touched is a step that has changed something, or may have.
type touched struct {
	step *plan.Step
	// done is true if at least one attempt succeeded: what the step made is the resource's.
	done bool
	// answer is the latest response, whatever its verdict, nil if none came.
	answer any
}

// effect records that a step has changed something, or may have.
func (r *Run) effect(s *plan.Step, v verdict.Verdict) {
	if s.Effect != actions.Write || v.Status == actions.Refused || v.Status == actions.Gone || r.Undoing {
		return
	}
	r.effected = true
	t := r.touch(s)
	r.takeTurn(s)
	// If a settled action fails, what it made is known and is the resource's.
	t.done = t.done || v.Status == actions.Done || v.Status == actions.Failed && s.Certainty == actions.Settled
	if v.Status != actions.Unknown && v.Value != nil {
		t.answer = v.Value
	}
}

// touch returns the record of a step's effect, which it makes at the first call.
func (r *Run) touch(s *plan.Step) *touched {
	for _, t := range r.touched {
		if t.step == s {
			return t
		}
	}
	t := &touched{step: s}
	r.touched = append(r.touched, t)
	return t
}

// partly makes the results of a forEach so far visible to its undo steps.
func (r *Run) partly(s *plan.Step, results any) {
	if r.Undoing {
		return
	}
	for _, t := range r.touched {
		if t.step == s {
			t.answer = results
		}
	}
}
