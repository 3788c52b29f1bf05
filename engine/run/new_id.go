package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
)

// An update may give its object another id. Its responses, find and read tell which.

// takeNewID takes the id that an update gave the resource, from its responses or from find, if read confirms that it is not
// that of something else. The id stays untold if neither has it, or if it refers to a step of another operation.
func (r updating) takeNewID(ctx context.Context) error {
	id := ""
	if r.HasIDSources(plan.Last(r.Results) != nil) {
		id, _ = r.EvalID()
	}
	if id == "" {
		r.untold = !r.findNewID(ctx)
		return nil
	}
	if id == r.ID || id == r.misnamed {
		return nil
	}
	renamed, err := r.isRenamed(ctx, id)
	if err != nil {
		r.untold = true
		return fmt.Errorf("the response to the update names the id %q, and nothing confirms that this is its own: %w. The id stays %q: look for it in the service, then run `pulumi refresh`", id, err, r.ID)
	}
	if renamed || r.Resource.Read == nil {
		if err := r.res.Taken(recorded.State{ID: id, Inputs: r.Given, Outputs: r.old.Outputs}, "the response to the update names it, so the id stays as it was. Run `pulumi refresh`, which shows what both of them are now"); err != nil {
			return err
		}
	}
	if !renamed {
		r.misnamed = id
		r.Log.Message(operation.Warning, fmt.Sprintf("the response to the update names the id %q, and nothing shows that it is no longer %q, which stays. "+
			"If that response is about something else, such as a job, let the step of the update have `response: \"none\"`", id, r.ID))
		return nil
	}
	r.TakeID(id)
	return nil
}

// isRenamed reports whether the update has given the object the id that its response, or the inputs that were sent,
// give. It returns an error if nothing tells, although it may have.
func (r updating) isRenamed(ctx context.Context, id string) (bool, error) {
	switch {
	case !r.Resource.IDFromResponses() || r.idOfInputs(recorded.WithDefaults(r.Resource, r.old)) == r.ID:
		return true, nil // the inputs that were sent give it
	case r.Resource.Read != nil:
		return r.HasNewID(ctx, id, time.Now(), r.sent(r.old))
	case r.looked:
		if found, err := r.res.FindOwnID(ctx, r.ID, r.Given, r.old); err != nil || found != "" {
			return found == id, err
		}
	}
	return false, nil
}

// idOfInputs returns the id that the response would give with other inputs.
func (r updating) idOfInputs(inputs property.Map) string {
	defer r.Branch()()
	r.SetInputs(inputs)
	id, _ := r.EvalID()
	return id
}

// findNewID runs find for the id of a resource whose update was done, if no response has it. It
// returns false if find does not return the id either.
func (r updating) findNewID(ctx context.Context) bool {
	if !r.looked || stop.Err(ctx) != nil {
		return false
	}
	id, err := r.res.FindOwnID(ctx, r.ID, r.Given, r.old)
	if err == nil && id != "" {
		r.ID = id
	}
	return err == nil && id != ""
}

// takeLastID takes the id that an update which was not finished gave the object, from find or from the response that
// names it. It looks for what a response does not tell also after the update was stopped.
func (r updating) takeLastID(ctx context.Context, failure error) error {
	look, cancel := ctx, func() {}
	if r.named != nil || r.unidentified != nil {
		look, cancel = stop.Looking(ctx)
	}
	defer cancel()
	if stop.Err(look) != nil {
		return failure
	}
	if r.untold = !r.findNewID(look); r.untold && r.named != nil {
		sent := r.sent(r.old)
		sent.Part = true
		switch renamed, err := r.HasNewID(look, r.named.ID, time.Now(), sent); {
		case err != nil:
			return fmt.Errorf("%w; a response to it names the id %q, and nothing tells whether that is its own: %s. `declprov journal` lists it", failure, r.named.ID, err)
		case renamed:
			r.ID = r.named.ID
		}
		r.untold = false
	}
	if !r.untold {
		r.named = nil
	}
	if stop.Err(ctx) != nil {
		r.warn(r.closeUnidentified(look))
	}
	return failure
}

// keepNamed records that the response to a step of an update names another id, which may be the only trace of the object
// if the update does not come to its end.
func (o owner) keepNamed(s *plan.Step, response any) error {
	id := o.IDIn(s, response)
	if id == "" || id == o.ID {
		return nil
	}
	o.named = &recorded.Named{ID: id, Sent: time.Now().UTC()}
	o.named.Inputs, o.named.Withheld = value.EncodeRecordable(o.Given)
	if o.Token == "" || !o.res.Journals() {
		return nil
	}
	i := o.intent(s)
	i.Named, i.Inputs, i.Withheld = id, o.named.Inputs, o.named.Withheld
	i, err := o.entries().BeginNamed(i, o.begun)
	o.unidentified = append(o.unidentified, i)
	return err
}

// closeUnidentified closes the entries of steps of an update that failed later, if find, or read unless the update renames, shows the
// object under the id that the state gets. Otherwise they stay open, because the object may have another id.
func (r updating) closeUnidentified(ctx context.Context) error {
	if r.unidentified == nil || stop.Err(ctx) != nil {
		return nil
	}
	if r.untold && r.Resource.Read != nil && !r.renames() {
		_, _, _, err := r.ReadUnder(ctx, r.ID, r.old)
		r.untold = err != nil
	}
	if r.untold {
		return nil
	}
	return r.entries().Locate(r.ID, r.unidentified...)
}

// mayLeaveOld reports whether the object under the old id may still exist, after an update that
// gave the resource another id and ran more steps. To read the new object does not tell what
// those steps did to the old one.
func (r updating) mayLeaveOld(ctx context.Context, s *recorded.State) bool {
	before, _ := r.Vars.Values["id"].(string)
	changed := slices.ContainsFunc(r.Operation.Steps[:min(r.Failed, len(r.Operation.Steps))], func(s *plan.Step) bool {
		ran, err := r.Bool(s.When, true)
		return s.Effect == actions.Write && (err != nil || ran)
	})
	if before == "" || before == r.ID || !changed {
		return false
	}
	inputs, err := recorded.WithIDInputs(r.res.Resource, r.res.all.Config, before, s.Inputs)
	if err != nil {
		return true
	}
	_, _, err = r.ReadAs(ctx, recorded.State{ID: before, Inputs: inputs, Outputs: s.Outputs, Private: recorded.Private{Token: s.Private.Token}})
	return !errors.Is(err, verdict.ErrGone)
}
