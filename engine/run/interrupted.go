package run

import (
	"context"

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

// entries returns the entries of the journal about the run's resource.
func (r *run) entries() entries.Entries { return entries.Entries{Resource: r.Resource, Book: r.book()} }

// runAlone runs an update under an entry of the journal, which stands for the update from before its
// first request until the host has recorded the state that it returns. Meanwhile no other process
// updates or deletes the resource, whichever request of the update is under way.
func (u update) runAlone(ctx context.Context, state recorded.State) Result {
	about := u.res.entries(state.Private.Token)
	defer func() { u.res.warn(about.Book.Conclude()) }()
	own, err := u.record(ctx, about, state)
	if err != nil {
		return Result{Err: err}
	}
	if own != nil {
		defer entries.OpenOnPanic(about.Book, own)
	}
	out := u.res.keepToken(state, u.run(ctx, state))
	switch {
	case out.State != nil:
		u.res.warn(about.EndUpdates(out.State))
	case own != nil:
		u.res.warn(about.Book.RemoveOne(*own)) // nothing was changed
	}
	return out
}

// record records that an update is under way. It returns nil if an update knows by itself what it
// has done.
func (u update) record(ctx context.Context, about entries.Entries, state recorded.State) (*journal.Intent, error) {
	first := u.res.Update.FirstUnsettled()
	if first == nil || state.Private.Token == "" {
		return nil, nil
	}
	r := u.res.beginWith(ctx, u.res.Update, plan.Update, u.req.Inputs)
	r.SetState(state)
	r.TakeID(recorded.CurrentID(state))
	r.Token = state.Private.Token
	i := r.intent(first)
	i.Given = recorded.NamesOf(u.req.Inputs)
	begun, err := about.BeginUpdate(i)
	if err != nil {
		return nil, err
	}
	return &begun, nil
}
