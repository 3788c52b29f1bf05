package run

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// records is the journal of an engine, with what its intents record of the engine.
type records struct {
	// open opens the journal, once.
	open func() (*journal.Journal, error)
	// key is the journal's key, read once.
	key func() ([]byte, error)
	// ownKey is a key of this process, used if the journal's cannot be read.
	ownKey func() []byte
	// provider is the name of the provider.
	provider string
	// configuration is the configuration without its secrets, as intents record it.
	configuration json.RawMessage
	// settings is the hash of the configuration without its secrets.
	settings string
}

// newRecords returns the records of a provider with a configuration, without its secrets. open
// opens the journal, once.
func newRecords(open func() (*journal.Journal, error), provider string, config property.Map) records {
	r := records{
		provider: provider, open: open, settings: recorded.HashInputs(config),
		key: sync.OnceValues(func() ([]byte, error) {
			book, err := open()
			if err != nil {
				return nil, err
			}
			return book.Key()
		}),
		ownKey: sync.OnceValue(func() []byte {
			key := make([]byte, sha256.Size)
			_, _ = rand.Read(key) // never fails
			return key
		}),
	}
	r.configuration, _ = value.EncodeRecordable(config)
	return r
}

// of returns the part of the journal that is about a resource.
func (r *records) of(ref recorded.Ref) *journal.Resource {
	return journal.NewResource(r.open, journal.Subject{
		Provider: r.provider, Type: ref.Type, Resource: cmp.Or(ref.Key, ref.Name), Settings: r.settings,
	})
}

// hash returns the hash of a text under the journal's key. If the key cannot be read, it uses a
// key of this process, and known is false.
func (r *records) hash(text string) (sum string, known bool) {
	key, err := r.key()
	if err != nil {
		key = r.ownKey()
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)), err == nil
}

// book returns the part of the journal that is about the run's resource.
func (r *Run) book() *journal.Resource {
	if r.intents == nil {
		r.intents = r.rt.records.of(r.ref)
	}
	return r.intents
}

// forgetFailed removes the intents of earlier failures of a step that has succeeded now, if the
// step is safe to repeat or is labelled at-least-once. Failures of other steps stay in the
// journal. So do those of a safe create with other inputs and those without a hash, which
// belonged to an object that was undone: they are about another object.
func (r *Run) forgetFailed(s *plan.Step) error {
	if s.Certainty != actions.Safe && (s.Certainty != actions.Uncertain || r.res.Finds(s)) {
		return nil
	}
	list, err := r.book().Earlier()
	failed := func(i journal.Intent) bool {
		return i.Status == journal.Failed && i.Step == s.Index && i.Element == r.at && (i.Operation == journal.Create) == (r.Verb == plan.Create) &&
			i.Hash != "" &&
			(r.Verb != plan.Create || s.Certainty != actions.Safe || i.Hash == r.inputsHash())
	}
	if err != nil || !slices.ContainsFunc(list, failed) {
		return err
	}
	return r.book().Remove(failed)
}

// hand records in the journal that the host gets a state. The host has the state from then on,
// unless it is killed at this moment.
func (r *Run) hand(out Result) {
	if out.State == nil || r.token == "" || !r.res.Journals() {
		return
	}
	if r.book().MayHaveIntents() {
		r.mention(r.book().Hand(r.token, recorded.CurrentID(*out.State)))
	}
}

// mayTake reports whether a run may continue the intent of an earlier one. An intent that failed
// has its response already. What was handed to the host may be in another state by now, if the
// stack or the resource was renamed.
func (r *Run) mayTake(i journal.Intent) bool {
	return i.Status != journal.Failed && (i.Status != journal.Handed || i.Token == r.token)
}

// SettleRecorded removes the intents of a create or update whose state the host has recorded.
// Steps that are still to be done keep their intents.
func (rt *Runtime) SettleRecorded(res *plan.Resource, ref recorded.Ref, s recorded.State) {
	if s.ID == "" || s.Private.Token == "" || !res.Journals() {
		return
	}
	book := rt.records.of(ref)
	if !book.MayHaveIntents() {
		return
	}
	failed := s.Private.Failed
	// If the journal cannot be changed, the intents stay listed, which does no harm.
	_ = book.Remove(func(i journal.Intent) bool {
		switch {
		case i.UnderWay():
			return false
		case i.Token != s.Private.Token:
			return i.Status == journal.Handed && i.ID == recorded.CurrentID(s) // the object was imported
		case keepsUnmade(s, res, i):
			return false
		case i.Operation == journal.Update:
			// An answered step of an unfinished update may have renamed the object.
			return i.Status == journal.Answered && i.ID == recorded.CurrentID(s) && (failed == nil || failed.Op != string(plan.Update))
		case failed == nil || failed.Op != string(plan.Create):
			return true
		default:
			return (i.Step < failed.Step || slices.Contains(failed.Kept, i.Step)) && !slices.Contains(failed.Undone, i.Step)
		}
	})
}

// settleDeleted removes the intents of a resource that was deleted: what they may have made is
// gone with it, and another resource may take its name. missed is true if the delete did not
// find all of it. Then the intents of updates stay, because one that failed or did not finish
// may have renamed the object, and so do open ones of the step that makes the object, because
// that may have made an object that the state does not name.
func (rt *Runtime) settleDeleted(res *plan.Resource, ref recorded.Ref, s recorded.State, missed bool) error {
	if s.Private.Token == "" || !res.Journals() {
		return nil
	}
	book := rt.records.of(ref)
	if !book.MayHaveIntents() {
		return nil
	}
	return book.Remove(func(i journal.Intent) bool {
		if i.Open() && keepsUnmade(s, res, i) {
			return false // a delete that reads made has left it alone
		}
		moved := missed && i.Operation == journal.Update
		anew := missed && i.Operation == journal.Create && i.Open() && res.Maker != nil && i.Step == res.Maker.Index
		return i.Token == s.Private.Token && !i.UnderWay() && !moved && !anew
	})
}
