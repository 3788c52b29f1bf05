// Package deletion deletes the object of a resource under an entry of the journal, and continues a delete that did not come to its
// end. Before that sends anything again, it looks whether the object is there, and still the resource's own.
package deletion

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/lookup"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/screen"
)

// Deletion is a delete of the object of a recorded state.
type Deletion struct {
	*operation.Run
	Instance lookup.Instance
	About    entries.Entries
	State    recorded.State
	// Configuration is the configuration as intents record it.
	Configuration json.RawMessage

	// entry is the entry of the delete, nil if it has none. It is that of an earlier run until the first request: own is true then.
	entry *journal.Intent
	own   bool
	// news is true if a step was done since the entry was written.
	news bool
	// doubted is the step that an earlier run may have done, and that is sent again, nil if none is. waited is the step at which
	// the earlier run stopped, if it only waits.
	doubted, waited *plan.Step
}

// Keep records what was done so far, before a step is sent.
func (d *Deletion) Keep(s *plan.Step) error {
	writes := s.Effect == actions.Write
	switch {
	case d.State.Private.Token == "", d.entry == nil && !(writes && d.Resource.RecordsDelete()), d.own && !d.news && !writes:
		return nil
	}
	return d.put(s.Index, writes, journal.Begun, "")
}

// Doubts reports whether a step may have been done by an earlier run.
func (d *Deletion) Doubts(s *plan.Step) bool { return s == d.doubted }

// Sent records that a step was done.
func (d *Deletion) Sent(s *plan.Step) { d.news = d.news || s.Effect == actions.Write }

// Key returns the idempotency key of a step, which is the same in each run of the delete.
func (d *Deletion) Key(s *plan.Step) string {
	if d.entry == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(d.entry.Key + "\x00" + strconv.Itoa(s.Index) + "\x00" + d.At)) // an element may be secret
	return hex.EncodeToString(sum[:16])
}

// Confirm looks before a step is sent again that may have been done: by then, somebody else may have another object under the name that
// the program has chosen.
func (d *Deletion) Confirm(ctx context.Context) (operation.Repeat, error) {
	if d.Operation.Writes() != 1 || !d.Resource.MayBeReplaced() {
		return operation.Repeat{Send: true}, nil
	}
	is, why, err := d.Instance.Presence(ctx, d.State, true)
	switch {
	case err != nil:
		return operation.Repeat{}, fmt.Errorf("it may have been deleted, and read or find, which would tell, fails: %w", err)
	case is == lookup.Doubtful:
		return operation.Repeat{}, fmt.Errorf("it may have been deleted, and what is there now may be another object, because %s", why)
	}
	return operation.Repeat{Send: is != lookup.Absent && is != lookup.Foreign, Gone: is == lookup.Absent || is == lookup.Foreign}, nil
}

// put writes the entry. sent is true if the step is sent next, or was sent without a known outcome.
func (d *Deletion) put(step int, sent bool, status journal.Status, why string) (err error) {
	now := journal.Intent{Configuration: d.Configuration}
	if d.entry != nil {
		now = *d.entry
	}
	if d.entry != nil && !d.own {
		if now, err = d.About.Book.Claim(now); err != nil {
			return err
		}
	}
	f := operation.StoppedPlainly(d.Run, operation.Stopped(d.Run, d.State.Inputs, step, recorded.ErrInterrupted), d.Mask())
	f.Unknown, f.Given = sent, nil
	if now.StepName = "the end"; step < len(d.Operation.Steps) {
		now.StepName = d.Operation.Steps[step].Name
	}
	if err = entries.SetDelete(&now, d.Resource, d.State, f); err != nil {
		return err
	}
	if now.Key == "" {
		if now, err = d.About.Book.Begin(now, false); err != nil {
			return err
		}
	}
	if now.Status != status || d.entry != nil {
		now.Status, now.Error = status, why
		err = d.About.Book.Put(now, false)
	}
	d.entry, d.own, d.news = &now, true, false
	return err
}

// Done records that the delete is done.
func (d *Deletion) Done() error {
	if d.entry == nil {
		return nil
	}
	return d.About.Book.RemoveOne(*d.entry)
}

// OpenOnPanic is deferred: see entries.OpenOnPanic.
func (d *Deletion) OpenOnPanic() {
	if bug := recover(); bug != nil {
		if d.own {
			d.entry.Status = journal.Unknown
			_ = d.About.Book.Put(*d.entry, true)
		}
		panic(bug)
	}
}

// Failed records how far the delete has come that ends with an error, and adds to the error how to go on.
func (d *Deletion) Failed(err error) error {
	unknown := operation.StatusOf(err) == actions.Unknown
	if d.State.Private.Token == "" || !d.own && !(unknown && d.entry == nil) {
		return err // nothing was sent, or nobody needs to know
	}
	step := d.Run.Failed
	if !unknown {
		step = d.stepToRepeat(err)
	}
	if !unknown && !d.hasDone(step) {
		return errors.Join(err, d.Done())
	}
	status := journal.Answered
	if unknown {
		status = journal.Unknown
	}
	if failed := d.put(step, unknown, status, screen.Show(err.Error(), d.Mask()).String()); failed != nil {
		return errors.Join(err, failed)
	}
	if unknown {
		return fmt.Errorf("%w; it is not known whether the step had an effect: the next `pulumi up` or `pulumi destroy` finds out, or repeats it; `declprov journal` lists it until then", err)
	}
	return fmt.Errorf("%w; the next `pulumi up` or `pulumi destroy` goes on %s. To begin the delete anew, run `declprov journal forget %s` before that", err, d.Operation.WhereStopped(step), d.entry.Key)
}

// stepToRepeat returns the step from which the next delete goes on. If a wait says that what was begun has failed, or that it is not known,
// or if it has not ended in two runs, that is begun again.
func (d *Deletion) stepToRepeat(err error) int {
	var failed *operation.StepError
	at := d.Run.Failed
	untold := errors.Is(err, verdict.ErrUntold)
	if untold {
		at = len(d.Operation.Steps)
	}
	ended := untold || errors.As(err, &failed) && failed.Fails
	for _, s := range slices.Backward(d.Operation.Steps[:at]) {
		if s.Effect == actions.Write && (ended || d.waited != nil && d.waited.Index == at && s.Certainty != actions.Uncertain) {
			return s.Index
		}
		if s.Effect == actions.Write {
			break
		}
	}
	return at
}

// hasDone reports whether a step with an effect before one was done, or that one for some elements of its loop.
func (d *Deletion) hasDone(step int) bool {
	return slices.ContainsFunc(d.Operation.Steps[:step], func(s *plan.Step) bool { return s.Effect == actions.Write }) ||
		step < len(d.Operation.Steps) && d.Looping == d.Operation.Steps[step] && len(d.Elements) > 0
}
