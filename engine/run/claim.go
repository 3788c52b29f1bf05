package run

import (
	"errors"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/spec/screen"
)

// Two resources must not have one object: what one does to it, the other undoes, and the first that
// is removed deletes it for both. So a resource claims an object before it takes it for its own: when
// find finds it, when a response names it, or, if the inputs give the id, before anything is sent.

// taken returns the error for an object of a state that another resource has, nil if none has it.
func (res resource) taken(s recorded.State, remedy string) error {
	by, known := res.all.Tokens.Owner(res.object(s))
	if !known || by.Resource == recorded.OwnerName(res.ref) {
		return nil
	}
	return &recorded.TakenError{ID: recorded.CurrentID(s), Owner: by.Resource, Remedy: remedy}
}

// Declare records that the program has the resource of a state. It returns an error if the program has its
// object under another one, too, which an import can bring about.
func (rs *Resources) Declare(of *plan.Resource, ref recorded.Ref, s recorded.State) error {
	object := recorded.ObjectOf(of, s)
	rs.Tokens.Declare(object, ref, s.Private.Token)
	by, another := rs.Tokens.Another(object, ref, s.Private.Token)
	if !of.KnowsObjects || !another {
		return nil
	}
	return &recorded.TakenError{ID: recorded.CurrentID(s), Owner: by.Resource, Remedy: "remove one of the two from the program; the object stays, and belongs to the other"}
}

// claim claims the object of a state that a create has made, or is about to make. An object that only
// a read has shown may be that of a resource that the program has no more, under its new name.
func (res resource) claim(s recorded.State, token, remedy string) error {
	if !res.KnowsObjects {
		return nil
	}
	by, ok := res.all.Tokens.Claim(res.object(s), res.ref, token)
	if ok || !by.Managed {
		return nil
	}
	return &recorded.TakenError{ID: recorded.CurrentID(s), Owner: by.Resource, Remedy: remedy}
}

// claimNamed claims the object of a create whose id its inputs give, before anything is sent.
func (o owner) claimNamed(s *plan.Step) error {
	if o.Verb != plan.Create || o.Preview || o.Undoing || o.ID != "" || o.Resource.ID == nil || o.Resource.IDFromResponses() {
		return nil
	}
	id, err := o.EvalID()
	if err != nil || id == "" {
		return nil // its step says what is wrong with it
	}
	if err := o.res.claim(recorded.State{ID: id, Inputs: o.given}, o.token, "choose another name, or remove one of them; nothing was sent"); err != nil {
		return o.Stop(s, 1, actions.Refused, err)
	}
	return nil
}

// refuseTaken returns the result of a create whose response names the object of another resource. Its
// entries of the journal are listed for people: no later create continues them.
func (a *aftermath) refuseTaken() Result {
	list, err := a.ownIntents()
	if a.entry != nil {
		list = append(list, *a.entry)
		a.entry = nil
	}
	for _, i := range list {
		i.Status, i.Error = journal.Failed, screen.Show(a.failure.Error(), a.Mask()).String()
		err = errors.Join(err, a.book().Put(i, false))
	}
	return Result{Err: a.Mask().Error(errors.Join(a.failure, err))}
}

// keepObject claims the object of the state that a create leaves, whose properties are all known now.
func keepObject(r *run, out Result) Result {
	if out.State == nil {
		r.res.all.Tokens.Release(r.token)
		return out
	}
	if err := r.res.claim(*out.State, r.token, recorded.ResponseRemedy); err != nil {
		r.res.all.Tokens.Release(r.token)
		return (&aftermath{run: r, failure: errors.Join(out.Err, err)}).refuseTaken()
	}
	r.res.all.Tokens.Manage(r.res.object(*out.State), r.res.ref, r.token)
	return out
}
