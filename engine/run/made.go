package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
)

// A create of several steps may stop halfway, and an `if` may leave out a step of it. An object
// that such a step would have made is somebody else's if it exists, and a delete must leave it
// alone. Only the author knows which step of the delete belongs to which step of the create.
// So the state records which named steps of the create have made nothing for the resource, and
// templates read it as `made`.

// tellMade puts `made` into scope: which steps of the create have made something.
func (r *Run) tellMade() {
	if r.res.Create == nil || !slices.ContainsFunc(r.res.Create.Steps, (*plan.Step).IsInMade) {
		return
	}
	made := map[string]any{}
	for _, s := range r.res.Create.Steps {
		if s.IsInMade() {
			made[s.Model.As] = !slices.Contains(r.unmade, s.Model.As)
		}
	}
	r.Vars.Values["made"] = made
}

// unmadeNow returns the names of the create's steps that have made nothing for the resource so
// far: they did not run, were refused or undone, or their outcome is unknown. A step of an
// update makes what the create's step of the same name would have made.
func (r *Run) unmadeNow(undone map[int]bool) string {
	ran := map[string]bool{}
	for _, t := range r.touched {
		if t.done || t.step.OwnsWhatItSends() {
			ran[t.step.Model.As] = !undone[t.step.Index]
		}
	}
	var out []string
	for _, s := range r.res.Create.Steps {
		name := s.Model.As
		if !s.IsInMade() || ran[name] {
			continue
		}
		before := (r.Verb != plan.Create || r.resumed) && !slices.Contains(r.unmade, name)
		if !before || r.Verb == plan.Create && undone[s.Index] {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// noted sends a step. If the step makes what the recorded state names as unmade, it gets an
// intent first, whatever its certainty. The intent stays until the host has the new state: if
// the run is killed before, nothing else records that the object was made.
func (r *Run) noted(s *plan.Step, send func() (any, error)) (any, error) {
	if r.Undoing || r.Verb == plan.Create && !r.resumed || !s.IsInMade() || !slices.Contains(r.unmade, s.Model.As) {
		return send()
	}
	i, ok := r.res.Create.StepIndex(s.Model.As)
	if !ok {
		return send()
	}
	// The intent has no hash, so that no create continues it.
	intent := journal.Intent{
		Operation: journal.Create, Token: r.token, ID: r.id,
		Step: i, StepName: r.res.Create.Steps[i].Name, Element: r.at, Configuration: r.rt.records.configuration,
	}
	intent, err := r.book().Begin(intent, false)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
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
	at := slices.IndexFunc(r.touched, func(t *touched) bool { return t.step == s })
	switch {
	case at < 0:
		r.mention(r.book().RemoveOne(intent))
		return value, err
	case r.touched[at].done || s.OwnsWhatItSends():
		intent.Status = journal.Answered
	default:
		intent.Status = journal.Unknown
	}
	r.mention(r.book().Put(intent, false))
	return value, err
}

// keepsUnmade reports whether an intent is of a step that the recorded state names as unmade.
func keepsUnmade(s recorded.State, res *plan.Resource, i journal.Intent) bool {
	of := stepOf(res, i)
	return of != nil && slices.Contains(strings.Fields(s.Private.Unmade), of.Model.As)
}

// tellLeft warns of objects that a delete has left alone because their owner is unknown.
func (r *Run) tellLeft(s recorded.State) {
	if s.Private.Unmade == "" || !r.book().MayHaveIntents() {
		return
	}
	r.book().Reread() // the delete has changed it
	list, err := r.book().Earlier()
	r.mention(err)
	for _, i := range list {
		if i.Token == s.Private.Token && i.Open() {
			r.Log.Message(Warning, fmt.Sprintf("nobody knows whether %s had made something, so that was not removed: look for it in the service; `declprov journal` lists it until `declprov journal forget %s`", i.StepName, i.Key))
		}
	}
}

// unmadeBehind returns the names of the create's steps after that of an intent which the journal
// does not have as begun: they have made nothing.
func (r *Run) unmadeBehind(i journal.Intent) string {
	if i.Operation != journal.Create {
		return ""
	}
	list, _ := r.book().Earlier() // if it cannot be read, no later step counts as begun
	var out []string
	for _, s := range r.res.Create.Steps[min(i.Step+1, len(r.res.Create.Steps)):] {
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

// UnmadeBy returns the names of the steps that have made nothing according to the state and the
// journal. The journal has more than the state if a run was killed before it returned its state.
func (rt *Runtime) UnmadeBy(res *plan.Resource, ref recorded.Ref, s recorded.State) string {
	if s.Private.Unmade == "" || res.Create == nil {
		return s.Private.Unmade
	}
	book := rt.records.of(ref)
	if !book.MayHaveIntents() {
		return s.Private.Unmade
	}
	list, _ := book.Intents() // the first create that needs the journal reports that it cannot be read
	return strings.Join(slices.DeleteFunc(strings.Fields(s.Private.Unmade), func(name string) bool {
		return slices.ContainsFunc(list, func(i journal.Intent) bool {
			made := stepOf(res, i)
			return i.Token == s.Private.Token && made != nil && made.Model.As == name && (i.WasAnswered() || made.OwnsWhatItSends())
		})
	}), " ")
}
