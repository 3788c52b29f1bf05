package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// existsUnderID reports whether the object of an id is there, which a lost update of one step
// would have given another id: then it was not done. More steps than one may make a copy
// first and remove the old one later.
func (r *Run) existsUnderID(ctx context.Context, was string, before property.Map) bool {
	writes := 0
	for _, s := range r.res.Update.Steps {
		if s.Effect == actions.Write {
			writes++
		}
	}
	if writes != 1 || r.res.Read == nil || !r.res.Read.RefersToState() {
		return false
	}
	reader, yield, err := r.readState(ctx, recorded.State{ID: was, Inputs: before, Private: recorded.Private{SchemaVersion: r.res.Spec.SchemaVersion}})
	if err != nil {
		return false
	}
	seen := reader.rt.stateFromRead(reader, r.ref, recorded.State{ID: was, Inputs: before}, yield, false)
	return seen.State != nil && seen.State.ID == was
}

// settleMove reports whether find shows that a lost step of an update was done, because
// it gave the resource another id. The steps that follow see the id that they would
// have seen. The step that ends an update is left to read, which shows more.
func (r *Run) settleMove(ctx context.Context, s *plan.Step, i *journal.Intent) (bool, error) {
	if r.Verb != plan.Update || !i.Proves || len(s.Undo) > 0 || r.Operation.Uses(s) || r.isLastWrite(s.Index) {
		return false, nil
	}
	id, err := r.rt.findOwnID(ctx, r.res, r.ref, i.ID, r.given, r.before, r.Log.To)
	if err != nil || id == "" || id == i.ID {
		return false, err
	}
	r.Log.Message(Info, "the response to "+s.Name+" of the update was lost: it was done, as find shows")
	r.effect(s, verdict.Verdict{Status: actions.Done})
	r.id, r.Vars.Values["id"] = id, i.ID
	i.Status, i.ID, i.Moved = journal.Answered, id, true
	return true, nil
}

// findBeforeUpdate asks find, before an update is sent of which only find could say later
// what it did, whether its inputs lead to anything but the resource itself.
func (r *Run) findBeforeUpdate(ctx context.Context) error {
	if r.Verb != plan.Update || r.preview || r.looked || r.res.Find == nil {
		return nil
	}
	id, _, _, err := r.rt.findID(ctx, r.res, r.ref, r.given, r.Log.To)
	if err != nil {
		return r.stop(r.Operation.Steps[0], 1, actions.Refused, fmt.Errorf("looking for it before it is changed: %w", err))
	}
	r.looked = id == "" || id == r.id
	return nil
}

// readState reads the resource as that state says of it.
func (r *Run) readState(ctx context.Context, now recorded.State) (*Run, any, error) {
	reader := r.rt.New(ctx, r.res, r.res.Read, plan.Read, r.ref, r.Log.To)
	reader.recall(now)
	reader.env = r.env
	yield, err := reader.read(ctx)
	return reader, yield, err
}

// mayLeaveOld reports whether the object of the id before is still there, or may be,
// after a step that followed the one that gave another id: reading the new one does
// not tell what that step did to the old one.
func (r *Run) mayLeaveOld(ctx context.Context, s *recorded.State) bool {
	before, _ := r.Vars.Values["id"].(string)
	changed := slices.ContainsFunc(r.Operation.Steps[:min(r.failed, len(r.Operation.Steps))], func(s *plan.Step) bool {
		ran, err := r.Bool(s.When, true)
		return s.Effect == actions.Write && (err != nil || ran)
	})
	if before == "" || before == r.id || !changed {
		return false
	}
	inputs, err := r.rt.withIDInputs(r.res, before, s.Inputs)
	if err != nil {
		return true
	}
	_, _, err = r.readState(ctx, recorded.State{ID: before, Inputs: inputs, Outputs: s.Outputs, Private: recorded.Private{Token: s.Private.Token}})
	return !errors.Is(err, verdict.ErrGone)
}

// isLastWrite reports whether the step of that index is the last of the operation that
// has an effect and would run: then nothing that it leaves undone is hidden from
// read.
func (r *Run) isLastWrite(index int) bool {
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

// withIDInputs are the inputs, with those that an id says as it says them.
func (rt *Runtime) withIDInputs(res *plan.Resource, id string, inputs property.Map) (property.Map, error) {
	if !res.Identity.ID.IsSet() {
		return inputs, nil
	}
	said, _, err := res.Identity.ID.Read(res, rt.Config, id)
	for name, v := range said.AllStable {
		if before, given := inputs.GetOk(name); !given || !value.PlainEqual(before, v) {
			inputs = inputs.Set(name, v)
		}
	}
	return inputs, err
}

// findOwnID is the id of what find finds by the inputs of a lost update, "" where that is
// nothing, or another object: what has another id than the resource had, it is only if
// all of it is as it was, or as the update was to make it.
func (rt *Runtime) findOwnID(ctx context.Context, res *plan.Resource, ref recorded.Ref, was string, inputs, before property.Map, log Log) (string, error) {
	id, r, found, err := rt.findID(ctx, res, ref, inputs, log)
	if err != nil || id == "" || id == was {
		return id, err
	}
	why, err := r.notOwn(ctx, res.Maker, found, nil, inputs, before)
	if err == nil && why == "" && r.existsUnderID(ctx, was, before) {
		why = fmt.Sprintf("what had the id %q is there, too", was)
	}
	if err != nil || why == "" {
		return id, err
	}
	r.Log.Message(Warning, fmt.Sprintf("an update may have given it another id. Something is there now%s, and %s: it is left alone", r.describeID(res.Maker, found), why))
	return "", nil
}

// findID is the id of what find finds by these inputs, "" where that is nothing, and
// the run that found it.
func (rt *Runtime) findID(ctx context.Context, res *plan.Resource, ref recorded.Ref, inputs property.Map, log Log) (id string, r *Run, found any, err error) {
	if res.Maker == nil {
		return "", nil, nil, nil
	}
	r = rt.New(ctx, res, res.Create, plan.Create, ref, log)
	r.SetInputs(inputs)
	r.given = inputs
	if err := r.Open(); err != nil {
		return "", nil, nil, err
	}
	found, err = r.find(ctx, res.Maker)
	if err != nil || found == nil {
		return "", nil, nil, r.Mask().Error(err)
	}
	for _, name := range plan.AnswerNames {
		r.Vars.Values[name] = expr.Unknown{}
	}
	r.SetResult(res.Maker, found)
	id, err = r.EvalID()
	return id, r, found, r.Mask().Error(err)
}

// relocate finds the id that a lost update may have given the resource, and makes
// it that of the state. What find finds counts only if it found nothing but the
// resource itself before the update was sent.
func (rt *Runtime) relocate(ctx context.Context, res *plan.Resource, ref recorded.Ref, s *recorded.State, log Log) error {
	if res.Find == nil || s.Private.Token == "" || !res.Journals() {
		return nil
	}
	list, err := rt.records.of(ref).Intents()
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.Operation != journal.Update || i.Token != s.Private.Token || i.UnderWay() || i.Status == journal.Failed {
			continue // what failed was answered, and gives no right to what is found now
		}
		id := i.ID
		if i.Status == journal.Answered && !i.Moved {
			continue // its id is the one before
		}
		if i.Status != journal.Answered {
			if id, err = rt.findIDAfter(ctx, res, ref, i, *s, log); err != nil {
				return fmt.Errorf("an update of it, whose response was lost, is still open: %w", err)
			}
		}
		if id != "" && id != recorded.CurrentID(*s) {
			s.Private.ID = id
		}
	}
	return nil
}

// closeLostUpdates notes that a refresh has seen what became of lost updates: once the host
// shows that it has recorded the id, nothing about them is open. One that the state
// calls unfinished goes on first.
func (rt *Runtime) closeLostUpdates(res *plan.Resource, ref recorded.Ref, s recorded.State) error {
	if res.Find == nil || s.Private.Token == "" || s.Private.Failed != nil {
		return nil
	}
	book := rt.records.of(ref)
	if !book.MayHaveIntents() {
		return nil
	}
	list, err := book.Intents()
	for _, i := range list {
		if i.Operation == journal.Update && i.Token == s.Private.Token && i.Open() {
			i.Status, i.ID, i.Moved = journal.Answered, recorded.CurrentID(s), true
			err = errors.Join(err, book.Put(i, false))
		}
	}
	return err
}

// relocateWithInputs is relocate for reads and deletes, which see the resource as it is
// now: what the id says of it is true of it.
func (rt *Runtime) relocateWithInputs(ctx context.Context, res *plan.Resource, ref recorded.Ref, s *recorded.State, log Log) error {
	if err := rt.relocate(ctx, res, ref, s, log); err != nil || s.Private.ID == "" {
		return err
	}
	var err error
	s.Inputs, err = rt.withIDInputs(res, s.Private.ID, s.Inputs)
	return err
}

// findIDAfter is the id that find gives after a lost update of a state, "" where it tells
// none.
func (rt *Runtime) findIDAfter(ctx context.Context, res *plan.Resource, ref recorded.Ref, i journal.Intent, s recorded.State, log Log) (string, error) {
	if !i.Looked || len(i.Withheld) > 0 || len(i.Inputs) == 0 {
		return "", nil
	}
	inputs, err := value.DecodeRecorded(i.Inputs)
	if err != nil {
		return "", err
	}
	return rt.findOwnID(ctx, res, ref, recorded.CurrentID(s), inputs, s.Inputs, log)
}

// settleUpdate settles an update that an earlier run sent and whose outcome nobody
// knows: the id is taken from find, and where read shows what the program wants,
// the update was done. Both nil: it is to be sent (again).
func (rt *Runtime) settleUpdate(ctx context.Context, res *plan.Resource, s *recorded.State, req UpdateRequest) (*Result, error) {
	before := recorded.CurrentID(*s)
	if err := rt.relocate(ctx, res, req.Ref, s, req.Log); err != nil {
		return nil, err
	}
	failed := s.Private.Failed
	lost := failed != nil && failed.Unknown && failed.Op == string(plan.Update)
	if !lost && recorded.CurrentID(*s) == before || res.Update == nil {
		return nil, nil
	}
	r := rt.New(ctx, res, res.Update, plan.Update, req.Ref, req.Log)
	r.SetInputs(req.Inputs)
	r.SetState(*s)
	r.Vars.Values["changes"] = ChangedInputs(r, res, rt.Changes(ctx, res, req.Ref, *s, req.Inputs, req.Ignore))
	r.TakeID(recorded.CurrentID(*s))
	r.ETag, r.given, r.token = s.Private.ETag, req.Inputs, s.Private.Token
	if failed != nil && failed.ID != "" {
		r.Vars.Values["id"] = failed.ID
	}
	if failed != nil {
		r.failed = failed.Step
	} else {
		r.failed = len(res.Update.Steps) - 1
	}
	if err := r.Open(); err != nil {
		return nil, err
	}
	return r.reconcile(ctx, req, s), nil
}

// reconcile looks whether an update of unknown outcome was done: whether the world
// is what the program wants. Nil is that nobody can tell, or that it was not; the
// id and the ETag of the state are then as they are now, so that the update can be
// sent again.
func (r *Run) reconcile(ctx context.Context, req UpdateRequest, s *recorded.State) *Result {
	if r.id != s.ID {
		s.Private.ID = r.id
	} else {
		s.Private.ID = ""
	}
	if r.res.Read == nil || !r.isLastWrite(r.failed) || r.mayLeaveOld(ctx, s) {
		return nil
	}
	inputs, err := r.rt.withIDInputs(r.res, r.id, req.Inputs)
	if err != nil {
		return nil
	}
	now := recorded.State{ID: r.id, Inputs: inputs, Outputs: s.Outputs, Private: recorded.Private{Token: s.Private.Token}}
	reader, yield, err := r.readState(ctx, now)
	if err != nil {
		return nil
	}
	seen := r.rt.stateFromRead(reader, req.Ref, now, yield, false)
	if seen.State == nil || seen.Err != nil {
		return nil
	}
	if !r.readMatches(ctx, req, req.Inputs, seen.State.Inputs) {
		if r.readMatches(ctx, req, s.Inputs, seen.State.Inputs) {
			r.ETag, s.Private.ETag = reader.ETag, reader.ETag // nobody else has changed it
		}
		return nil
	}
	out := &recorded.State{ID: s.ID, Inputs: req.Inputs, Outputs: recorded.WithInputs(req.Inputs, recorded.DeclaredOutputs(r.res, *seen.State))}
	out.Private = recorded.Private{SchemaVersion: r.res.Spec.SchemaVersion, ETag: reader.ETag, Token: s.Private.Token, Unmade: r.unmadeNow(nil)}
	if r.id != s.ID {
		out.Private.ID = r.id
	}
	r.Log.Message(Info, "the response to the update was lost: it was done, as reading it shows")
	if err := r.forgetUpdates(out); err != nil {
		r.Log.Message(Warning, err.Error())
	}
	return &Result{State: out}
}

// readMatches reports whether what a read has seen is what the inputs say, as far as read
// can tell: something must be there that it tells.
func (r *Run) readMatches(ctx context.Context, req UpdateRequest, want, seen property.Map) bool {
	told := false
	for _, m := range r.res.Inputs.Fields {
		told = told || !m.NoRead && !m.Ephemeral
	}
	return told && len(r.rt.Changes(ctx, r.res, req.Ref, recorded.State{Inputs: seen}, want, req.Ignore)) == 0
}

// findNewID asks find for the id of a resource whose update was done, where no response
// tells it. It is false where find cannot tell it, either.
func (r *Run) findNewID(ctx context.Context, before property.Map) bool {
	if !r.looked || stop.Err(ctx) != nil {
		return false
	}
	id, err := r.rt.findOwnID(ctx, r.res, r.ref, r.id, r.given, before, r.Log.To)
	if err == nil && id != "" {
		r.id = id
	}
	return err == nil && id != ""
}

// forgetUpdates forgets the intents of an update that is done. One that gave another id
// stays until the host shows that it has recorded it.
func (r *Run) forgetUpdates(s *recorded.State) error {
	if !r.res.Journals() {
		return nil
	}
	if !r.book().MayHaveIntents() {
		return nil
	}
	list, err := r.book().Intents()
	for _, i := range list {
		if i.Operation != journal.Update || i.Token != s.Private.Token {
			continue
		}
		if s.Private.ID == "" {
			err = errors.Join(err, r.book().RemoveOne(i))
			continue
		}
		i.Status, i.ID, i.Moved = journal.Answered, s.Private.ID, true
		err = errors.Join(err, r.book().Put(i, false))
	}
	return err
}
