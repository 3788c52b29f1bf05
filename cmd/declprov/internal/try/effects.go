package try

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// create previews the creation of the resource, and creates it, unless its object exists
// already: what the trial did not create it must neither change nor delete.
func (l *life) create(ctx context.Context) error {
	if l.existsBefore(ctx) {
		l.heading("create", "")
		remedy := "A trial deletes what it creates. Choose other inputs, or read the object with --import. If it always exists, such as the settings of a server, and may be deleted, use --overwrite."
		switch {
		case l.plan.Resource.Singleton:
			remedy = "A trial changes the settings of the server. Read them with --import, or use --overwrite: then the trial changes them, and restores at the end what read has returned before."
		case l.plan.Resource.Kept:
			remedy = "A trial changes it, and does not restore it. Read it with --import, or, if it may be changed, use --overwrite."
		}
		l.finding(codeExists, "an object with this id exists already", remedy)
		return ErrFailed
	}
	if l.plan.Resource.Singleton {
		if err := keepOriginal(ctx, l); err != nil {
			return err
		}
	}
	preview, err := l.client.Create(ctx, l.resource, l.checked, client.Operation{Preview: true})
	if err != nil {
		l.heading("preview", "")
		return l.fail(err)
	}
	l.previous = property.Map{}
	state, err := createLosing(ctx, l)
	if err := l.recordState(ctx, "create", state, err); err != nil {
		return err
	}
	l.comparePreview(preview)
	return nil
}

// createLosing creates the resource, and loses a response if the plan says so.
func createLosing(ctx context.Context, l *life) (client.State, error) {
	if l.plan.LoseNext == nil {
		return l.client.Create(ctx, l.resource, l.checked, client.Operation{})
	}
	stop := l.plan.LoseNext()
	l.plan.LoseNext = nil // a replacement loses none
	state, err := l.client.Create(ctx, l.resource, l.checked, client.Operation{})
	switch lost := stop(); {
	case lost:
		return createAgain(ctx, l, state, err)
	case err == nil:
		l.heading("lost", "no response, because no step with an effect has run")
	}
	return state, err
}

// createAgain continues a create whose response was lost, as the next up does, unless the create has
// found out by itself what became of it.
func createAgain(ctx context.Context, l *life, state client.State, lost error) (client.State, error) {
	if lost == nil {
		l.heading("lost", "a response; the same run found out what had happened")
		return state, nil
	}
	l.heading("lost", "a response; the next up continues")
	var partly *client.InitFailed
	var err error
	if errors.As(lost, &partly) {
		state, err = l.client.Update(ctx, l.resource, partly.State, l.checked, client.Operation{})
	} else {
		state, err = l.client.Create(ctx, l.resource, l.checked, client.Operation{})
	}
	if err != nil {
		l.finding(codeLost, "the next up fails after a lost response",
			"The result of `find` takes the place of the lost response: `id` and `return` must be able to use it. The object may remain: `declprov journal` lists it.")
	}
	return state, err
}

// existsBefore reports whether an object exists that the inputs identify.
func (l *life) existsBefore(ctx context.Context) bool {
	text, ok := l.plan.ImportID("", l.checked, l.settings)
	if !ok || l.plan.Overwrite {
		return false
	}
	// If this read fails, the create will, too.
	now, err := l.client.Lookup(ctx, l.resource, text)
	return err == nil && now.ID != ""
}

// comparePreview reports outputs that a preview predicted, and that became something else.
func (l *life) comparePreview(preview client.State) {
	for name, v := range preview.Outputs.AllStable {
		now := l.state.Outputs.Get(name)
		if strings.HasPrefix(name, "__") || v.HasComputed() || same(v, now) {
			continue
		}
		l.finding(codePreview, fmt.Sprintf("%s: the preview predicted %s, and it is %s", name, show(v), show(now)),
			"Programs decide by what a preview predicts. If an update may change the output, remove its @stable(). If the API chooses the value, return it from the operation, and declare it in outputs.")
	}
}

// recordState records and prints the state that a create or update returned.
func (l *life) recordState(ctx context.Context, verb string, state client.State, err error) error {
	var partly *client.InitFailed
	switch {
	case errors.As(err, &partly):
		l.state, l.exists, l.halfway = partly.State, true, verb == "create"
		l.heading(verb, "failed; the resource is kept with id "+showText(l.state.ID))
		for _, reason := range partly.Reasons {
			l.failure("%s", reason)
		}
		return ErrFailed
	case status.Code(err) == codes.Canceled && ctx.Err() != nil:
		l.heading(verb, "interrupted; it may have created an object that was not deleted")
		return l.fail(err)
	case err != nil:
		l.heading(verb, "")
		return l.fail(err)
	}
	l.state, l.exists, l.halfway = state, true, false
	l.heading(verb, "id "+showText(state.ID))
	l.values(outputsOnly(state.Outputs, state.Inputs), func(string) string { return "" })
	return nil
}

// outputsOnly returns the outputs that differ from the inputs, without internal ones.
func outputsOnly(outputs, inputs property.Map) property.Map {
	for name, v := range outputs.All {
		same, ok := inputs.GetOk(name)
		if strings.HasPrefix(name, "__") || ok && v.Equals(same) {
			outputs = outputs.Delete(name)
		}
	}
	return outputs
}

// change diffs the resource with the new inputs, then updates or replaces it if the diff
// says so.
func (l *life) change(ctx context.Context) error {
	diff, err := l.client.Diff(ctx, l.resource, l.state, l.checked)
	switch {
	case err != nil:
		l.heading("diff", "")
		return l.fail(err)
	case !diff.Changed:
		l.heading("diff", "no changes")
		return nil
	case diff.Replace():
		l.heading("diff", "replaces it")
		l.changes(diff)
		return l.replace(ctx, diff.DeleteBeforeReplace)
	}
	l.heading("diff", "updates it")
	l.changes(diff)
	preview, err := l.client.Update(ctx, l.resource, l.state, l.checked, client.Operation{Preview: true})
	if err != nil {
		l.heading("preview", "")
		return l.fail(err)
	}
	l.previous = l.state.Inputs
	warnings := l.said.warnings.Load()
	state, err := l.client.Update(ctx, l.resource, l.state, l.checked, client.Operation{})
	if l.said.warnings.Load() > warnings {
		l.finding(codeNotApplied, "an update warns", "Users of the provider see this. If the API keeps what the program removes, send what removes it, or let a change replace the resource: @replace().")
	}
	if err != nil && !errors.As(err, new(*client.InitFailed)) {
		l.heading("update", "")
		return l.fail(err) // the old state remains
	}
	if err := l.recordState(ctx, "update", state, err); err != nil {
		return err
	}
	l.comparePreview(preview)
	return l.lookAgain(ctx)
}

// replaceAfterwards finds out why a replacement was refused: it deletes the original, and tries again.
func replaceAfterwards(ctx context.Context, l *life, refused error) error {
	if err := l.delete(ctx); err != nil {
		return errors.Join(refused, err)
	}
	if err := l.create(ctx); err != nil {
		return refused // for another reason
	}
	l.finding(codeRefused, "the replacement cannot be created while the original exists",
		"It can once the original is deleted: `diff: deleteBeforeReplace: true`.")
	return l.lookAgain(ctx)
}

// replace creates the new resource, and deletes the old one afterwards or before.
func (l *life) replace(ctx context.Context, deleteFirst bool) error {
	if deleteFirst {
		if err := l.delete(ctx); err != nil {
			return err
		}
		if err := l.create(ctx); err != nil {
			return err
		}
		return l.lookAgain(ctx)
	}
	old := l.state
	l.exists = false
	if err := l.create(ctx); err != nil {
		if !l.exists {
			l.state, l.exists = old, true
			return replaceAfterwards(ctx, l, err)
		}
		return errors.Join(err, l.deleteState(ctx, old))
	}
	if err := l.deleteState(ctx, old); err != nil {
		return err
	}
	if old.ID != l.state.ID {
		if err := l.gone(ctx, old); err != nil {
			return err
		}
	}
	return l.lookAgain(ctx)
}

func (l *life) delete(ctx context.Context) error {
	if err := l.deleteState(ctx, l.state); err != nil {
		return err
	}
	l.exists = false
	if l.unseen {
		l.finding(codeNotDeleted, fmt.Sprintf("the object %s may still exist", showText(l.state.ID)), "Read has not found it, so nothing tells whether delete has removed it. Look in the service, and remove it there.")
		return ErrFailed
	}
	if err := l.gone(ctx, l.state); err != nil {
		return err
	}
	return findNothing(ctx, l)
}

// findNothing verifies that find does not find the deleted object either, as of a server that keeps what is deleted.
func findNothing(ctx context.Context, l *life) error {
	if l.plan.FindAgain == nil || l.plan.Resource.Read == nil || l.plan.Resource.Delete == nil || l.plan.Resource.Singleton {
		return nil
	}
	isGone := func() bool {
		_, found := l.plan.FindAgain(func() { _, _ = l.client.Create(ctx, l.resource, l.checked, client.Operation{}) })
		return !found
	}
	gone, err := within(ctx, l.plan.Consistency, isGone)
	if err != nil || gone {
		return err
	}
	l.heading("find", "")
	l.finding(codeFoundGone, "find still finds the object, although read says that it is gone",
		"The next create with these inputs would be refused, because the object exists already. If the server keeps what is deleted, let find leave it out, by the condition in the `gone` of read. "+
			"In `rest`, `unique` looks at the whole list: write a find next to it. If the server deletes later, add a step with until to delete, which waits for that.")
	return ErrFailed
}

// findCreated verifies that find finds the object that was just created: after a lost response, it is what prevents a
// second one. The create that looks is of another resource of the program.
func findCreated(ctx context.Context, l *life) error {
	if l.plan.FindAgain == nil {
		return nil
	}
	other := l.resource
	other.Name += "-found"
	found, err := within(ctx, l.plan.Consistency, func() bool {
		asked, found := l.plan.FindAgain(func() { _, _ = l.client.Create(ctx, other, l.checked, client.Operation{}) })
		return found || !asked
	})
	if err == nil && !found {
		l.heading("find", "")
		l.finding(codeNotFoundAgain, "find does not find the object that was just created",
			"After a lost response, the create would be sent again, and make a second object. Compare the request of find with the response (`--trace`): its path and query, and the member that it compares.")
	}
	return err
}

// within repeats a check until it holds, for at most a duration, and reports whether it did.
func within(ctx context.Context, limit time.Duration, holds func() bool) (bool, error) {
	until := time.Now().Add(limit)
	for delay := 100 * time.Millisecond; !holds(); delay *= 2 {
		left := time.Until(until)
		if left <= 0 {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(min(delay, left)):
		}
	}
	return true, nil
}

// gone verifies by read that a deleted object is gone. If the path of the delete is wrong,
// a server responds with 404, and the delete counts as done although the object remains.
func (l *life) gone(ctx context.Context, s client.State) error {
	if l.plan.Resource.Read == nil || l.plan.Resource.Delete == nil || l.plan.Resource.Singleton {
		return nil
	}
	until := time.Now().Add(l.plan.Consistency)
	defer l.said.showOnce()()
	for delay := 100 * time.Millisecond; ; delay *= 2 {
		exists, err := stillExists(ctx, l, s)
		left := time.Until(until)
		switch {
		case err != nil:
			l.heading("read", "failed; it is not known whether the object is gone")
			return l.fail(err)
		case !exists:
			l.heading("read", "gone")
			return nil
		case left <= 0:
			l.heading("read", "")
			l.finding(codeNotDeleted, "the object still exists after delete",
				"Delete uses another address than read, or the server deletes the object later. In the latter case, add a step with until to delete, which waits for that. If the object always exists, and delete only empties it, let read and find say what is gone: `gone: \"${len(body.items) == 0}\"`.")
			return ErrFailed
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(delay, left)):
		}
	}
}

// stillExists reports whether read finds the object of a deleted resource. A resource whose create
// stopped halfway exists for a refresh even without an object, because a later run makes it; so the
// object is looked up, as an import does, without what is recorded.
func stillExists(ctx context.Context, l *life, s client.State) (bool, error) {
	text, ok := l.plan.ImportID(s.ID, s.Inputs, l.settings)
	if l.halfway && ok {
		if now, err := l.client.Lookup(ctx, l.resource, text); err == nil {
			return now.ID != "", nil
		}
	}
	now, err := l.client.Read(ctx, l.resource, s, client.Operation{})
	return now.ID != "", err
}

func (l *life) deleteState(ctx context.Context, s client.State) error {
	if err := l.client.Delete(ctx, l.resource, s, client.Operation{}); err != nil {
		l.heading("delete", "failed; "+showText(s.ID)+" may still exist")
		return l.fail(err)
	}
	if l.plan.Resource.Delete == nil {
		l.heading("remains", fmt.Sprintf("id %s, because %s has no delete", showText(s.ID), l.plan.Resource.Name))
		return nil
	}
	l.heading("delete", "id "+showText(s.ID))
	return nil
}
