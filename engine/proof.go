package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// After a lost response, what find finds may be what this resource's request has
// made, or what somebody else has made since under the same name. It is taken over
// only if nothing speaks against it: no other resource has it, and it holds what
// was sent.

// notOwn says what speaks against an object that find found for a step being the
// resource's own; "" is nothing. sent are the inputs that its requests may have
// brought there; what is withheld of them is not compared.
func (r *run) notOwn(ctx context.Context, s *plan.Step, found any, withheld []string, sent ...property.Map) (why string, err error) {
	id := r.idGiven(s, found)
	if id == "" {
		return "", nil
	}
	held, known := r.engine.tokens.holder(objectOf(r.res, State{ID: id, Inputs: r.given}))
	if known && held.resource != holding(r.ref) {
		return "it is that of " + held.resource, nil
	}
	if r.res.Read == nil {
		return "", nil
	}
	state := State{ID: id, Inputs: r.given, Private: Private{SchemaVersion: r.res.Spec.SchemaVersion}}
	reader, yield, err := r.readAs(ctx, state)
	whole := err == nil
	if errors.Is(err, errGone) || errors.Is(err, errNotFound) {
		// What is half made may have nothing yet that some steps look for.
		yield, err = reader.lookPast(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("reading what is there now: %w", reader.Mask().Error(err))
	}
	if yield == nil {
		return "", nil // read shows nothing that could speak against it
	}
	if whole {
		r.etag = reader.etag
	}
	seen, err := r.engine.seenInputs(reader, r.ref, state, yield, false)
	if err != nil {
		return "it cannot be what was sent: " + reader.Mask().Error(err).Error(), nil
	}
	withheld = append(slices.Clone(withheld), r.res.Inputs.UnknownPaths(nil, property.New(seen), "")...)
	if name := r.contradiction(ctx, s, seen, withheld, sent); name != "" {
		return fmt.Sprintf("its %q does not hold what was sent", name), nil
	}
	return "", nil
}

// lookPast continues a read behind the step that found nothing, and returns what the read
// yields of the steps that found something. What depends on the others is unknown. It
// returns nil where no step found anything, or all did, and `return` is null.
func (r *run) lookPast(ctx context.Context) (any, error) {
	if len(r.results) == len(r.op.Steps) {
		return nil, nil
	}
	missing := r.op.Steps[r.failed]
	if err := r.notOnPages(missing); err != nil {
		return nil, err
	}
	r.record(missing, expr.Unknown{})
	found := r.failed > 0
	for _, s := range r.op.Steps[r.failed+1:] {
		err := r.pastStep(ctx, s)
		switch {
		case err == nil:
			found = true
			continue
		case errors.Is(err, errGone), errors.Is(err, errNotFound):
			err = r.notOnPages(s)
		case errors.Is(err, scope.ErrNotKnown): // it asks by what an earlier step did not find
			err = nil
		}
		if err != nil {
			return nil, err
		}
		r.record(s, expr.Unknown{})
	}
	if !found {
		return nil, nil
	}
	return r.Return(r.op)
}

// contradiction is the name of a property that a step sends and of which an object
// has none of the values that were sent; "" where all may be.
func (r *run) contradiction(ctx context.Context, s *plan.Step, seen property.Map, withheld []string, sent []property.Map) string {
	names, whole := s.Sends(r.res)
	for _, name := range withheld {
		delete(names, name)
	}
	against := map[string]int{}
	for _, inputs := range sent {
		differ := map[string]bool{}
		for _, c := range r.engine.changes(ctx, r.res, r.ref, State{Inputs: seen}, inputs, withheld) {
			name := value.TopLevel(c.Path)
			if (whole || names[name]) && (c.Kind != Delete || !empty(seen.Get(name))) {
				differ[name] = true
			}
		}
		for name := range differ {
			against[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(against)) {
		if against[name] == len(sent) {
			return name
		}
	}
	return ""
}

// empty reports whether a value says no more than an absent one: many servers show
// what was not given as an empty list, an empty text or false.
func empty(v property.Value) bool {
	switch {
	case v.IsNull():
		return true
	case v.IsArray():
		return v.AsArray().Len() == 0
	case v.IsMap():
		return v.AsMap().Len() == 0
	case v.IsString():
		return v.AsString() == ""
	case v.IsNumber():
		return v.AsNumber() == 0
	case v.IsBool():
		return !v.AsBool()
	default:
		return false
	}
}

// foundOther is the failure of a step whose response was lost, where what find finds
// is not known to be its own.
func (r *run) foundOther(s *plan.Step, found any, key, why string) error {
	return r.stop(s, 1, actions.Unknown, fmt.Errorf("something is there now%s, and %s: if it is yours, import it; "+
		"else choose another name. Then `declprov journal forget %s` takes this create off the list", r.idOf(s, found), why, key))
}

// standing reports whether what an earlier create was told to have made is there, as
// far as read can tell: where find finds one thing under each name, it is gone.
func (r *run) standing(ctx context.Context, id string) (bool, error) {
	if r.res.Read == nil {
		return false, nil
	}
	reader, _, err := r.readAs(ctx, State{ID: id, Inputs: r.given, Private: Private{SchemaVersion: r.res.Spec.SchemaVersion}})
	switch {
	case errors.Is(err, errGone):
		return false, nil
	case errors.Is(err, errNotFound):
		return true, nil
	case err != nil:
		return true, fmt.Errorf("reading what an earlier create made: %w", reader.Mask().Error(err))
	}
	return true, nil
}

// besides is the failure of a create that has made something, where find finds another
// thing in its place.
func (r *run) besides(s *plan.Step, found any, i journal.Intent) error {
	return fmt.Errorf("an earlier create has made %q, and find finds something else%s: import the one that is yours, "+
		"then `declprov journal forget %s` takes that create off the list", i.ID, r.idOf(s, found), i.Key)
}
