package run

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
)

// An update whose process is killed leaves no state that says so, and the next program may ask for
// what the host has recorded: then nothing would differ, although the object is another one. So an
// intent stands for the whole update, from before its first effect until its state is returned.

// wholeUpdate is the step of the intent of a whole update.
const wholeUpdate = -1

// isWhole reports whether an intent stands for a whole update of the resource with a token.
func isWhole(i journal.Intent, token string) bool {
	return i.Operation == journal.Update && i.Step == wholeUpdate && i.Token == token
}

// beginUpdate records that an update is under way, before its first effect.
func (r owner) beginUpdate(s *plan.Step) error {
	if r.Verb != plan.Update || r.Undoing || r.wholeUpdate != nil || s.Effect != actions.Write || s.Certainty == actions.Settled || r.token == "" {
		return nil
	}
	i := r.intent(s)
	i.Step, i.StepName, i.Element, i.Looked, i.Proves = wholeUpdate, "", "", false, false
	begun, err := r.book().Begin(i, false)
	if err != nil {
		return r.Stop(s, 1, actions.Refused, err)
	}
	r.wholeUpdate = &begun
	return nil
}

// endUpdate removes the intent of this update, and, if there is a state that says what is known, those
// of earlier ones that were interrupted.
func (r updating) endUpdate(stated bool) error {
	if r.wholeUpdate == nil {
		return nil
	}
	own := r.wholeUpdate.Key
	r.wholeUpdate = nil
	return r.book().Remove(func(i journal.Intent) bool { return i.Key == own || stated && isWhole(i, r.token) })
}

// interruptOnPanic is deferred: the process goes on after a panic, and the update must not look as if
// it did, too.
func (r updating) interruptOnPanic() {
	if bug := recover(); bug != nil {
		if r.wholeUpdate != nil {
			r.wholeUpdate.Status = journal.Unknown
			_ = r.book().Put(*r.wholeUpdate, true)
		}
		panic(bug)
	}
}

// Interrupted returns a state as it is after an update that was killed: it is not known which of the
// inputs that it was to change the object has. It returns other states unchanged.
func (rs *Resources) Interrupted(of *plan.Resource, ref recorded.Ref, s recorded.State) (recorded.State, error) {
	res := rs.resource(of, ref, nil)
	if s.ID == "" || s.Private.Token == "" || s.Private.Failed != nil || of.Update == nil || !res.Journals() || !res.book().MayHaveIntents() {
		return s, nil
	}
	list, err := res.book().Intents()
	at := slices.IndexFunc(list, func(i journal.Intent) bool {
		return i.Operation == journal.Update && i.Token == s.Private.Token && i.Open()
	})
	if err != nil || at < 0 {
		return s, err
	}
	s.Private.Failed = recorded.Interrupt(of.Update)
	return s, nil
}
