package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
)

// withUnmadeIntent sends a step. If the step makes what the recorded state names as unmade, it gets
// an intent first, whatever its certainty. The intent stays until the host has the new state: if
// the run is killed before that, nothing else records that the object was made.
func (r owner) withUnmadeIntent(ctx context.Context, s *plan.Step) (any, error) {
	if r.Undoing || r.Verb == plan.Create && !r.resumed || !s.IsInMade() || !slices.Contains(r.Unmade, s.Model.As) {
		return r.Attempts(ctx, s, false)
	}
	made := plan.Named(r.Resource.Create.Steps, s.Model.As)
	if made == nil {
		return r.Attempts(ctx, s, false)
	}
	// The intent has no hash, so that no create continues it.
	intent := journal.Intent{
		Operation: journal.Create, Token: r.Token, ID: r.ID,
		Step: made.Index, StepName: made.Name, Element: r.At, Configuration: r.res.all.journal.Configuration,
	}
	intent, err := r.book().Begin(intent, false)
	if err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	defer entries.OpenOnPanic(r.book(), &intent)
	value, err := r.Attempts(ctx, s, false)
	t := r.Of(s)
	switch {
	case t == nil:
		r.warn(r.book().RemoveOne(intent))
		return value, err
	case t.Done || s.OwnsWhatItSends():
		intent.Status = journal.Answered
	default:
		intent.Status = journal.Unknown
	}
	r.warn(r.book().Put(intent, false))
	return value, err
}

// warnLeftAlone warns of objects that a delete has left alone because their owner is unknown.
func (r *run) warnLeftAlone(s recorded.State) {
	list, err := entries.Creates{Entries: r.entries()}.LeftAlone(s)
	r.warn(err)
	for _, i := range list {
		r.Log.Message(operation.Warning, fmt.Sprintf("it is not known whether %s had made something, so that was not removed: look for it in the service; `declprov journal` lists it until `declprov journal forget %s`", i.StepName, i.Key))
	}
}
