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

// claimNamed claims the object of a create whose id its inputs give, before anything is sent.
func (o owner) claimNamed(s *plan.Step) error {
	if o.Verb != plan.Create || o.Preview || o.Undoing || o.ID != "" || o.Resource.ID == nil || o.Resource.IDFromResponses() {
		return nil
	}
	id, err := o.EvalID()
	if err != nil || id == "" {
		return nil // its step says what is wrong with it
	}
	if err := o.res.Claim(recorded.State{ID: id, Inputs: o.Given}, o.Token, "choose another name, or remove one of them; nothing was sent"); err != nil {
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
		r.res.all.Tokens.Release(r.Token)
		return out
	}
	if err := r.res.Claim(*out.State, r.Token, recorded.ResponseRemedy); err != nil {
		r.res.all.Tokens.Release(r.Token)
		return (&aftermath{run: r, failure: errors.Join(out.Err, err)}).refuseTaken()
	}
	r.res.all.Tokens.Manage(r.res.Object(*out.State), r.res.Ref, r.Token)
	return out
}
