package run

import (
	"cmp"
	"context"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// halfMade keeps in the journal what a create has made so far, while further steps follow, and continues
// creates of which only that is left: see package entries.
type halfMade struct{ *run }

// keep records what the earlier steps of a create have made, before a step is sent, if the next create would not know
// it, or if that step makes more, or awaits what only the response to an earlier one names: find stands for that response otherwise.
func (h halfMade) keep(s *plan.Step) error {
	writes := s.Effect == actions.Write || plan.Waiting{Operation: h.Operation}.LosesJob(s, h.Resource.Maker) && h.Resource.Find != nil
	switch {
	case h.Verb != plan.Create || h.Undoing, h.entry != nil && !h.news && !writes, h.entry == nil && !operation.HasMade(h.Run, writes):
		return nil
	}
	return h.put(s.Index, s.Name, s.Effect == actions.Write)
}

// done records that all steps were done.
func (h halfMade) done() {
	if h.entry != nil {
		h.news = false // a loss of power may forget it: the last step is then sent again, or found
		h.warn(h.put(len(h.Operation.Steps), "", false))
	}
}

// misfit records that a step was done whose response does not fit its type: the next create must not do it again. Without
// an id, find or the key of the step tells, if it has one.
func (h halfMade) misfit(failure error) {
	if !verdict.IsUnfit(failure) || h.entry == nil && (h.Failed == len(h.Operation.Steps) || !operation.HasMade(h.Run, true)) {
		return
	}
	id := cmp.Or(h.ID, operation.LateID(h.Run))
	if id != "" || h.entry != nil && h.Resource.MustNotRepeat(plan.Last(h.Touched).Step) {
		h.warn(h.put(h.Failed, "", false))
	}
}

// put writes the entry. sent is true if the step is sent next.
func (h halfMade) put(step int, name string, sent bool) error {
	if _, err := h.res.all.journal.Key(); err != nil {
		return err
	}
	i := h.entry
	if i == nil {
		i = &journal.Intent{Token: h.Token, Hash: h.inputsHash(), Configuration: h.res.all.journal.Configuration}
		i.Inputs, i.Withheld = value.EncodeRecordable(h.Given)
	}
	now := *i
	now.StepName = name
	if err := entries.SetHalfMade(&now, h.Resource, h.stateAt(step, sent)); err != nil {
		return err
	}
	var err error
	if i.Key == "" {
		now, err = h.book().Begin(now, true)
	} else {
		err = h.book().Put(now, h.news)
	}
	if err == nil {
		h.entry, h.news = &now, false
	}
	return err
}

// stateAt returns the state that the create would leave if it stopped at a step, without secrets.
func (h halfMade) stateAt(step int, sent bool) recorded.State {
	before := h.Failed
	h.Failed = step
	defer func() { h.Failed = before }()
	m, seen := h.Mask(), value.Secrets{}
	for _, v := range outputs.Partial(h.Run, m) {
		seen.AddMarked(v) // an output may be a secret that no response declares
	}
	state := h.newState(nil)
	if state.ID == "" {
		state.ID = operation.LateID(h.Run)
	}
	state.Private.Unmade = operation.UnmadeSteps(h.Run, h.resumed, nil)
	state.Private.Failed = operation.StoppedPlainly(h.Run, operation.Stopped(h.Run, h.Given, step, recorded.ErrInterrupted), m.With(seen.Values))
	state.Private.Failed.Unknown = sent
	if state.ID == "" && step > h.Resource.IDAfter {
		state.Private.Failed.Stuck, state.Private.Failed.Error = true, "no response has its id"
	}
	return *state
}

// undoing records that steps are about to be undone: an undo that is cut off is completed by the next create.
func (h halfMade) undoing() {
	if maker := h.Resource.Maker; h.entry == nil && maker != nil && maker.Certainty == actions.Keyed && h.Resource.Read == nil {
		h.warn(h.put(h.Failed, "", false)) // the server may return for the key what was undone
	}
	if h.entry == nil {
		return
	}
	now := *h.entry
	state, err := entries.HalfMade(now)
	for _, t := range h.Touched {
		if len(t.Step.Undo) > 0 {
			state.Private.Failed.Doubted = append(state.Private.Failed.Doubted, t.Step.Index)
		}
	}
	if err == nil {
		err = entries.SetHalfMade(&now, h.Resource, state)
	}
	if err == nil {
		err = h.book().Put(now, true)
	}
	if err == nil {
		h.entry = &now // as it stays if the create leaves no state
	}
	h.warn(err)
}

// end records what became of the create.
func (h halfMade) end(out *Result) {
	i := h.entry
	if i == nil {
		return
	}
	switch {
	case out.State != nil:
		i.Status, i.ID = journal.Handed, recorded.CurrentID(*out.State)
		if f := out.State.Private.Failed; f != nil && f.Op == string(plan.Create) {
			f.Entry = i.Key
		}
	case i.Status == journal.Begun:
		i.Status, i.Error = journal.Unknown, screen.Show(out.Err.Error(), h.Mask()).String()
	}
	h.warn(h.book().Put(*i, out.State == nil))
}

// openOnPanic is deferred: see openOnPanic.
func (h halfMade) openOnPanic() {
	if bug := recover(); bug != nil {
		h.end(&Result{Err: recorded.ErrInterrupted})
		panic(bug)
	}
}

// nothing records that nothing of the create is left.
func (h halfMade) nothing() error {
	if h.entry == nil {
		return nil
	}
	i := *h.entry
	h.entry = nil
	return h.book().RemoveOne(i)
}

// take continues the entry of an earlier run of the create, if the host has not recorded yet what it has.
func (h halfMade) take(key string) error {
	if key == "" || !h.book().MayHaveIntents() {
		return nil
	}
	list, err := h.book().Intents()
	for _, i := range list {
		if err == nil && entries.IsHalfMade(i) && i.Key == key {
			i, err = h.book().Claim(i)
			h.entry = &i
		}
	}
	return err
}

// settle continues an earlier create of the resource that was killed between its steps, or returns its state if it had
// other inputs, or cannot continue. It returns false if there is none.
func (h halfMade) settle(ctx context.Context, list []journal.Intent) (Result, bool) {
	i := h.res.entries("").LastHalfMade(list)
	if i == nil {
		return Result{}, false
	}
	if i.UnderWay() {
		return Result{Err: &journal.BusyError{Intent: *i}}, true
	}
	state, err := entries.HalfMade(*i)
	inputs, whole, same := h.Given, true, i.Hash == h.inputsHash()
	if err == nil && !same {
		inputs, whole, err = earlier(h).inputsOf(*i)
	}
	able := recorded.CanContinue(h.Resource, state)
	if err == nil && !able && state.ID == "" {
		err = h.Stop(h.Operation.Steps[0], 1, actions.Refused, recorded.LostError(h.Operation, state, i.Key))
	}
	if err == nil {
		*i, err = h.book().Claim(*i)
	}
	if err != nil {
		return Result{Err: h.Mask().Error(err)}, true
	}
	h.Token, h.journal, h.entry = i.Token, nil, i
	state.Private.Failed.Inputs = ""
	if whole {
		state.Private.Failed.Inputs = recorded.HashInputs(inputs)
	}
	if same && able {
		return h.goOn(ctx, state), true
	}
	old := halfMade(earlier(h).beginAgain(ctx, inputs))
	old.hash, old.entry = i.Hash, i
	defer func() { h.entry = old.entry }()
	if err := old.Open(); err != nil {
		return Result{Err: err}, true
	}
	var out Result
	if state.ID == "" {
		out = old.goOn(ctx, state)
	} else {
		out = old.asItIs(state, able)
	}
	if out.State == nil {
		return out, true
	}
	if !same {
		out.State = earlier(old).markEarlierInputs(out.State)
	}
	if out.Err == nil {
		out.Err = h.Mask().Error(fmt.Errorf("an earlier create of it was interrupted %s; what that has made is recorded now: run `pulumi up` again, which %s",
			h.Operation.WhereStopped(state.Private.Failed.Step), recorded.NextOf(state, able)))
	}
	return out, true
}

// goOn continues a create at the step at which it was interrupted.
func (h halfMade) goOn(ctx context.Context, state recorded.State) Result {
	if state.ID != "" {
		h.TakeID(state.ID)
	}
	h.ETags = state.Private.ETags
	h.run.resume(state)
	if err := (updating{run: h.run}).settleUndo(ctx, state.Private.Failed); err != nil {
		return Result{Err: h.Mask().Error(err)}
	}
	if h.remakes && h.Resource.IDFromResponses() {
		h.ID, h.Vars.Values["id"] = "", nil // it was that of what was undone
	}
	h.Log.Message(operation.Info, "going on with the create that was interrupted "+h.Operation.WhereStopped(state.Private.Failed.Step))
	return h.finishCreate(ctx)
}

// asItIs returns the state of a create that was interrupted, as if it had failed.
func (h halfMade) asItIs(state recorded.State, able bool) Result {
	if able {
		h.run.resume(state)
	}
	h.TakeID(state.ID)
	h.ETags, h.Failed = state.Private.ETags, state.Private.Failed.Step
	out := h.newState(outputs.Partial(h.Run, h.Mask()))
	out.Private.Unmade, out.Private.Failed = state.Private.Unmade, state.Private.Failed
	return Result{State: out}
}
