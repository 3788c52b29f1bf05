package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// canLook reports whether the resource's find can tell the outcome of a step.
func (r *Run) canLook(s *plan.Step) bool {
	return r.Verb == plan.Create && !r.Undoing && r.res.Finds(s) && r.looked
}

// certainty returns how far a step may be repeated after its response was lost. An update that
// may rename the resource is not safe to repeat, whatever its method: once it was done, the
// second request addresses the old name, and its "not found" proves nothing.
func (r *Run) certainty(s *plan.Step) actions.Certainty {
	if s.Certainty == actions.Safe && r.Verb == plan.Update && !r.Undoing && r.renames() {
		return actions.Conditional
	}
	return s.Certainty
}

// renames reports whether an update changes an input that is part of the id, or that find looks
// by.
func (r *Run) renames() bool {
	return slices.ContainsFunc(r.res.Names, func(name string) bool { return !value.PlainEqual(r.before.Get(name), r.given.Get(name)) })
}

// journalled reports whether the step requires an intent before it is sent, and whether that
// must survive a loss of power. A create without a key or a find gets its intent only if its
// response is lost: nothing could settle the intent, and the create is labelled at-least-once.
func (r *Run) journalled(s *plan.Step) (before, sync bool) {
	switch {
	case r.Undoing || r.res == nil || s.Effect != actions.Write || s.Certainty == actions.Settled:
		return false, false
	case s.Certainty == actions.Keyed:
		return r.Verb == plan.Create || r.Verb == plan.Update, true
	case r.Verb == plan.Update:
		// Without find nothing settles the intent. A rename gets one nevertheless, because
		// nobody would see under the old name that the object exists.
		return r.certainty(s) != actions.Safe && (r.res.Find != nil || r.renames()), true
	case r.Verb == plan.Create:
		return r.res.Finds(s) || s.Certainty != actions.Uncertain, r.res.Finds(s)
	default:
		return false, false
	}
}

// inputsHash returns the keyed hash of the inputs, which it makes once. It tells a reader of the
// journal nothing about the secrets among them.
func (r *Run) inputsHash() string {
	if r.hash == "" {
		r.hash, _ = r.rt.records.hash(recorded.HashInputs(r.given))
	}
	return r.hash
}

// markOf returns the mark by which a step of a create recognizes its own work, "" if the action
// takes none.
func (r *Run) markOf(s *plan.Step) string {
	if r.Verb != plan.Create || r.Undoing || s.Kind == nil || !s.Kind.Marked {
		return ""
	}
	of := r.book().Subject()
	mark, known := r.rt.records.hash(strings.Join([]string{of.Provider, of.Type, of.Resource, of.Settings, r.inputsHash(), fmt.Sprint(s.Index), r.at}, "\x00"))
	if !known {
		return "" // the next run could not make the same mark
	}
	return mark[:32]
}

// intent returns a new intent for a step, and for the element that it is at.
func (r *Run) intent(s *plan.Step) journal.Intent {
	op := journal.Create
	if r.Verb == plan.Update {
		op = journal.Update
	}
	i := journal.Intent{
		Operation: op, Token: r.token, ID: r.id,
		Step: s.Index, StepName: s.Name, Element: r.at, Hash: r.inputsHash(), Looked: r.looked,
		Proves:        r.Verb == plan.Update && r.looked && !r.effected,
		Configuration: r.rt.records.configuration,
	}
	if r.remakes && s == r.res.Maker {
		i.ID = "" // it is the id of the object that was undone
	}
	if r.res.Find != nil || s.Certainty == actions.Keyed {
		i.Inputs, i.Withheld = value.EncodeRecordable(r.given)
	}
	return i
}

// sameEffect returns the newest intent of an earlier run for the same effect that this run may
// continue, nil if there is none. It ignores those of a create that may be done twice and cannot
// be found: people settle them.
func (r *Run) sameEffect(s *plan.Step) (*journal.Intent, error) {
	list, err := r.book().Earlier()
	if err != nil || s.Certainty == actions.Uncertain && !r.res.Finds(s) && r.Verb == plan.Create {
		return nil, err
	}
	now := r.intent(s)
	for n := range slices.Backward(list) {
		i := list[n]
		if i.Operation == now.Operation && i.Step == now.Step && i.Element == now.Element && i.Hash == now.Hash && r.mayTake(i) &&
			(i.Operation == journal.Create || i.Token == now.Token) { // an update concerns one object only
			return &i, nil
		}
	}
	return nil, nil
}

// begunBefore reports whether an earlier create of the resource, with whatever inputs, may have
// done this step: its intent is open, or was handed to a host that never recorded it. If the
// server now says that the object exists, it may mean what that create made.
func (r *Run) begunBefore(s *plan.Step) bool {
	if r.Verb != plan.Create || s.Certainty != actions.Conditional || r.res.Finds(s) {
		return false
	}
	list, err := r.book().Earlier()
	return err == nil && slices.ContainsFunc(list, func(i journal.Intent) bool {
		return i.Operation == journal.Create && i.Step == s.Index && i.Element == r.at && i.Status != journal.Failed
	})
}

// mention logs an error of the journal after a response came. The run goes on, because the
// recorded state settles the intent later.
func (r *Run) mention(err error) {
	if err != nil {
		r.Log.Message(Warning, err.Error())
	}
}

// noteLate writes the intent of a create without a key or a find, once its response is lost.
// After a success it removes the intents of earlier failures.
func (r *Run) noteLate(s *plan.Step, err error) error {
	if err == nil && r.Verb == plan.Create && !r.Undoing && s.Certainty == actions.Uncertain {
		if r.book().MayHaveIntents() {
			r.mention(r.forgetFailed(s))
		}
	}
	if err == nil || statusOf(err) == actions.Refused || statusOf(err) == actions.Gone || r.Verb != plan.Create || r.Undoing ||
		s.Effect != actions.Write || s.Certainty == actions.Settled {
		return err
	}
	intent, begun := r.book().Begin(r.intent(s), false)
	if begun != nil {
		return errors.Join(err, begun)
	}
	r.begun = append(r.begun, intent)
	if statusOf(err) == actions.Unknown {
		return (&sending{Run: r, step: s, intent: intent}).leaveOpen(err)
	}
	intent.Status, intent.Error = journal.Failed, screen.Show(err.Error(), r.Mask()).String()
	return errors.Join(err, r.book().Put(intent, false))
}
