package lookup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/reading"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
)

// Instance is a resource as one program has it, with its own name.
type Instance struct {
	*plan.Resource
	Runtime *operation.Runtime
	// Tokens are the tokens of all resources of the provider.
	Tokens *recorded.Tokens
	Ref    recorded.Ref
	// Log is nil if nothing is to be logged.
	Log operation.Log
}

// Object returns the object of a state.
func (res Instance) Object(s recorded.State) recorded.Object {
	return recorded.ObjectOf(res.Resource, s)
}

// Rules returns the rules by which values of the resource are compared.
func (res Instance) Rules() compare.Rules {
	return compare.Rules{Runtime: res.Runtime, Resource: res.Resource, Ref: res.Ref}
}

// Finder returns a finder for the object of a create with these inputs.
func (res Instance) Finder(ctx context.Context, inputs property.Map) (Finder, error) {
	f := Finder{Run: res.Runtime.New(ctx, res.Resource, res.Create, plan.Create, res.Ref, res.Log), Instance: res, Given: inputs}
	f.SetInputs(inputs)
	return f, f.Open()
}

// Taken returns the error for an object of a state that another resource has, nil if none has it.
func (res Instance) Taken(s recorded.State, remedy string) error {
	by, known := res.Tokens.Owner(res.Object(s))
	if !known || by.Resource == recorded.OwnerName(res.Ref) {
		return nil
	}
	return &recorded.TakenError{ID: recorded.CurrentID(s), Owner: by.Resource, Remedy: remedy}
}

// ExplainExisting adds to the failure of a create what to do about the file or folder that is in the place of its object.
func (res Instance) ExplainExisting(failure error, id, token string, inputs property.Map) error {
	if !errors.Is(failure, fs.ErrExist) {
		return failure
	}
	return fmt.Errorf("%w; %s", failure, res.Tokens.RemedyFor(res.Object(recorded.State{ID: id, Inputs: inputs}), res.Ref, token, false))
}

// Claim claims the object of a state that a create has made, or is about to make. An object that only
// a read has shown may be that of a resource that the program has no more, under its new name.
func (res Instance) Claim(s recorded.State, token, remedy string) error {
	if !res.KnowsObjects {
		return nil
	}
	by, ok := res.Tokens.Claim(res.Object(s), res.Ref, token)
	if ok || !by.Managed {
		return nil
	}
	return &recorded.TakenError{ID: recorded.CurrentID(s), Owner: by.Resource, Remedy: remedy}
}

// NewReading returns a run of the resource's `read`.
func (res Instance) NewReading(ctx context.Context) reading.Reading {
	return reading.Reading{Run: res.Runtime.New(ctx, res.Resource, res.Read, plan.Read, res.Ref, res.Log), Rules: res.Rules(), Taken: res.Taken}
}

// Reading returns a run of the resource's `read` for a state.
func (res Instance) Reading(ctx context.Context, s recorded.State) reading.Reading {
	r := res.NewReading(ctx)
	r.Recall(s)
	return r
}

// ReadUntilSeen reads a resource. If it was created so recently that the server may not show it yet,
// what is not found is looked for again.
func (res Instance) ReadUntilSeen(ctx context.Context, s recorded.State) (r reading.Reading, yield any, err error) {
	look := func() (bool, error) {
		r = res.Reading(ctx, s)
		if s.ID == "" {
			r.Vars.Values["id"] = nil // an import that does not give it
		}
		if err = r.Open(); err != nil {
			return true, nil
		}
		yield, err = r.Read(ctx)
		return !errors.Is(err, verdict.ErrGone), nil
	}
	waiting := func() { r.Log.Status("waiting until it can be seen") }
	if stopped := stop.Until(ctx, res.unseenFor(ctx, s), waiting, look); stopped != nil {
		return r, nil, stopped
	}
	return r, yield, err
}

// unseenFor returns for how long the server may not show the object of a state.
func (res Instance) unseenFor(ctx context.Context, s recorded.State) time.Duration {
	if s.Private.VisibleBy.IsZero() {
		return 0
	}
	limit, err := res.Reading(ctx, s).Duration(res.Consistency, 0)
	if err != nil {
		limit = DefaultConsistency
	}
	return stop.Left(s.Private.VisibleBy, limit)
}
