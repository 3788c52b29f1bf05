package lookup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/reading"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// A lost response to an update that gives the resource another id leaves the state with an id that
// no longer exists.

// FindOwnID returns the id of what find finds by the inputs of a lost update of a recorded state with an
// id, "" if that is nothing, or another object. An object with another id is the resource only if each
// property has its recorded value, or the value that the update was to give it, and if the old id is not
// in use. It returns an error if both objects may be the resource.
func (res Instance) FindOwnID(ctx context.Context, was string, inputs property.Map, before recorded.State) (string, error) {
	id, f, found, err := res.FindID(ctx, inputs)
	if err != nil || id == "" || id == was {
		return id, err
	}
	f.Stable = before.Outputs
	why, err := f.ClaimFound(ctx, res.Maker, found, nil, inputs, before.Inputs)
	if err == nil && why == "" {
		why, err = f.ownUnderID(ctx, was, id, before)
	}
	if err != nil || why == "" {
		return id, err
	}
	f.Log.Message(operation.Warning, fmt.Sprintf("an update may have given it another id. Something is there now%s, and %s: it is left alone", f.DescribeID(res.Maker, found), why))
	return "", nil
}

// findID returns the id of what find finds by these inputs, "" if that is nothing, and the finder
// that found it.
func (res Instance) FindID(ctx context.Context, inputs property.Map) (id string, f Finder, found any, err error) {
	if res.Maker == nil {
		return "", Finder{}, nil, nil
	}
	f, err = res.Finder(ctx, inputs)
	if err != nil {
		return "", Finder{}, nil, err
	}
	found, err = f.Find(ctx, res.Maker)
	if err != nil || found == nil {
		return "", Finder{}, nil, f.Mask().Error(err)
	}
	f.HideLatestResponse()
	f.SetResult(res.Maker, found)
	id, err = f.EvalID()
	return id, f, found, f.Mask().Error(err)
}

// ownUnderID returns why the object with the old id is the resource still, although there is one that a
// lost update of one step may have given another id: then the update was not done. It returns "" if
// the old id is not in use, or if its object is that of somebody else, and an error if nothing shows whose
// it is. With more steps than one, an update may make a copy first and remove the old object later.
func (f Finder) ownUnderID(ctx context.Context, was, now string, before recorded.State) (why string, err error) {
	if f.Resource.Update.Writes() != 1 || f.Resource.Read == nil || !f.Resource.Read.RefersToState() {
		return "", nil
	}
	old := recorded.State{ID: was, Inputs: before.Inputs, Outputs: before.Outputs, Private: recorded.Private{SchemaVersion: f.Resource.Spec.SchemaVersion, Lookup: true}}
	reader, yield, err := f.ReadAs(ctx, old)
	if err != nil {
		return "", nil
	}
	seen, _ := reader.State(old, yield, false)
	if seen == nil || seen.ID != was {
		return "", nil
	}
	if differs, _ := reader.CompareRest(old, *seen); differs != "" {
		return "", nil
	}
	if _, known := reader.CompareStable(old, *seen); known {
		return fmt.Sprintf("what had the id %q is there, too", was), nil
	}
	return "", fmt.Errorf("it may have the id %q or %q: both objects exist, and nothing shows which of them is its own. Look in the service: if it is %q, run `pulumi state delete '%s'`, and import it; if it is %q, run `declprov journal forget` with the key that `declprov journal` lists", was, now, now, f.Instance.Ref.Key, was)
}

// ReadUnder reads what has an id after an update of a state. It returns the state as which that is read.
func (r Finder) ReadUnder(ctx context.Context, id string, s recorded.State) (reading.Reading, recorded.State, any, error) {
	inputs, err := recorded.WithIDInputs(r.Instance.Resource, r.Instance.Runtime.Config, id, r.Given)
	now := recorded.State{ID: id, Inputs: inputs, Outputs: s.Outputs, Private: recorded.Private{Token: s.Private.Token, Written: s.Private.Written}}
	if err != nil {
		return reading.Reading{}, now, nil, err
	}
	reader, yield, err := r.ReadAs(ctx, now)
	return reader, now, yield, err
}

// HasNewID reports whether read shows that an update which was sent at a time has given the object another id.
func (r Finder) HasNewID(ctx context.Context, id string, since time.Time, sent compare.Sent) (renamed bool, unclear error) {
	if r.Resource.Read == nil {
		return false, errors.New("the spec has no read, which would tell")
	}
	of := reading.Renaming{Was: r.ID, Now: id, Sent: sent, Read: func(id string) (reading.Reading, recorded.State, any, error) {
		return r.ReadUnder(ctx, id, sent.Before)
	}}
	err := r.RetryUntilSeen(ctx, since, func() (bool, error) {
		renamed, unclear = of.Confirm(ctx)
		return !errors.Is(unclear, verdict.ErrGone), nil
	})
	return renamed, errors.Join(err, unclear)
}

// ReadAs reads the resource with a state, with the permissions of the finder.
func (f Finder) ReadAs(ctx context.Context, s recorded.State) (reading.Reading, any, error) {
	r := f.Instance.Reading(ctx, s)
	r.Env = f.Env
	yield, err := r.Read(ctx)
	return r, yield, err
}
