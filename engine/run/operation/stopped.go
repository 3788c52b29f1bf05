package operation

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/spec/screen"
)

// Stopped returns what the next run needs to continue an operation with these inputs that stopped at a step.
func (r *Run) Stopped(inputs property.Map, failed int, err error) *recorded.Failed {
	m := r.Mask()
	out := &recorded.Failed{
		Op: string(r.Verb), Step: failed, Steps: r.Operation.Shape(), Inputs: recorded.HashInputs(inputs), Error: screen.Show(err.Error(), m).String(),
		Given: recorded.NamesOf(inputs), Unknown: StatusOf(err) == actions.Unknown, Misfits: slices.Sorted(maps.Keys(r.Misfits)),
	}
	if id, _ := r.Vars.Values["id"].(string); r.Verb == plan.Update && id != r.ID {
		out.ID = id
	}
	for i, value := range r.Results {
		switch {
		case i > failed && r.Finished[i]: // before the run was resumed
			out.Kept = append(out.Kept, i)
		case i >= failed:
			value = nil
		}
		out.Results = append(out.Results, recorded.WithoutFiles(value))
	}
	if failed < len(r.Operation.Steps) && r.Looping == r.Operation.Steps[failed] && len(r.Elements)+len(r.Spare) > 0 {
		out.KeepElements(r.Elements, r.Prints, r.Spare)
	}
	// A response may contain secrets that are not declared, and a hash of a short secret can be
	// guessed.
	out.Secret = len(out.Results) > 0 || out.Ran() > 0 || property.New(inputs).HasSecrets()
	return out
}

// LateID returns the id of a create that failed before it had one, "" if it cannot be
// evaluated: the failed step may have had a response, or the id may need none.
func (r *Run) LateID() string {
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
func (r *Run) SkippedWhole() bool {
	steps := r.Operation.Steps
	return len(steps) == 1 && steps[0].When != nil && !r.Ran && r.Results[0] == nil
}

// IsLastWrite reports whether the step of that index is the last of the operation that
// has an effect and would run: then nothing that it leaves undone is hidden from
// read.
func (r *Run) IsLastWrite(index int) bool {
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
