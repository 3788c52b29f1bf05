package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
)

// A create of several steps may stop halfway, and a step of it may be left out by its `if`.
// What such a step would have made may be there all the same, and is then somebody else's.
// Only the author knows which step of a delete is about which step of the create, so the
// engine keeps which of the create's named steps have made something for this resource,
// and templates ask by `made`.

// tellMade puts into scope which of the create's steps have made something.
func (r *run) tellMade() {
	if r.res.Create == nil || !slices.ContainsFunc(r.res.Create.Steps, (*plan.Step).Tells) {
		return
	}
	made := map[string]any{}
	for _, s := range r.res.Create.Steps {
		if s.Tells() {
			made[s.Model.As] = !slices.Contains(r.unmade, s.Model.As)
		}
	}
	r.Vars.Values["made"] = made
}

// unmadeNow names the steps of create that have made nothing for the resource, up to now
// and as far as the run knows: they did not run, were refused or undone, or nobody knows
// what came of them. A step of an update makes what the create's step of its name would
// have made.
func (r *run) unmadeNow(undone map[int]bool) string {
	ran := map[string]bool{}
	for _, t := range r.touched {
		if t.done || t.step.OwnsWhatItSends() {
			ran[t.step.Model.As] = !undone[t.step.Index]
		}
	}
	var out []string
	for _, s := range r.res.Create.Steps {
		name := s.Model.As
		if !s.Tells() || ran[name] {
			continue
		}
		before := (r.verb != plan.Create || r.resumed) && !slices.Contains(r.unmade, name)
		if !before || r.verb == plan.Create && undone[s.Index] {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// noted runs a step that makes what the recorded state says was never made. It is written
// down before it is sent, whatever its certainty, and stays so until the state that the
// host gets says it: a run that is killed tells nobody else.
func (r *run) noted(s *plan.Step, send func() (any, error)) (any, error) {
	if r.undoing || r.verb == plan.Create && !r.resumed || !s.Tells() || !slices.Contains(r.unmade, s.Model.As) {
		return send()
	}
	i, ok := r.res.Create.Named(s.Model.As)
	if !ok {
		return send()
	}
	book, err := r.engine.book()
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	// Without a hash no create takes it for its own.
	intent := journal.Intent{
		Subject: r.subject(), Operation: journal.Create, Token: r.token, ID: r.id,
		Step: i, StepName: r.res.Create.Steps[i].Name, Element: r.at, Configuration: r.engine.configuration,
	}
	if intent, err = book.Begin(intent, false); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	answered := false
	defer func() {
		if !answered { // the process lives on, and the intent must not look as if it were worked on
			intent.Status = journal.Unknown
			_ = book.Put(intent, false)
		}
	}()
	value, err := send()
	answered = true
	at := slices.IndexFunc(r.touched, func(t *touched) bool { return t.step == s })
	switch {
	case at < 0:
		r.mention(r.forget(intent))
		return value, err
	case r.touched[at].done || s.OwnsWhatItSends():
		intent.Status = journal.Answered
	default:
		intent.Status = journal.Unknown
	}
	r.mention(book.Put(intent, false))
	return value, err
}

// unmadeBy are the steps that have made nothing by the state and by the journal, where a
// run that made more was killed before it could say so.
func (e *Engine) unmadeBy(res *plan.Resource, ref Ref, s State) string {
	if s.Private.Unmade == "" || res.Create == nil {
		return s.Private.Unmade
	}
	book, err := e.book()
	if err != nil || !book.Has(e.subject(ref)) {
		return s.Private.Unmade
	}
	list, _ := book.Of(e.subject(ref)) // what cannot be read is said at the first create that needs it
	return strings.Join(slices.DeleteFunc(strings.Fields(s.Private.Unmade), func(name string) bool {
		return slices.ContainsFunc(list, func(i journal.Intent) bool {
			made := stepOf(res, i)
			return i.Token == s.Private.Token && made != nil && made.Model.As == name && (i.WasAnswered() || made.OwnsWhatItSends())
		})
	}), " ")
}

// keepsUnmade reports whether an intent says of a step more than the recorded state does.
func (s State) keepsUnmade(res *plan.Resource, i journal.Intent) bool {
	of := stepOf(res, i)
	return of != nil && slices.Contains(strings.Fields(s.Private.Unmade), of.Model.As)
}

// tellLeft says what a delete has left alone because nobody knows whose it is.
func (r *run) tellLeft(s State) {
	if s.Private.Unmade == "" || !r.mayHaveEarlier() {
		return
	}
	r.left = nil // it has just been changed
	list, err := r.earlier()
	r.mention(err)
	for _, i := range list {
		if i.Token == s.Private.Token && i.Open() {
			r.log.Message(Warning, fmt.Sprintf("nobody knows whether %s had made something, so that was not removed: look for it in the service; `declprov journal` lists it until `declprov journal forget %s`", i.StepName, i.Key))
		}
	}
}

// unmadeBehind names the steps of create that have made nothing because it stopped at the
// intent's, by the journal.
func (r *run) unmadeBehind(i journal.Intent) string {
	if i.Operation != journal.Create {
		return ""
	}
	list, _ := r.earlier() // without it, nothing behind was begun that a delete could know of
	var out []string
	for _, s := range r.res.Create.Steps[min(i.Step+1, len(r.res.Create.Steps)):] {
		begun := slices.ContainsFunc(list, func(o journal.Intent) bool {
			return o.Operation == journal.Create && o.Token == i.Token && o.Step == s.Index
		})
		if s.Tells() && !begun {
			out = append(out, s.Model.As)
		}
	}
	return strings.Join(out, " ")
}

// stepOf is the step that the intent is of, nil where the spec has it no more.
func stepOf(res *plan.Resource, i journal.Intent) *plan.Step {
	op := res.Create
	if i.Operation == journal.Update {
		op = res.Update
	}
	if op == nil || i.Step < 0 || i.Step >= len(op.Steps) {
		return nil
	}
	return op.Steps[i.Step]
}
