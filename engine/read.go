package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// Read looks how a resource is in the world. Gone says that there is nothing.
func (e *Engine) Read(ctx context.Context, req ReadRequest) Result {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return Result{Err: err}
	}
	state, err := e.toRead(ctx, res, req)
	if err != nil {
		return Result{Err: err}
	}
	if res.Read == nil {
		if req.Reason == Import {
			return Result{Err: fmt.Errorf("%s cannot be imported: its spec has no read", req.Type)}
		}
		state.ID, state.Private.ID = currentID(state), ""
		return Result{State: &state} // what is recorded is all there is to know
	}
	ctx, cancel := withTimeout(ctx, req.Timeout)
	defer cancel()
	if req.Reason == Refresh {
		if err := e.relocateAll(ctx, res, req.Ref, &state, req.Log); err != nil {
			return Result{Err: err}
		}
	}
	if !req.importing() {
		if err := completeFor(res, state, plan.Read); err != nil {
			return Result{Err: err}
		}
	}
	r := e.newRun(ctx, res, res.Read, plan.Read, req.Ref, req.Log)
	r.recall(state)
	if state.ID == "" {
		r.Vars.Values["id"] = nil // an import that does not give it
	}
	if err := r.open(); err != nil {
		return Result{Err: err}
	}
	yield, err := r.look(ctx)
	if errors.Is(err, errGone) && (undone(state) || notYetMade(res, state)) || errors.Is(err, errNotFound) && lacksParts(res, state) {
		if req.Reason == Refresh {
			r.log.Message(Info, "read does not find all of it, and it is kept for what the first steps of its create made, which stopped halfway: `pulumi up` goes on, and `pulumi destroy` removes them")
		}
		return Result{State: &state} // the next run makes it, and what is left of it stays known
	}
	if errors.Is(err, errGone) {
		e.tokens.forget(objectOf(res, state), state.Private.Token)
		return Result{Gone: true}
	}
	if err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	out := e.seen(r, req.Ref, state, yield, req.importing())
	if out.State != nil && req.Reason == Refresh && out.Err == nil {
		r.mention(e.seenSince(res, req.Ref, *out.State))
		r.mentionAnotherID(currentID(state), out.State.ID)
	}
	if out.State != nil {
		e.tokens.show(objectOf(res, *out.State), req.Ref, out.State.Private.Token)
	}
	return out
}

// importing reports whether nothing is known of a resource but its id.
func (req ReadRequest) importing() bool {
	return req.Reason == Import || req.Reason == Lookup && req.State.Inputs.Len() == 0 && req.State.Outputs.Len() == 0
}

// undone reports whether steps of the create that made a resource were undone,
// while others were not.
func undone(s State) bool {
	f := s.Private.Failed
	return f != nil && f.Op == string(plan.Create) && len(f.Undone) > 0
}

// notYetMade reports whether what read asks for may not have been made yet, by a create
// that stopped behind steps with an effect: its id tells nothing of that where it is made
// of inputs alone.
func notYetMade(r *plan.Resource, s State) bool {
	f := s.Private.Failed
	if f == nil || f.Op != string(plan.Create) || r.Create == nil || f.Steps != r.Create.Shape() || r.IDFromAnswers() {
		return false
	}
	finished, ahead := false, false
	for i, step := range r.Create.Steps {
		done := (i < f.Step || slices.Contains(f.Kept, i)) && !slices.Contains(f.Undone, i)
		finished = finished || done && step.Effect == actions.Write
		ahead = ahead || !done && step.Effect == actions.Write
	}
	return finished && ahead
}

// lacksParts reports whether a step of the create has made nothing, so that a later step of
// read may find nothing.
func lacksParts(r *plan.Resource, s State) bool {
	f := s.Private.Failed
	return s.Private.Unmade != "" || f != nil && f.Op == string(plan.Create) && r.Create != nil && f.Step < len(r.Create.Steps)
}

// currentID is the id that the world knows a resource by.
func currentID(s State) string {
	if s.Private.ID != "" {
		return s.Private.ID
	}
	return s.ID
}

// seen is the state that a read found.
func (e *Engine) seen(r *run, ref Ref, old State, yield any, importing bool) Result {
	m := r.Mask()
	outputs, lost := r.res.Outputs.Project(yield, m)
	if lost == nil && len(outputs.Missing) > 0 {
		lost = r.lacks("read yields", outputs.Missing, yield)
	}
	inputs, lostInputs := e.seenInputs(r, ref, old, yield, importing)
	if all, changed := r.res.Inputs.Sealed(property.New(inputs)); changed {
		inputs = all.AsMap() // the spec may have declared it secret since then
	}
	lost = errors.Join(lost, lostInputs)
	// What is managed stays so without what cannot be recorded of it; what is not yet
	// is not taken over.
	if lost != nil && (importing || !value.Unrecordable(lost)) {
		return Result{Err: m.Error(fmt.Errorf("read of %s: %w", r.res.Spec.Name, lost))}
	}
	for name, value := range outputs.Values {
		outputs.Values[name] = asSecret(value, old.Outputs.Get(name))
	}
	private := old.Private
	private.ETag = r.etag
	private.SchemaVersion = r.res.Spec.SchemaVersion // an import has none yet
	if f := private.Failed; f != nil && f.Op == string(plan.Update) {
		seen := *f
		seen.Seen = true // from now on what differs is known
		private.Failed = &seen
	}
	found, err := e.identified(r, old, State{Inputs: inputs, Outputs: withInputs(inputs, outputs.Values), Private: private})
	if err != nil {
		return Result{Err: m.Error(fmt.Errorf("read of %s: %w", r.res.Spec.Name, err))}
	}
	if lost != nil {
		lost = m.Error(fmt.Errorf("read of %s: %w", r.res.Spec.Name, lost))
	}
	return Result{State: &found, Err: lost}
}

// seenInputs are the recorded inputs, brought to what the world has. What it
// does not give back stands, and so does what means the same.
func (e *Engine) seenInputs(r *run, ref Ref, old State, yield any, importing bool) (property.Map, error) {
	inputs := old.Inputs
	found, err := r.res.Inputs.Project(yield, r.Mask())
	if err != nil && !value.Unrecordable(err) {
		return inputs, err
	}
	for _, m := range r.res.Inputs.Fields {
		recorded, given := old.Inputs.GetOk(m.Name)
		shown, there := found.Values[m.Name]
		// The server may choose what is an input and an output: the input is
		// the program's only where the program set it.
		chosen := !importing && !given && r.res.Outputs.ByName[m.Name] != nil
		switch {
		case slices.Contains(found.Lost, m.Name):
			// It stays as it is recorded.
		case m.NoRead || m.Ephemeral || chosen:
			if importing && !given && m.Default != nil {
				inputs = inputs.Set(m.Name, m.Fallback)
			}
		case !there && (m.Required || r.res.Identity.ByID(m.Name) && given):
			// The world does not say, and it cannot be unset; or the id says it.
		case !there && m.Default != nil:
			inputs = inputs.Set(m.Name, m.Fallback)
		case !there:
			inputs = inputs.Delete(m.Name)
		case given && (value.PlainEqual(recorded, shown) || e.same(r.Vars.Context, r.res, ref, m, recorded, shown)):
		default:
			inputs = inputs.Set(m.Name, shown.WithSecret(shown.Secret() || recorded.HasSecrets()))
		}
	}
	return inputs, err
}

// same reports whether two values mean the same, by all rules of a diff.
func (e *Engine) same(ctx context.Context, res *plan.Resource, ref Ref, m *value.Member, old, new property.Value) bool {
	d := &value.Differ{Equal: func(m *value.Member, old, new property.Value) bool { return e.equal(ctx, res, ref, m, old, new) }}
	d.Compare(m.Check, m, old, new, m.Name, false)
	return len(d.Changes) == 0
}
