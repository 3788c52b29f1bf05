package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// SettleRequest asks what an intent of the journal made.
type SettleRequest struct {
	Intent journal.Intent
	// Inputs are added to those that the journal holds: it holds no secrets.
	Inputs property.Map
	// Delete removes what is found.
	Delete bool
	Log    Log
}

// Settled is what an intent made, as far as can be found. The journal is left as
// it is, but for what else it has of a create that was deleted.
type Settled struct {
	Found bool
	ID    string
	// By says how it was found: "find", "read", or "response" where its id was
	// recorded and the spec has no read.
	By string
	// State is what a delete would be given.
	State   *State
	Deleted bool
	// Doubt says what speaks against its being what the intent made: "" is nothing.
	// What is in doubt is not deleted.
	Doubt string
	// Early reports that nothing was found, and that the request was sent so
	// recently that something may still appear (the spec's `consistency`).
	Early bool
}

// ErrNoFind reports that a spec has no `find`, so that nothing can look for what
// an intent made.
var ErrNoFind = errors.New("its spec has no `find`")

// HandedError reports an intent of whose outcome the host was told: what it made is
// not deleted behind the back of a state that has it.
type HandedError struct{ Key string }

func (e *HandedError) Error() string {
	return fmt.Sprintf("Pulumi was told of it, and a state has it unless Pulumi was killed at that moment: `pulumi destroy` deletes it. "+
		"If no state has it, delete it in the service, or take it over with `pulumi import`. Then: declprov journal forget %s", e.Key)
}

// WithheldError reports inputs that are needed, and that the journal does not hold
// because they are secret or files.
type WithheldError struct{ Inputs []string }

func (e *WithheldError) Error() string {
	return fmt.Sprintf("it needs %s, which the journal does not hold (secrets and files are left out)", diag.And(e.Inputs))
}

// Settle finds what an intent made, and removes it if Delete is set.
func (e *Engine) Settle(ctx context.Context, req SettleRequest) (Settled, error) {
	i := req.Intent
	res, err := e.program.Resource(i.Type)
	if err != nil {
		return Settled{}, err
	}
	ref := Ref{Type: i.Type, Name: i.Name(), Key: i.Resource}
	if ref.Name == "" {
		ref.Name, ref.Key = i.Resource, ""
	}
	if req.Delete && i.Operation == journal.Update {
		return Settled{}, fmt.Errorf("it is the update of a %s that a stack manages: the next `pulumi up` settles it, and `pulumi destroy` removes it; if the stack has it no more, `declprov journal forget %s`", i.Type, i.Key)
	}
	if req.Delete && i.Status == journal.Handed {
		return Settled{}, &HandedError{i.Key}
	}
	if req.Delete && res.Delete == nil {
		return Settled{}, fmt.Errorf("%s has no delete: remove it in the service", i.Type)
	}
	inputs, err := settlingInputs(req)
	if err != nil {
		return Settled{}, err
	}
	r := e.newRun(ctx, res, res.Create, plan.Create, ref, req.Log)
	r.inputs(inputs)
	r.given = inputs
	if err := r.open(); err != nil {
		return Settled{}, err
	}
	found, err := r.lookFor(ctx, i, inputs)
	if err != nil {
		return Settled{}, r.Mask().Error(err)
	}
	if !found.Found {
		limit, err := r.Duration(res.Consistency, defaultConsistency)
		sent := i.Sent
		if sent.IsZero() {
			sent = i.Began
		}
		found.Early = time.Since(sent) < limit
		return found, r.Mask().Error(err)
	}
	if !req.Delete || found.Doubt != "" {
		return found, nil
	}
	needs := []*plan.Operation{res.Delete}
	if found.By == "find" && res.Read != nil {
		needs = append(needs, res.Read) // unread, nothing proves whose it is
	}
	if missing := withheldIn(i, inputs, needs...); missing != nil {
		return found, &WithheldError{Inputs: missing}
	}
	if err := e.Delete(ctx, DeleteRequest{Ref: ref, State: *found.State, Log: req.Log}); err != nil {
		return found, err
	}
	found.Deleted = true
	// What else was answered of that create was of what is gone now.
	book, err := e.book()
	if err == nil {
		err = book.Settle(i.Subject, func(o journal.Intent) bool { return o.Key != i.Key && o.Accompanies(i) })
	}
	return found, err
}

// settlingInputs are the recorded inputs and those that were added.
func settlingInputs(req SettleRequest) (property.Map, error) {
	inputs, err := value.Unrecorded(req.Intent.Inputs)
	if err != nil {
		return inputs, fmt.Errorf("the inputs in the journal cannot be read: %w", err)
	}
	for name, v := range req.Inputs.AllStable {
		if slices.Contains(req.Intent.Withheld, name) {
			v = v.WithSecret(true)
		}
		inputs = inputs.Set(name, v)
	}
	return inputs, nil
}

// lookFor looks for what an intent made: by its id, where that is known, else by
// the spec's find.
func (r *run) lookFor(ctx context.Context, i journal.Intent, inputs property.Map) (Settled, error) {
	found := Settled{By: "find"}
	state := State{ID: i.ID, Inputs: inputs, Private: Private{SchemaVersion: r.res.Spec.SchemaVersion, Unmade: r.unmadeBehind(i)}}
	if state.ID == "" || i.Operation == journal.Update && r.res.Find != nil {
		if r.res.Find == nil {
			return found, ErrNoFind
		}
		if missing := withheldIn(i, inputs, r.res.Find); missing != nil {
			return found, &WithheldError{Inputs: missing}
		}
		var err error
		if state.ID, found.Doubt, err = r.findID(ctx, i); err != nil || state.ID == "" {
			return found, err
		}
	} else {
		found.By = "response"
	}
	if r.res.Read != nil && withheldIn(i, inputs, r.res.Read) == nil {
		read, err := r.readFound(ctx, state)
		if err != nil {
			return found, err
		}
		switch {
		case read != nil && found.By == "response":
			found.By, state = "read", *read
		case read != nil:
			state = *read
		case found.By == "response" || i.Operation == journal.Update:
			return found, nil
		} // else find sees what is too unfinished for read
	}
	found.Found, found.ID, found.State = true, state.ID, &state
	return found, nil
}

// findID runs find, and evaluates the id from what it found; "" if it found
// nothing. doubt says what speaks against its being what the intent made.
func (r *run) findID(ctx context.Context, i journal.Intent) (id, doubt string, err error) {
	if i.Operation == journal.Update || i.Step < 0 || i.Step >= len(r.op.Steps) {
		i.Step = max(0, min(r.res.IDAfter, len(r.op.Steps)-1)) // find stands in for the step that gives the id
	}
	s := r.op.Steps[i.Step]
	value, err := r.find(ctx, s)
	if err != nil || value == nil {
		return "", "", err
	}
	if i.Operation == journal.Create && (r.res.Read == nil || withheldIn(i, r.given, r.res.Read) == nil) {
		if doubt, err = r.notOwn(ctx, s, value, missingOf(i, r.given), r.given); err != nil {
			return "", "", err
		}
	}
	for _, earlier := range r.op.Steps[:s.Index] {
		r.record(earlier, expr.Unknown{}) // what it gave is not recorded
	}
	r.record(s, value)
	id, err = r.evalID()
	if err == nil && id == "" {
		err = fmt.Errorf("find found something, and its id cannot be evaluated from it")
	}
	return id, doubt, err
}

// readFound is the state that the spec's read gives; nil if the resource does not
// exist, and as it was recorded if a later step of the read finds nothing.
func (r *run) readFound(ctx context.Context, state State) (*State, error) {
	reader := r.engine.newRun(ctx, r.res, r.res.Read, plan.Read, r.ref, r.log.to)
	reader.recall(state)
	if err := reader.open(); err != nil {
		return nil, err
	}
	yield, err := reader.look(ctx)
	if errors.Is(err, errGone) {
		return nil, nil
	}
	if errors.Is(err, errNotFound) {
		return &state, nil // it is half made
	}
	if err != nil {
		return nil, reader.Mask().Error(err)
	}
	out := r.engine.seen(reader, r.ref, state, yield, false)
	if out.State != nil {
		return out.State, nil // what cannot be recorded of it does not matter here
	}
	return nil, out.Err
}

// withheldIn are the inputs that operations read, and that the journal does not
// hold.
func withheldIn(i journal.Intent, inputs property.Map, ops ...*plan.Operation) []string {
	var values []*expr.Value
	for _, op := range ops {
		values = append(values, op.Return)
		for _, s := range op.Steps {
			values = append(append(values, s.Templates()...), s.OwnTemplates()...)
			values = append(values, s.ForEach)
		}
	}
	var missing []string
	for _, name := range missingOf(i, inputs) {
		reads := func(v *expr.Value) bool {
			return v != nil && slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool {
				of := ref.Path[0]
				return (of == "inputs" || of == "state") && (len(ref.Path) == 1 || ref.Path[1] == name)
			})
		}
		if slices.ContainsFunc(values, reads) {
			missing = append(missing, name)
		}
	}
	return missing
}

// missingOf are the inputs that the journal withholds and nobody has added.
func missingOf(i journal.Intent, inputs property.Map) []string {
	return slices.DeleteFunc(slices.Clone(i.Withheld), func(name string) bool {
		_, given := inputs.GetOk(name)
		return given
	})
}

// RecordedConfig is the configuration that an intent recorded, of the settings
// that the spec still has.
func (p *Program) RecordedConfig(i journal.Intent) (property.Map, error) {
	config, err := value.Unrecorded(i.Configuration)
	if err != nil {
		return config, fmt.Errorf("the configuration in the journal cannot be read: %w", err)
	}
	for name := range config.AllStable {
		if p.ConfigType.ByName[name] == nil {
			config = config.Delete(name)
		}
	}
	return config, nil
}
