package entries

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
)

// A create of several steps whose process is killed between two of them leaves no state that has what the
// first steps have made. So an entry has that state, from before the second step until the host has recorded
// a state that has it, too. The next create continues there.

// IsHalfMade reports whether an entry has the state of a create of several steps.
func IsHalfMade(i journal.Intent) bool {
	return i.Operation == journal.Create && i.Step == journal.Whole
}

// NamesAnother reports whether the id that a new create would have is not that of an entry: then it leaves the object of the entry without an owner,
// also if it is safe to repeat. An id is "" if it is not known.
func NamesAnother(i journal.Intent, id string) bool { return id != "" && i.ID != "" && id != i.ID }

// SetHalfMade makes an entry that of a create whose state is s, which contains no secrets.
func SetHalfMade(i *journal.Intent, of *plan.Resource, s recorded.State) (err error) {
	i.Operation, i.Step, i.ID, i.Place = journal.Create, journal.Whole, s.ID, placeOf(of)
	i.Made, err = json.Marshal(s.Private)
	return err
}

// placeOf returns the address of the step that makes the object, as the spec has it.
func placeOf(of *plan.Resource) string {
	if of.Maker == nil {
		return ""
	}
	return of.Maker.Place
}

// HalfMade returns the state of an entry, without inputs.
func HalfMade(i journal.Intent) (s recorded.State, err error) {
	decoder := json.NewDecoder(bytes.NewReader(i.Made))
	decoder.UseNumber() // as where the host keeps it
	err = decoder.Decode(&s.Private)
	s.ID, s.Private.Token = i.ID, i.Token
	if s.Private.Failed == nil {
		s.Private.Failed = &recorded.Failed{Op: string(plan.Create), Stuck: true}
	}
	s.Private.Failed.Secret, s.Private.Failed.Entry = true, i.Key // what it becomes may have some
	return s, err
}

// Settles reports whether the next create continues what an entry has, or records it.
func Settles(of *plan.Resource, i journal.Intent) bool {
	s, err := HalfMade(i)
	return err == nil && (s.ID != "" || recorded.CanContinue(of, s))
}

// ForgetUndone removes the entries of the steps of a create that were answered, and are undone now: the next request is
// another one, whose object has another id. What was not answered may still be found.
func (e Creates) ForgetUndone(token string, undone map[int]bool) error {
	return e.Book.Remove(func(i journal.Intent) bool {
		return i.Operation == journal.Create && i.Token == token && undone[i.Step] && i.WasAnswered()
	})
}

// LastHalfMade returns the newest entry of a list of a create that was killed between its steps, or that is under way,
// nil if there is none.
func (e Entries) LastHalfMade(list []journal.Intent) *journal.Intent {
	for _, i := range slices.Backward(list) {
		if IsHalfMade(i) && (i.Open() || i.UnderWay()) && Elsewhere(e.Resource, i) == "" {
			return &i
		}
	}
	return nil
}

// Advanced returns a half-made state with what was done since the host recorded it, by a run that was killed.
func (e Entries) Advanced(s recorded.State) (recorded.State, error) {
	was := s.Private.Failed
	if was == nil || was.Op != string(plan.Create) || s.Private.Token == "" || !e.Book.MayHaveIntents() {
		return s, nil
	}
	list, err := e.Book.Intents()
	for _, i := range slices.Backward(list) {
		if !IsHalfMade(i) || i.Token != s.Private.Token || i.Key == was.Entry || i.UnderWay() || i.Status == journal.Failed {
			continue
		}
		now, bad := HalfMade(i)
		if bad != nil {
			return s, bad
		}
		is := now.Private.Failed
		is.Inputs, is.Original, is.Error = was.Inputs, was.Original, was.Error
		is.AddGiven(was.Given...)
		s.Private.Failed, s.Private.Unmade = is, now.Private.Unmade
		if i.ID != "" {
			s.SetCurrentID(i.ID)
		}
		return s, err
	}
	return s, err
}

// Creates are the entries of the creates of a resource that did not come to their end.
type Creates struct{ Entries }

// CheckSpec returns warnings of open creates that the spec now sends to another address, and an error if one of them is open
// that only the `find` or the key could settle that the spec no longer has.
func (e Creates) CheckSpec(list []journal.Intent) (warnings []string, refusal error) {
	for _, i := range list {
		if i.Operation != journal.Create || i.Step != e.Maker.Index && !IsHalfMade(i) || !i.IsUnsettled() {
			continue
		}
		if now := Elsewhere(e.Resource, i); now != "" {
			warnings = append(warnings, fmt.Sprintf("an earlier create of this %s, sent to %s, may have been done. The spec now sends to %s, where nothing can tell: look for it there, "+
				"then run `declprov journal forget %s`", e.Spec.Name, i.Place, now, i.Key))
		} else if LacksProof(e.Resource, i) {
			return warnings, fmt.Errorf("an earlier create of it may have been done, and the spec no longer has the `find` that could tell, or sends another `idempotencyKey`: "+
				"write that again; or look for the object in the service, import it if it is there, and run `declprov journal forget %s`", i.Key)
		}
	}
	return warnings, nil
}

// HandedRemedy returns what to do about an object whose create was done, and of which the host knows nothing. other says that it
// has another object of the resource.
func HandedRemedy(i journal.Intent, findFirst, other bool) string {
	if other {
		return fmt.Sprintf("It was to replace what this resource has in the state, which an import cannot do: if no other resource or stack has it, delete %q in the service, run `declprov journal forget %s`, and then `pulumi up`", i.ID, i.Key)
	}
	remedy := "If Pulumi was killed before it recorded that, import it; if another resource or stack has it, since a rename or in another backend, choose another name, and run `declprov journal forget " + i.Key + "`; if `--replace` or `pulumi state taint` is to replace it, run `pulumi preview` first, which shows that Pulumi has recorded it"
	if findFirst {
		remedy += ", and set `deleteBeforeReplace: true` in the program's options"
	}
	return remedy
}

// OtherObjectError returns the error of a create whose object exists while find finds another one, which is described.
func OtherObjectError(i journal.Intent, found string) error {
	return fmt.Errorf("an earlier create made the object %q, but find returned another one%s: import the one that is yours, "+
		"then run `declprov journal forget %s`", i.ID, found, i.Key)
}

// Leftovers returns what to do about what creates of the resource may have left, "" if there is nothing. token is that of the
// create that has failed now with a message, which may name some of them already.
func (e Creates) Leftovers(token, message string) string {
	if !e.Book.MayHaveIntents() {
		return ""
	}
	list, _ := e.Book.Earlier() // the first create that needs the journal reports that it cannot be read
	var keys []string
	who := "it"
	for _, i := range list {
		if i.Operation == journal.Create && !strings.Contains(message, i.Key) && (!i.WasAnswered() || i.Token != token) && !i.UnderWay() {
			keys = append(keys, i.Key)
			if i.Token != token {
				who = "it, or an earlier attempt at it,"
			}
		}
	}
	if keys == nil {
		return ""
	}
	more := ""
	if n := len(keys) - maxNamedKeys; n > 0 {
		keys, more = keys[:maxNamedKeys], fmt.Sprintf(", and so on: `declprov journal` lists %d more", n)
	}
	return fmt.Sprintf("%s may have left something: look for it in the service, and import it if it is yours, or remove it; "+
		"then `declprov journal forget %s`%s", who, strings.Join(keys, " "), more)
}

// maxNamedKeys is how many entries of the journal a message names.
const maxNamedKeys = 4

// ListUnseen lists the object of a state that no read has ever found, as a create that failed: the host may forget the state
// now. Nothing but a person settles the entry, or the state, if the host shows it again.
func (e Creates) ListUnseen(s recorded.State, why string, configuration json.RawMessage) error {
	list, err := e.Book.Intents()
	i := journal.Intent{Operation: journal.Create, Token: s.Private.Token, ID: recorded.CurrentID(s), Step: e.Maker.Index, StepName: e.Maker.Name, Place: e.Maker.Place, Configuration: configuration}
	again := slices.ContainsFunc(list, func(o journal.Intent) bool {
		return o.Status == journal.Failed && o.Operation == i.Operation && o.Token == i.Token && o.ID == i.ID && o.Step == i.Step
	})
	if err == nil && !again {
		i, err = e.Book.Begin(i, false)
	}
	if err != nil || again {
		return err
	}
	i.Status, i.Error = journal.Failed, why
	return e.Book.Put(i, false)
}

// LeftAlone returns the open entries of a state that was deleted: nobody knows whether they made something, so that was not
// removed.
func (e Creates) LeftAlone(s recorded.State) ([]journal.Intent, error) {
	if s.Private.Unmade == "" || !e.Book.MayHaveIntents() {
		return nil, nil
	}
	e.Book.Reread() // the delete has changed it
	list, err := e.Book.Earlier()
	return slices.DeleteFunc(list, func(i journal.Intent) bool {
		return i.Token != s.Private.Token || !i.Open() || IsHalfMade(i)
	}), err
}

// InputsOf returns the inputs of an earlier create, and whether they are all there: its hash tells whether
// those that the journal does not hold, such as secrets, are those of the new create, which are given.
func InputsOf(i journal.Intent, given property.Map, hash func(text string) (string, bool)) (inputs property.Map, whole bool, err error) {
	if len(i.Inputs) == 0 {
		return inputs, false, nil
	}
	if inputs, err = value.DecodeRecorded(i.Inputs); err != nil || len(i.Withheld) == 0 {
		return inputs, err == nil, err
	}
	for _, name := range i.Withheld {
		if v, given := given.GetOk(name); given {
			inputs = inputs.Set(name, v)
		}
	}
	sum, known := hash(recorded.HashInputs(inputs))
	return inputs, known && sum == i.Hash, nil
}
