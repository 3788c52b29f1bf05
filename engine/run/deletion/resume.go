package deletion

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/lookup"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
)

// Resume continues an earlier delete of the state, if there was one that is not done: what it has done is not sent again. It returns an
// error if only somebody who looks can tell what to do.
func (d *Deletion) Resume(ctx context.Context) error {
	i, err := entries.Deletes{Entries: d.About}.Last(d.State)
	if err != nil || i == nil {
		return err
	}
	f, err := entries.DeleteOf(*i)
	if err != nil {
		return err
	}
	d.entry = i
	s := d.State
	s.Private.Failed = f
	able := recorded.CanContinue(d.Resource, s)
	if able {
		operation.Restore(d.Run, f)
		d.Log.Message(operation.Info, "going on with the delete that stopped "+d.Operation.WhereStopped(f.Step))
	} else if i.Once {
		return d.refuse(errors.New("a step was sent that must not be sent twice, and it cannot go on after that: a later step needs a secret of its response, or the delete has other steps in the spec now"))
	}
	next := d.nextWrite()
	if able && f.Step < len(d.Operation.Steps) && d.Operation.Steps[f.Step].Effect != actions.Write {
		d.waited = d.Operation.Steps[f.Step]
	}
	if next == nil {
		return nil // only waits are left
	}
	only := d.Operation.Writes() == 1
	is, why, err := d.Instance.Presence(ctx, d.State, only)
	switch {
	case err != nil:
		return d.refuse(fmt.Errorf("read or find, which would tell what is there, fails: %w", err))
	case is == lookup.Doubtful, is == lookup.Foreign && !(only && f.Unknown):
		return d.refuse(errors.New("what is there now may be another object: " + why))
	case only && f.Unknown && (is == lookup.Absent || is == lookup.Foreign):
		d.skip(is, why)
		return nil
	case !f.Unknown || !able || next.Index != f.Step:
		return nil
	case next.Certainty == actions.Uncertain && !(is == lookup.Own && next.Index == d.Operation.LastWrite()):
		return d.refuse(errors.New("nothing tells whether that step was done, and it must not be done twice"))
	}
	if is != lookup.Own {
		d.doubted = next
	}
	return nil
}

// nextWrite returns the next step with an effect, nil if there is none.
func (d *Deletion) nextWrite() *plan.Step {
	for _, s := range d.Operation.Steps {
		if s.Effect == actions.Write && !d.Finished[s.Index] {
			return s
		}
	}
	return nil
}

// skip takes the delete for done whose response was lost.
func (d *Deletion) skip(is lookup.Presence, why string) {
	d.Log.Message(operation.Info, "the response to the delete was lost: it was done, as read or find shows")
	if is == lookup.Foreign {
		d.Log.Message(operation.Info, "what is there now is another object, which is left alone: "+why)
	}
	d.Skip()
}

// Skip takes the delete for done, because its object is gone.
func (d *Deletion) Skip() {
	d.Missed, d.Finished = true, map[int]bool{}
	for _, s := range d.Operation.Steps {
		d.Finished[s.Index] = true
	}
}

// refuse returns the error of a delete that is not continued, because of what is not known.
func (d *Deletion) refuse(why error) error {
	return fmt.Errorf("an earlier delete of it stopped at %s, and nothing was sent now, because %w. Look in the service: if the object is there and yours, run `declprov journal forget %s`, "+
		"and the next delete begins anew; if it is gone, and all that belongs to it, run that and `pulumi state delete '%s'`", d.entry.StepName, why, d.entry.Key, d.Instance.Ref.Key)
}

// RefuseUpdate returns an error if an earlier delete of a state may have been done: an update would make the object again, or change
// that of somebody else.
func RefuseUpdate(ctx context.Context, of lookup.Instance, about entries.Entries, s recorded.State) error {
	i, err := entries.Deletes{Entries: about}.Last(s)
	if err != nil || i == nil {
		return err
	}
	if err := about.RefuseBusy(s); err != nil {
		return err
	}
	const begun = "an earlier delete of it did not come to its end, and nothing was sent now"
	is, why, err := of.Presence(ctx, s, false)
	switch {
	case err != nil:
		return fmt.Errorf("%s, because read or find, which would tell what is there, fails: %w", begun, err)
	case is == lookup.Absent:
		return fmt.Errorf("%s, because it is gone: run `pulumi refresh`, and `pulumi up` makes it again", begun)
	case is == lookup.Foreign || is == lookup.Doubtful:
		return fmt.Errorf("%s, because what is there now may be another object: %s. If it is yours, run `declprov journal forget %s`; else `pulumi state delete '%s'`, and choose another name", begun, why, i.Key, of.Ref.Key)
	}
	return nil
}
