package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// renames reports whether an update changes an input that is part of the id, or that find looks
// by.
func (r *run) renames() bool {
	return slices.ContainsFunc(r.Resource.Names, func(name string) bool { return !value.PlainEqual(r.Before.Get(name), r.Given.Get(name)) })
}

// journalled reports whether the step requires an intent before it is sent, and whether that
// must survive a loss of power. A create without a key or a find gets its intent only if its
// response is lost: nothing could settle the intent, and the create is labelled at-least-once.
func (r owner) journalled(s *plan.Step) (before, sync bool) {
	switch {
	case r.Undoing || r.Resource == nil || s.Effect != actions.Write || s.Certainty == actions.Settled:
		return false, false
	case s.Certainty == actions.Keyed:
		return r.Verb == plan.Create || r.Verb == plan.Update, true
	case r.Verb == plan.Update:
		// Without find nothing settles the intent. A rename gets one nevertheless, because
		// nobody would see under the old name that the object exists.
		return r.Certainty(s) != actions.Safe && (r.Resource.Find != nil || r.renames()), true
	case r.Verb == plan.Create:
		return r.Resource.Finds(s) || s.Certainty != actions.Uncertain, r.Resource.Finds(s)
	default:
		return false, false
	}
}

// inputsHash returns the keyed hash of the inputs, which it makes once. It tells a reader of the
// journal nothing about the secrets among them.
func (r *run) inputsHash() string {
	if r.hash == "" {
		r.hash, _ = r.res.all.journal.Hash(recorded.HashInputs(r.Given))
	}
	return r.hash
}

// markOf returns the mark by which a step of a create recognizes its own work, "" if the action
// takes none.
func (r owner) markOf(s *plan.Step) string {
	if r.Verb != plan.Create || r.Undoing || s.Kind == nil || !s.Kind.Marked {
		return ""
	}
	of := r.book().Subject()
	mark, known := r.res.all.journal.Hash(strings.Join([]string{of.Provider, of.Type, of.Resource, of.Settings, cmp.Or(r.began, r.inputsHash()), fmt.Sprint(s.Index), r.At}, "\x00"))
	if !known {
		return "" // the next run could not make the same mark
	}
	return mark[:32]
}

// intent returns a new intent for a step, and for the element that it is at.
func (r *run) intent(s *plan.Step) journal.Intent {
	op := journal.Create
	if r.Verb == plan.Update {
		op = journal.Update
	}
	i := journal.Intent{
		Operation: op, Token: r.Token, ID: r.ID,
		Step: s.Index, StepName: s.Name, Element: r.At, Place: s.Place, Hash: r.inputsHash(), Looked: r.looked, Keyed: s.KeyedBy,
		Vacant:        r.Verb == plan.Update && r.vacant,
		Proves:        r.Verb == plan.Update && r.looked && !r.Effected,
		Stays:         r.Verb == plan.Update && !r.renames() && (r.Resource.Find != nil || !r.Resource.IDFromResponses()),
		Configuration: r.res.all.journal.Configuration,
	}
	if r.remakes && s == r.Resource.Maker {
		i.ID = "" // it is the id of the object that was undone
	}
	if r.Resource.Find != nil || s.Certainty == actions.Keyed {
		i.Inputs, i.Withheld = value.EncodeRecordable(r.Given)
	}
	return i
}

// recordLater writes the intent of a create without a key or a find, once its response is lost.
// After a success it removes the intents of earlier failures.
func (r owner) recordLater(s *plan.Step, err error) error {
	if err == nil && r.Verb == plan.Create && !r.Undoing && s.Certainty == actions.Uncertain && r.book().MayHaveIntents() {
		r.warn(r.forgetFailed(s))
	}
	if err == nil || operation.StatusOf(err) == actions.Refused || operation.StatusOf(err) == actions.Gone || r.Verb != plan.Create || r.Undoing ||
		s.Effect != actions.Write || s.Certainty == actions.Settled {
		return err
	}
	intent, begun := r.book().Begin(r.intent(s), false)
	if begun != nil {
		return errors.Join(err, begun)
	}
	r.begun = append(r.begun, intent)
	if operation.StatusOf(err) == actions.Unknown {
		return (&sending{run: r.run, step: s, intent: intent}).leaveOpen(err)
	}
	intent.Status, intent.Error = journal.Failed, screen.Show(err.Error(), r.Mask()).String()
	return errors.Join(err, r.book().Put(intent, false))
}

// forgetFailed removes the intents of earlier failures of a step that has succeeded now, if the
// step is safe to repeat or is labelled at-least-once, or if find has found nothing of them since. Failures of other steps stay in the
// journal. So do those of a safe create with other inputs and those without a hash, which
// belonged to an object that was undone: they are about another object.
func (r *run) forgetFailed(s *plan.Step) error {
	found := r.Verb == plan.Create && r.Resource.Finds(s)
	if found && !r.looked || !found && s.Certainty != actions.Safe && s.Certainty != actions.Uncertain {
		return nil
	}
	return r.entries().ForgetFailed(r.intent(s), r.Verb != plan.Create || s.Certainty == actions.Uncertain && !found)
}

// mayContinue reports whether a run may continue the intent of an earlier one. An intent that failed
// has its response already. What was handed to the host may be in another state by now, if the
// stack or the resource was renamed. What was sent to another address is not known under this one.
func (r *run) mayContinue(i journal.Intent) bool {
	return i.Status != journal.Failed && (i.Status != journal.Handed || i.Token == r.Token) && entries.Elsewhere(r.Resource, i) == ""
}
