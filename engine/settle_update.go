package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// An update whose response was lost may have been done, may have given the
// resource another id, and may have changed the ETag that the next one needs. What
// is true, the resource's find and read tell.

// relocate finds the id that a lost update may have given the resource, and makes
// it that of the state. What find finds counts only if it found nothing but the
// resource itself before the update was sent.
func (e *Engine) relocate(ctx context.Context, res *plan.Resource, ref Ref, s *State, log Log) error {
	if res.Find == nil || s.Private.Token == "" || !res.Journals() {
		return nil
	}
	book, err := e.book()
	if err != nil {
		return err
	}
	list, err := book.Of(e.subject(ref))
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
			if id, err = e.idAfter(ctx, res, ref, i, *s, log); err != nil {
				return fmt.Errorf("an update of it, whose response was lost, is still open: %w", err)
			}
		}
		if id != "" && id != currentID(*s) {
			s.Private.ID = id
		}
	}
	return nil
}

// seenSince notes that a refresh has seen what became of lost updates: once the host
// shows that it has recorded the id, nothing about them is open. One that the state
// calls unfinished goes on first.
func (e *Engine) seenSince(res *plan.Resource, ref Ref, s State) error {
	if res.Find == nil || s.Private.Token == "" || s.Private.Failed != nil {
		return nil
	}
	book, err := e.book()
	if err != nil || !book.Has(e.subject(ref)) {
		return err
	}
	list, err := book.Of(e.subject(ref))
	for _, i := range list {
		if i.Operation == journal.Update && i.Token == s.Private.Token && i.Open() {
			i.Status, i.ID, i.Moved = journal.Answered, currentID(s), true
			err = errors.Join(err, book.Put(i, false))
		}
	}
	return err
}

// relocateAll is relocate for reads and deletes, which see the resource as it is
// now: what the id says of it is true of it.
func (e *Engine) relocateAll(ctx context.Context, res *plan.Resource, ref Ref, s *State, log Log) error {
	if err := e.relocate(ctx, res, ref, s, log); err != nil || s.Private.ID == "" {
		return err
	}
	var err error
	s.Inputs, err = e.said(res, s.Private.ID, s.Inputs)
	return err
}

// said are the inputs, with those that an id says as it says them.
func (e *Engine) said(res *plan.Resource, id string, inputs property.Map) (property.Map, error) {
	if !res.Identity.ID.Given() {
		return inputs, nil
	}
	said, _, err := res.Identity.ID.Read(res, e.plainConfig, id)
	for name, v := range said.AllStable {
		if before, given := inputs.GetOk(name); !given || !value.PlainEqual(before, v) {
			inputs = inputs.Set(name, v)
		}
	}
	return inputs, err
}

// idAfter is the id that find gives after a lost update of a state, "" where it tells
// none.
func (e *Engine) idAfter(ctx context.Context, res *plan.Resource, ref Ref, i journal.Intent, s State, log Log) (string, error) {
	if !i.Looked || len(i.Withheld) > 0 || len(i.Inputs) == 0 {
		return "", nil
	}
	inputs, err := value.Unrecorded(i.Inputs)
	if err != nil {
		return "", err
	}
	return e.ownID(ctx, res, ref, currentID(s), inputs, s.Inputs, log)
}

// ownID is the id of what find finds by the inputs of a lost update, "" where that is
// nothing, or another object: what has another id than the resource had, it is only if
// all of it is as it was, or as the update was to make it.
func (e *Engine) ownID(ctx context.Context, res *plan.Resource, ref Ref, was string, inputs, before property.Map, log Log) (string, error) {
	id, r, found, err := e.findID(ctx, res, ref, inputs, log)
	if err != nil || id == "" || id == was {
		return id, err
	}
	why, err := r.notOwn(ctx, res.Maker, found, nil, inputs, before)
	if err == nil && why == "" && r.stays(ctx, was, before) {
		why = fmt.Sprintf("what had the id %q is there, too", was)
	}
	if err != nil || why == "" {
		return id, err
	}
	r.log.Message(Warning, fmt.Sprintf("an update may have given it another id. Something is there now%s, and %s: it is left alone", r.idOf(res.Maker, found), why))
	return "", nil
}

// stays reports whether the object of an id is there, which a lost update of one step
// would have given another id: then it was not done. More steps than one may make a copy
// first and remove the old one later.
func (r *run) stays(ctx context.Context, was string, before property.Map) bool {
	writes := 0
	for _, s := range r.res.Update.Steps {
		if s.Effect == actions.Write {
			writes++
		}
	}
	if writes != 1 || r.res.Read == nil || !r.res.Read.AsksByID() {
		return false
	}
	reader, yield, err := r.readAs(ctx, State{ID: was, Inputs: before, Private: Private{SchemaVersion: r.res.Spec.SchemaVersion}})
	if err != nil {
		return false
	}
	seen := reader.engine.seen(reader, r.ref, State{ID: was, Inputs: before}, yield, false)
	return seen.State != nil && seen.State.ID == was
}

// findID is the id of what find finds by these inputs, "" where that is nothing, and
// the run that found it.
func (e *Engine) findID(ctx context.Context, res *plan.Resource, ref Ref, inputs property.Map, log Log) (id string, r *run, found any, err error) {
	if res.Maker == nil {
		return "", nil, nil, nil
	}
	r = e.newRun(ctx, res, res.Create, plan.Create, ref, log)
	r.inputs(inputs)
	r.given = inputs
	if err := r.open(); err != nil {
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
	id, err = r.evalID()
	return id, r, found, r.Mask().Error(err)
}

// moved reports whether find shows that a lost step of an update was done, because
// it gave the resource another id. The steps that follow see the id that they would
// have seen. The step that ends an update is left to read, which shows more.
func (r *run) moved(ctx context.Context, s *plan.Step, i *journal.Intent) (bool, error) {
	if r.verb != plan.Update || !i.Proves || len(s.Undo) > 0 || r.op.Uses(s) || r.endsWith(s.Index) {
		return false, nil
	}
	id, err := r.engine.ownID(ctx, r.res, r.ref, i.ID, r.given, r.before, r.log.to)
	if err != nil || id == "" || id == i.ID {
		return false, err
	}
	r.log.Message(Info, "the response to "+s.Name+" of the update was lost: it was done, as find shows")
	r.effect(s, verdict{status: actions.Done})
	r.id, r.Vars.Values["id"] = id, i.ID
	i.Status, i.ID, i.Moved = journal.Answered, id, true
	return true, nil
}

// lookBefore asks find, before an update is sent of which only find could say later
// what it did, whether its inputs lead to anything but the resource itself.
func (r *run) lookBefore(ctx context.Context) error {
	if r.verb != plan.Update || r.preview || r.looked || r.res.Find == nil {
		return nil
	}
	id, _, _, err := r.engine.findID(ctx, r.res, r.ref, r.given, r.log.to)
	if err != nil {
		return r.stop(r.op.Steps[0], 1, actions.Refused, fmt.Errorf("looking for it before it is changed: %w", err))
	}
	r.looked = id == "" || id == r.id
	return nil
}

// settleUpdate settles an update that an earlier run sent and whose outcome nobody
// knows: the id is taken from find, and where read shows what the program wants,
// the update was done. Both nil: it is to be sent (again).
func (e *Engine) settleUpdate(ctx context.Context, res *plan.Resource, s *State, req UpdateRequest) (*Result, error) {
	before := currentID(*s)
	if err := e.relocate(ctx, res, req.Ref, s, req.Log); err != nil {
		return nil, err
	}
	failed := s.Private.Failed
	lost := failed != nil && failed.Unknown && failed.Op == string(plan.Update)
	if !lost && currentID(*s) == before || res.Update == nil {
		return nil, nil
	}
	r := e.newRun(ctx, res, res.Update, plan.Update, req.Ref, req.Log)
	r.inputs(req.Inputs)
	r.state(*s)
	r.Vars.Values["changes"] = changedInputs(r, res, e.changes(ctx, res, req.Ref, *s, req.Inputs, req.Ignore))
	r.takeID(currentID(*s))
	r.etag, r.given, r.token = s.Private.ETag, req.Inputs, s.Private.Token
	if failed != nil && failed.ID != "" {
		r.Vars.Values["id"] = failed.ID
	}
	if failed != nil {
		r.failed = failed.Step
	} else {
		r.failed = len(res.Update.Steps) - 1
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	return e.reconcile(ctx, r, req, s), nil
}

// reconcile looks whether an update of unknown outcome was done: whether the world
// is what the program wants. Nil is that nobody can tell, or that it was not; the
// id and the ETag of the state are then as they are now, so that the update can be
// sent again.
func (e *Engine) reconcile(ctx context.Context, r *run, req UpdateRequest, s *State) *Result {
	if r.id != s.ID {
		s.Private.ID = r.id
	} else {
		s.Private.ID = ""
	}
	if r.res.Read == nil || !r.endsWith(r.failed) || r.leavesOld(ctx, s) {
		return nil
	}
	inputs, err := e.said(r.res, r.id, req.Inputs)
	if err != nil {
		return nil
	}
	now := State{ID: r.id, Inputs: inputs, Outputs: s.Outputs, Private: Private{Token: s.Private.Token}}
	reader, yield, err := r.readAs(ctx, now)
	if err != nil {
		return nil
	}
	seen := e.seen(reader, req.Ref, now, yield, false)
	if seen.State == nil || seen.Err != nil {
		return nil
	}
	if !e.shows(ctx, r.res, req, req.Inputs, seen.State.Inputs) {
		if e.shows(ctx, r.res, req, s.Inputs, seen.State.Inputs) {
			r.etag, s.Private.ETag = reader.etag, reader.etag // nobody else has changed it
		}
		return nil
	}
	out := &State{ID: s.ID, Inputs: req.Inputs, Outputs: withInputs(req.Inputs, declared(r.res, *seen.State))}
	out.Private = Private{SchemaVersion: r.res.Spec.SchemaVersion, ETag: reader.etag, Token: s.Private.Token, Unmade: r.unmadeNow(nil)}
	if r.id != s.ID {
		out.Private.ID = r.id
	}
	r.log.Message(Info, "the response to the update was lost: it was done, as reading it shows")
	if err := e.updated(r, out); err != nil {
		r.log.Message(Warning, err.Error())
	}
	return &Result{State: out}
}

// readAs reads the resource as that state says of it.
func (r *run) readAs(ctx context.Context, now State) (*run, any, error) {
	reader := r.engine.newRun(ctx, r.res, r.res.Read, plan.Read, r.ref, r.log.to)
	reader.recall(now)
	reader.env = r.env
	yield, err := reader.look(ctx)
	return reader, yield, err
}

// leavesOld reports whether the object of the id before is still there, or may be,
// after a step that followed the one that gave another id: reading the new one does
// not tell what that step did to the old one.
func (r *run) leavesOld(ctx context.Context, s *State) bool {
	before, _ := r.Vars.Values["id"].(string)
	changed := slices.ContainsFunc(r.op.Steps[:min(r.failed, len(r.op.Steps))], func(s *plan.Step) bool {
		ran, err := r.Bool(s.When, true)
		return s.Effect == actions.Write && (err != nil || ran)
	})
	if before == "" || before == r.id || !changed {
		return false
	}
	inputs, err := r.engine.said(r.res, before, s.Inputs)
	if err != nil {
		return true
	}
	_, _, err = r.readAs(ctx, State{ID: before, Inputs: inputs, Outputs: s.Outputs, Private: Private{Token: s.Private.Token}})
	return !errors.Is(err, errGone)
}

// endsWith reports whether the step of that index is the last of the operation that
// has an effect and would run: then nothing that it leaves undone is hidden from
// read.
func (r *run) endsWith(index int) bool {
	for _, s := range r.op.Steps[min(index+1, len(r.op.Steps)):] {
		if s.Effect != actions.Write {
			continue
		}
		if runs, err := r.Bool(s.When, true); err != nil || runs {
			return false
		}
	}
	return true
}

// shows reports whether what a read has seen is what the inputs say, as far as read
// can tell: something must be there that it tells.
func (e *Engine) shows(ctx context.Context, res *plan.Resource, req UpdateRequest, want, seen property.Map) bool {
	told := false
	for _, m := range res.Inputs.Fields {
		told = told || !m.NoRead && !m.Ephemeral
	}
	return told && len(e.changes(ctx, res, req.Ref, State{Inputs: seen}, want, req.Ignore)) == 0
}

// findRenamed asks find for the id of a resource whose update was done, where no response
// tells it. It is false where find cannot tell it, either.
func (e *Engine) findRenamed(ctx context.Context, r *run, before property.Map) bool {
	if !r.looked || stopped(ctx) != nil {
		return false
	}
	id, err := e.ownID(ctx, r.res, r.ref, r.id, r.given, before, r.log.to)
	if err == nil && id != "" {
		r.id = id
	}
	return err == nil && id != ""
}

// updated forgets the intents of an update that is done. One that gave another id
// stays until the host shows that it has recorded it.
func (e *Engine) updated(r *run, s *State) error {
	if !r.res.Journals() {
		return nil
	}
	book, err := e.book()
	if err != nil || !book.Has(e.subject(r.ref)) {
		return nil // nothing could have been written, or was
	}
	list, err := book.Of(e.subject(r.ref))
	for _, i := range list {
		if i.Operation != journal.Update || i.Token != s.Private.Token {
			continue
		}
		if s.Private.ID == "" {
			err = errors.Join(err, r.forget(i))
			continue
		}
		i.Status, i.ID, i.Moved = journal.Answered, s.Private.ID, true
		err = errors.Join(err, book.Put(i, false))
	}
	return err
}
