package entries

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
)

// A host keeps the state of a resource as it was until its delete is done. So what a delete has done, and what it has sent
// without learning of the outcome, is in an entry, from before the first request until the delete is done. The next delete
// continues there. Like those of updates, the entry is found by the token of the state.

// SetDelete makes an entry that of a delete which has come as far as f says.
func SetDelete(i *journal.Intent, of *plan.Resource, s recorded.State, f *recorded.Failed) (err error) {
	i.Operation, i.Step, i.ID, i.Token = journal.Delete, journal.Whole, recorded.CurrentID(s), s.Private.Token
	sent := of.Delete.Steps[:min(f.Step+1, len(of.Delete.Steps))]
	i.Once = i.Once || slices.ContainsFunc(sent, func(s *plan.Step) bool {
		return s.Effect == actions.Write && s.Certainty == actions.Uncertain && (s.Index < f.Step || f.Unknown || f.Ran() > 0)
	})
	i.Made, err = json.Marshal(recorded.Private{Failed: f})
	return err
}

// DeleteOf returns how far the delete of an entry has come.
func DeleteOf(i journal.Intent) (*recorded.Failed, error) {
	var p recorded.Private
	decoder := json.NewDecoder(bytes.NewReader(i.Made))
	decoder.UseNumber() // as where the host keeps it
	if err := decoder.Decode(&p); err != nil {
		return nil, err
	}
	if p.Failed == nil {
		p.Failed = &recorded.Failed{Op: string(plan.Delete), Unknown: true}
	}
	p.Failed.Unknown = p.Failed.Unknown && i.Status != journal.Answered
	return p.Failed, nil
}

// Deletes are the entries of the deletes of a resource that are not done.
type Deletes struct{ Entries }

// Last returns the entry of a delete of a state that is not done, nil if there is none.
func (e Deletes) Last(s recorded.State) (*journal.Intent, error) {
	if s.Private.Token == "" || e.Delete.FirstUnsettled() == nil || !e.Book.MayHaveIntents() {
		return nil, nil
	}
	list, err := e.Book.Intents()
	for _, i := range slices.Backward(list) {
		if i.Operation == journal.Delete && i.Token == s.Private.Token && i.Status != journal.Failed {
			return &i, err
		}
	}
	return nil, err
}

// End removes the entry of a delete of a state that an update has changed since: what the delete had done may be there again.
func (e Deletes) End(s recorded.State) error {
	i, err := e.Last(s)
	if err != nil || i == nil || i.UnderWay() {
		return err
	}
	return e.Book.RemoveOne(*i)
}

// closeGone closes the delete of a state whose object a refresh has not found. What else it was to remove is in no state any
// more: then it is listed as failed.
func (e Deletes) closeGone(s recorded.State) error {
	i, err := e.Last(s)
	if err != nil || i == nil || i.UnderWay() {
		return err
	}
	if e.Delete.Writes() == 1 {
		return e.Book.RemoveOne(*i)
	}
	i.Status, i.Ongoing = journal.Failed, false
	i.Error = "a refresh has not found the object; look in the service for what else the delete was to remove, from " + i.StepName + " on"
	return e.Book.Put(*i, false)
}
