package lookup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/reading"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// After a lost response, find may find what the request of this resource has made, or what
// somebody else has made since under the same name. The object is adopted only if no other
// resource has it, and if it holds what was sent.

// ClaimFound claims an object that find found for a step, and returns "", or why it is not the resource's own. sent are the
// inputs that requests may have sent: the object must hold those of one of them. Inputs that are withheld are not compared.
func (f Finder) ClaimFound(ctx context.Context, s *plan.Step, found any, withheld []string, sent ...property.Map) (why string, err error) {
	id := f.ResultID(s, found)
	if id == "" {
		return "", nil
	}
	state := recorded.State{ID: id, Inputs: f.Given, Private: recorded.Private{SchemaVersion: f.Resource.Spec.SchemaVersion}}
	if why, err = f.Contradiction(ctx, s, &state, withheld, sent); err != nil || why != "" {
		return why, err
	}
	if held, ok := f.Instance.Tokens.Claim(f.Instance.Object(state), f.Instance.Ref, f.Token); !ok {
		return "it belongs to " + held.Resource, nil
	}
	return "", nil
}

// Contradiction returns what speaks against an object that read reads with a state, "" if nothing
// does. It completes the state by what read returns.
func (f Finder) Contradiction(ctx context.Context, s *plan.Step, of *recorded.State, withheld []string, sent []property.Map) (why string, err error) {
	if f.Resource.Read == nil {
		return "", nil
	}
	state := *of
	reader, yield, err := f.ReadAs(ctx, state)
	whole := err == nil
	if errors.Is(err, verdict.ErrGone) || errors.Is(err, verdict.ErrNotFound) {
		// If the create stopped halfway, some steps of read may find nothing yet.
		yield, err = reader.ReadPastMissing(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("reading what is there now: %w", reader.Mask().Error(err))
	}
	if yield == nil {
		return "", nil // read returns nothing to compare
	}
	if whole {
		f.ETags = reader.ETags
	}
	seen, err := reader.InputsOf(state, reading.Without(yield, withheld), false)
	if err != nil {
		return "it cannot be what was sent: " + reader.Mask().Error(err).Error(), nil
	}
	withheld = append(slices.Clone(withheld), f.Resource.Inputs.UnknownPaths(nil, property.New(seen), "")...)
	got, _ := f.Resource.Outputs.Project(yield, reader.Mask())
	of.Outputs = property.NewMap(got.Values)
	if name := f.Instance.Rules().Read().Contradiction(ctx, s, seen, withheld, sent); name != "" {
		return fmt.Sprintf("its %q does not hold what was sent", name), nil
	}
	if name, _ := reader.CompareStable(recorded.State{Outputs: f.Stable}, *of); name != "" {
		return fmt.Sprintf("its %s is another one", name), nil
	}
	return "", nil
}

// Exists reports whether the object with the id that an earlier create got still exists, as far as read can tell. Without
// read it returns false: find finds one object for a name, and that is another one.
func (f Finder) Exists(ctx context.Context, id string) (bool, error) {
	if f.Resource.Read == nil {
		return false, nil
	}
	reader, _, err := f.ReadAs(ctx, recorded.State{ID: id, Inputs: f.Given, Private: recorded.Private{SchemaVersion: f.Resource.Spec.SchemaVersion}})
	switch {
	case errors.Is(err, verdict.ErrGone):
		return false, nil
	case errors.Is(err, verdict.ErrNotFound):
		return true, nil // a later step of read found nothing: the object is incomplete, but there
	case err != nil:
		return true, fmt.Errorf("reading what an earlier create made: %w", reader.Mask().Error(err))
	}
	return true, nil
}

// IsGone reports whether read says that the object with an id is gone.
func (f Finder) IsGone(ctx context.Context, id string) bool {
	there, err := f.Exists(ctx, id)
	return id != "" && f.Resource.Read != nil && !there && err == nil
}
