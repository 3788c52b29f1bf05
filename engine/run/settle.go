package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/lookup"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/expr"
)

// ErrNoFind is the error of a spec without `find`: what an intent made cannot be looked up.
var ErrNoFind = errors.New("its spec has no `find`")

// FindMade looks for what an intent made, and reports a *recorded.WithheldError if a delete of it requires
// inputs that the journal does not contain.
func (rs *Resources) FindMade(ctx context.Context, of *plan.Resource, ref recorded.Ref, req SettleRequest) (Settled, error) {
	i := req.Intent
	inputs, err := recorded.WithGiven(i.Inputs, i.Withheld, req.Inputs)
	if err != nil {
		return Settled{}, err
	}
	res := rs.resource(of, ref, req.Log)
	if now := entries.Elsewhere(res.Resource, i); now != "" {
		return Settled{}, fmt.Errorf("that create was sent to %s, and the spec now sends to %s: look for the object there, or settle the entry with the spec of then", i.Place, now)
	}
	f, err := res.Finder(ctx, inputs)
	if err != nil {
		return Settled{}, err
	}
	found, err := settling{f, res, i}.lookUp(ctx)
	if err != nil {
		return Settled{}, f.Mask().Error(err)
	}
	if !found.Found {
		limit, err := f.Duration(res.Consistency, lookup.DefaultConsistency)
		found.Early = time.Since(i.LastSent()) < limit
		return found, f.Mask().Error(err)
	}
	if !req.Delete || found.Doubt != "" {
		return found, nil
	}
	needs := []*plan.Operation{res.Delete}
	if found.By == "find" && res.Read != nil {
		needs = append(needs, res.Read) // unread, nothing proves whose it is
	}
	if missing := recorded.NotGivenFor(i.Withheld, inputs, needs...); missing != nil {
		return found, &recorded.WithheldError{Inputs: missing}
	}
	return found, nil
}

// settling looks for what an intent of a create made.
type settling struct {
	lookup.Finder
	res    resource
	intent journal.Intent
}

// lookUp looks for what the intent made: by its id if that is known, otherwise by the spec's find.
func (r settling) lookUp(ctx context.Context) (Settled, error) {
	i, inputs := r.intent, r.Given
	found := Settled{By: "find"}
	state := recorded.State{ID: i.ID, Inputs: inputs, Private: recorded.Private{SchemaVersion: r.Resource.Spec.SchemaVersion, Unmade: r.res.entries(i.Token).UnmadeAfter(i)}}
	if state.ID == "" || i.Operation == journal.Update && r.Resource.Find != nil {
		if r.Resource.Find == nil {
			return found, ErrNoFind
		}
		if missing := recorded.NotGivenFor(slices.Concat(i.Withheld, recorded.NewlyRequired(r.Resource, inputs)), inputs, r.Resource.Find); missing != nil {
			return found, &recorded.WithheldError{Inputs: missing}
		}
		var err error
		if state.ID, found.Doubt, err = r.findID(ctx); err != nil || state.ID == "" {
			return found, err
		}
	} else {
		found.By = "response"
	}
	if r.Resource.Read != nil && recorded.NotGivenFor(i.Withheld, inputs, r.Resource.Read) == nil {
		read, err := r.readFound(ctx, state)
		if err != nil {
			return found, err
		}
		switch {
		case read != nil && found.By == "response":
			found.By, state = "read", *read
		case read != nil:
			state = *read
		case found.By == "response" || i.Operation == journal.Update:
			return found, nil
		} // else find sees what is too unfinished for read
	}
	if i.Unproven {
		found.Doubt = "nothing proves that this create has made it"
	}
	found.Found, found.ID, found.State = true, state.ID, &state
	return found, nil
}

// findID runs find, and returns the id of what it found, "" if it found nothing. doubt is the
// reason why the object may not be what the intent made.
func (r settling) findID(ctx context.Context) (id, doubt string, err error) {
	i := r.intent
	if i.Operation == journal.Update || i.Step < 0 || i.Step >= len(r.Operation.Steps) {
		i.Step = max(0, min(r.Resource.IDAfter, len(r.Operation.Steps)-1)) // find stands in for the step that gives the id
	}
	s := r.Operation.Steps[i.Step]
	value, err := r.Find(ctx, s)
	if err != nil || value == nil {
		return "", "", err
	}
	if i.Operation == journal.Create && (r.Resource.Read == nil || recorded.NotGivenFor(i.Withheld, r.Given, r.Resource.Read) == nil) {
		if doubt, err = r.ClaimFound(ctx, s, value, recorded.NotGiven(i.Withheld, r.Given), r.Given); err != nil {
			return "", "", err
		}
	}
	for _, earlier := range r.Operation.Steps[:s.Index] {
		r.Record(earlier, expr.Unknown{}) // what it gave is not recorded
	}
	r.Record(s, value)
	id, err = r.EvalID()
	if err == nil && id == "" {
		err = fmt.Errorf("find found something, and its id cannot be evaluated from it")
	}
	return id, doubt, err
}

// readFound returns the state according to the spec's read: nil if the resource does not exist, and
// the given state if a later step of read finds nothing.
func (r settling) readFound(ctx context.Context, state recorded.State) (*recorded.State, error) {
	reader := r.res.Reading(ctx, state)
	if err := reader.Open(); err != nil {
		return nil, err
	}
	yield, err := reader.Read(ctx)
	if errors.Is(err, verdict.ErrGone) && !errors.Is(err, verdict.ErrDenied) {
		return nil, nil
	}
	if errors.Is(err, verdict.ErrNotFound) {
		return &state, nil // it is half made
	}
	if err != nil {
		return nil, reader.Mask().Error(err)
	}
	seen, err := reader.State(state, yield, false)
	if seen != nil {
		return seen, nil // what cannot be recorded of it does not matter here
	}
	return nil, err
}
