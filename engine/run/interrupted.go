package run

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/recorded"
)

// Entries returns the entries of the journal about a resource and its recorded state.
func (rs *Resources) Entries(of *plan.Resource, ref recorded.Ref, s recorded.State) entries.Entries {
	return rs.resource(of, ref, nil).entries(s.Private.Token)
}

// entries returns the entries of the journal about the resource and its recorded state with a token.
func (res resource) entries(token string) entries.Entries {
	return entries.Entries{Resource: res.Resource, Book: res.book(token)}
}

// beginUpdate records that an update is under way, before its first effect.
func (r owner) beginUpdate(s *plan.Step) error {
	if r.Verb != plan.Update || r.Undoing || r.wholeUpdate != nil || s.Effect != actions.Write || s.Certainty == actions.Settled || r.token == "" {
		return nil
	}
	i := r.intent(s)
	i.Given = namesOf(r.given)
	begun, err := r.res.entries(r.token).BeginUpdate(i)
	if err != nil {
		return r.Stop(s, 1, actions.Refused, err)
	}
	r.wholeUpdate = &begun
	return nil
}

// namesOf returns the names of inputs.
func namesOf(inputs property.Map) []string { return slices.Sorted(maps.Keys(inputs.AsMap())) }

// interruptOnPanic is deferred: the process goes on after a panic, and the update must not look as if
// it did, too.
func (r updating) interruptOnPanic() {
	if bug := recover(); bug != nil {
		if r.wholeUpdate != nil {
			r.wholeUpdate.Status = journal.Unknown
			_ = r.book().Put(*r.wholeUpdate, true)
		}
		panic(bug)
	}
}
