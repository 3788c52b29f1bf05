package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// Stopped returns what the next run needs to continue an operation with these inputs that stopped at a step.
func Stopped(r *Run, inputs property.Map, failed int, err error) *recorded.Failed {
	m := r.Mask()
	out := &recorded.Failed{
		Op: string(r.Verb), Step: failed, Steps: r.Operation.Shape(), Inputs: recorded.HashInputs(inputs), Error: screen.Show(err.Error(), m).String(),
		Given: recorded.NamesOf(inputs), Unknown: StatusOf(err) == actions.Unknown, Misfits: r.unseen(),
	}
	if id, _ := r.Vars.Values["id"].(string); r.Verb == plan.Update && id != r.ID {
		out.ID = id
	}
	out.Claims, out.Unproven = claims(r)
	for i, value := range r.Results {
		if r.StandIns[i] && (i < failed || r.Finished[i]) {
			out.StandIns = append(out.StandIns, i)
		}
		switch {
		case i > failed && r.Finished[i]: // before the run was resumed
			out.Kept = append(out.Kept, i)
		case i >= failed:
			value = nil
		}
		out.Results = append(out.Results, recorded.WithoutFiles(value))
	}
	if failed < len(r.Operation.Steps) && r.Looping == r.Operation.Steps[failed] && len(r.Elements)+len(r.Spare) > 0 {
		out.KeepElements(r.Elements, r.Spare)
	}
	// A response may contain secrets that are not declared, and a hash of a short secret can be
	// guessed.
	out.Secret = len(out.Results) > 0 || out.Ran() > 0 || property.New(inputs).HasSecrets()
	return out
}

// WithoutDoubt returns a state whose latest update stopped in doubt, after an error that shows that no attempt at it had an
// effect. It returns nil after other errors.
func WithoutDoubt(r *Run, s recorded.State, err error) *recorded.State {
	var failed *StepError
	if f := s.Private.Failed; f != nil && errors.As(err, &failed) && failed.NoEffect {
		known := *f
		known.Unknown, known.Error = false, screen.Show(err.Error(), r.Mask()).String()
		s.Private.Failed = &known
		return &s
	}
	return nil
}

// LateID returns the id of a create that failed before it had one, "" if it cannot be
// evaluated: the failed step may have had a response, or the id may need none.
func LateID(r *Run) string {
	defer r.Branch()()
	r.HideLatestResponse()
	if t := plan.Last(r.Touched); t != nil && t.Step.Index == r.Failed {
		if answer := r.LastAnswer(t.Step); answer != nil {
			r.SetResult(t.Step, answer)
		}
	}
	id, err := r.EvalID()
	if err != nil {
		return ""
	}
	return id
}

// SkippedWhole reports whether the only step of the operation was skipped, so that it returns nothing.
func SkippedWhole(r *Run) bool {
	steps := r.Operation.Steps
	return len(steps) == 1 && steps[0].When != nil && !r.Ran && r.Results[0] == nil
}

// IsLastWrite reports whether the step of that index is the last of the operation that
// has an effect and would run: then nothing that it leaves undone is hidden from
// read.
func IsLastWrite(r *Run, index int) bool {
	for _, s := range r.Operation.Steps[min(index+1, len(r.Operation.Steps)):] {
		if s.Effect != actions.Write {
			continue
		}
		if runs, err := r.Bool(s.When, true); err != nil || runs {
			return false
		}
	}
	return true
}

// Restore restores the results of an operation that stopped. The run then continues at the step that it returns: the one
// at which the operation stopped, or its `restart`. Steps that were undone run again.
func Restore(r *Run, f *recorded.Failed) (first int) {
	r.Finished = map[int]bool{}
	first = f.Step
	if f.Step < len(r.Operation.Steps) {
		first = r.Operation.Steps[f.Step].Restart
	}
	again := map[int]bool{}
	for _, i := range f.Undone {
		again[i] = true
	}
	relying := r.Operation.RelyOn(again)
	for _, i := range f.Misfits {
		r.Misfit(i)
	}
	results := f.Results[:min(len(f.Results), len(r.Operation.Steps))]
	for i := range results {
		if (i < first || slices.Contains(f.Kept, i)) && !again[i] && !relying[i] {
			r.Finished[i] = true
		}
	}
	used := maps.Clone(r.Finished)
	if f.Ran() > 0 && first == f.Step && !relying[first] {
		r.Looping = r.Operation.Steps[f.Step]
		r.Elements, r.Spare = f.RestoredElements()
		used[f.Step] = true // its elements come from what was read then
	}
	if f.Unknown && first == f.Step && first < len(r.Operation.Steps) && !r.Operation.Steps[first].TakesNewReads() {
		used[first] = true // the same request must be sent again
	}
	for i := range r.Operation.StaleReads(used) {
		delete(r.Finished, i)
	}
	for i, result := range results {
		if !r.Finished[i] {
			continue
		}
		s := r.Operation.Steps[i]
		if r.Record(s, value.Restore(result)); slices.Contains(f.StandIns, i) {
			StandIn(r, s)
		}
		if s.Effect == actions.Write {
			r.Effected, r.Earlier = true, append(r.Earlier, &Touched{Step: s, Done: true, Answer: r.Results[i], Claim: f.Claims[i]})
		}
	}
	return first
}

// IsStuck reports whether a create failed because an expression has no value with the responses
// of earlier steps. The next run would fail in the same way.
func IsStuck(ctx context.Context, r *Run, failure error) bool {
	var eval *expr.EvalError
	var lack *LackError
	if stop.Err(ctx) != nil || ctx.Err() != nil || !errors.As(failure, &eval) && !errors.As(failure, &lack) || errors.Is(failure, context.DeadlineExceeded) || r.Failed >= len(r.Operation.Steps) {
		return false
	}
	before := map[int]bool{}
	for i := range r.Failed {
		before[i] = true
	}
	return r.Operation.RelyOn(before)[r.Failed]
}

// DescribeUndone adds to the failure of a create which steps were undone, which may have been (doubted), and which were not. err
// is the error of undoing.
func DescribeUndone(r *Run, failure error, undone map[int]bool, doubted []int, err error) error {
	var did, begun, left []string
	for _, t := range Made(r, failure) {
		switch name := t.Step.Name; {
		case undone[t.Step.Index]:
			did = append(did, name)
		case slices.Contains(doubted, t.Step.Index):
			begun = append(begun, name)
		default:
			left = append(left, name)
		}
	}
	switch {
	case did == nil && begun == nil && err == nil:
		return failure
	case left == nil && begun == nil:
		failure = fmt.Errorf("%w; what it had done was undone", failure)
	case did == nil && begun == nil:
		failure = fmt.Errorf("%w; nothing of it was undone", failure)
	default:
		for _, part := range []struct {
			how   string
			steps []string
		}{{"undone", did}, {"perhaps undone, in part or as a whole", begun}, {"not undone", left}} {
			if part.steps != nil {
				failure = fmt.Errorf("%w; %s: %s", failure, part.how, diag.And(part.steps))
			}
		}
	}
	if err != nil {
		failure = errors.Join(failure, fmt.Errorf("it could not be undone: %w", err))
	}
	return failure
}

// StoppedAgain reports whether a resumed create failed at the step at which it had stopped
// before, with a known outcome, and has changed nothing.
func StoppedAgain(before recorded.State, after *recorded.State, err error) bool {
	if after == nil || after.Private.Failed == nil || !errors.As(err, new(*StepError)) || StatusOf(err) == actions.Unknown {
		return false
	}
	was, is := before.Private.Failed, after.Private.Failed
	return is.Step == was.Step && !is.Unknown && !is.Stuck && len(is.Undone) == len(was.Undone) && is.Ran() == was.Ran()
}
