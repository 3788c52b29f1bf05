package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
)

// unmadeSteps returns the names of the create's steps that have made nothing for the resource so
// far: they did not run, were refused or undone, or their outcome is unknown. A step of an
// update makes what the create's step of the same name would have made.
func (r *run) unmadeSteps(undone map[int]bool) string {
	ran := map[string]bool{}
	for _, t := range r.Touched {
		if t.Done || t.Step.OwnsWhatItSends() {
			ran[t.Step.Model.As] = !undone[t.Step.Index]
		}
	}
	var out []string
	for _, s := range r.Resource.Create.Steps {
		name := s.Model.As
		if !s.IsInMade() || ran[name] {
			continue
		}
		before := (r.Verb != plan.Create || r.resumed) && !slices.Contains(r.Unmade, name)
		if !before || r.Verb == plan.Create && undone[s.Index] {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// withUnmadeIntent sends a step. If the step makes what the recorded state names as unmade, it gets
// an intent first, whatever its certainty. The intent stays until the host has the new state: if
// the run is killed before that, nothing else records that the object was made.
func (r owner) withUnmadeIntent(s *plan.Step, send func() (any, error)) (any, error) {
	if r.Undoing || r.Verb == plan.Create && !r.resumed || !s.IsInMade() || !slices.Contains(r.Unmade, s.Model.As) {
		return send()
	}
	i, ok := r.Resource.Create.StepIndex(s.Model.As)
	if !ok {
		return send()
	}
	// The intent has no hash, so that no create continues it.
	intent := journal.Intent{
		Operation: journal.Create, Token: r.token, ID: r.ID,
		Step: i, StepName: r.Resource.Create.Steps[i].Name, Element: r.At, Configuration: r.res.all.journal.Configuration,
	}
	intent, err := r.book().Begin(intent, false)
	if err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	answered := false
	defer func() {
		if !answered { // after a panic the intent must not look as if the step were running
			intent.Status = journal.Unknown
			_ = r.book().Put(intent, false)
		}
	}()
	value, err := send()
	answered = true
	t := r.Of(s)
	switch {
	case t == nil:
		r.warn(r.book().RemoveOne(intent))
		return value, err
	case t.Done || s.OwnsWhatItSends():
		intent.Status = journal.Answered
	default:
		intent.Status = journal.Unknown
	}
	r.warn(r.book().Put(intent, false))
	return value, err
}

// isUnmade reports whether an intent is of a step that the recorded state names as unmade.
func (res resource) isUnmade(s recorded.State, i journal.Intent) bool {
	of := res.stepOf(i)
	return of != nil && slices.Contains(strings.Fields(s.Private.Unmade), of.Model.As)
}

// warnLeftAlone warns of objects that a delete has left alone because their owner is unknown.
func (r *run) warnLeftAlone(s recorded.State) {
	if s.Private.Unmade == "" || !r.book().MayHaveIntents() {
		return
	}
	r.book().Reread() // the delete has changed it
	list, err := r.book().Earlier()
	r.warn(err)
	for _, i := range list {
		if i.Token == s.Private.Token && i.Open() {
			r.Log.Message(operation.Warning, fmt.Sprintf("it is not known whether %s had made something, so that was not removed: look for it in the service; `declprov journal` lists it until `declprov journal forget %s`", i.StepName, i.Key))
		}
	}
}

// unmadeAfter returns the names of the create's steps after that of an intent that have no intent
// themselves: they have made nothing.
func (res resource) unmadeAfter(i journal.Intent) string {
	if i.Operation != journal.Create {
		return ""
	}
	list, _ := res.book().Earlier() // if it cannot be read, no later step counts as begun
	var out []string
	for _, s := range res.Create.Steps[min(i.Step+1, len(res.Create.Steps)):] {
		begun := slices.ContainsFunc(list, func(o journal.Intent) bool {
			return o.Operation == journal.Create && o.Token == i.Token && o.Step == s.Index
		})
		if s.IsInMade() && !begun {
			out = append(out, s.Model.As)
		}
	}
	return strings.Join(out, " ")
}

// stepOf returns the step of an intent, nil if the spec no longer has it.
func (res resource) stepOf(i journal.Intent) *plan.Step {
	op := res.Create
	if i.Operation == journal.Update {
		op = res.Update
	}
	if op == nil || i.Step < 0 || i.Step >= len(op.Steps) {
		return nil
	}
	return op.Steps[i.Step]
}

// UnmadeBy returns the names of the steps that have made nothing according to the state and the
// journal. The journal has more than the state if a run was killed before it returned its state.
func (rs *Resources) UnmadeBy(of *plan.Resource, ref recorded.Ref, s recorded.State) string {
	res := rs.resource(of, ref, nil)
	if s.Private.Unmade == "" || res.Create == nil {
		return s.Private.Unmade
	}
	book := res.book()
	if !book.MayHaveIntents() {
		return s.Private.Unmade
	}
	list, _ := book.Intents() // the first create that needs the journal reports that it cannot be read
	return strings.Join(slices.DeleteFunc(strings.Fields(s.Private.Unmade), func(name string) bool {
		return slices.ContainsFunc(list, func(i journal.Intent) bool {
			made := res.stepOf(i)
			return i.Token == s.Private.Token && made != nil && made.Model.As == name && (i.WasAnswered() || made.OwnsWhatItSends())
		})
	}), " ")
}
