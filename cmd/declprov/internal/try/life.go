package try

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec/screen"
)

// Plan describes a trial.
type Plan struct {
	// Package is the name of the provider, Type that of the resource in the spec.
	Package, Type string
	Config        property.Map
	Inputs        property.Map
	// Then are the inputs of the update, if HasThen. They override Inputs; a null
	// removes an input.
	Then    property.Map
	HasThen bool
	// Keep prevents the resource from being deleted.
	Keep bool
	// Reads reports whether the resource has a read. After a delete, read must report
	// within Consistency that the object is gone.
	Reads       bool
	Consistency time.Duration
}

// ErrFailed reports that the trial failed. The failure has been printed.
var ErrFailed = errors.New("the trial failed")

// patience is the time limit for a call after an interrupt, and for the delete after a
// failure.
const patience = 30 * time.Second

// life is one trial.
type life struct {
	printer
	client   *client.Client
	plan     Plan
	resource client.Resource
	// checked are the inputs that the last check returned, and state is the recorded
	// state. exists reports whether there is an object to delete.
	checked property.Map
	state   client.State
	exists  bool
}

// Life checks, creates, reads and diffs a resource, and updates it if the plan says so.
// Then it deletes the resource, even after a failure. It writes the responses to w. It
// returns ErrFailed, or the error of the connection. If ctx ends, it starts no further
// call, but waits for the present one: see lasting.
func Life(ctx context.Context, c *client.Client, p Plan, w io.Writer, color bool) (err error) {
	l := &life{
		printer: printer{w: w, color: color}, client: c, plan: p,
		resource: client.Resource{Type: p.Package + ":index:" + p.Type, Name: "trial"},
	}
	calls, done := callContext(ctx, c)
	defer done()
	defer func() { err = l.end(ctx, err) }()
	for _, step := range l.steps() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := step(calls); err != nil {
			return err
		}
	}
	return nil
}

// steps returns the steps of the plan, in order.
func (l *life) steps() []func(context.Context) error {
	steps := []func(context.Context) error{
		l.configure,
		func(ctx context.Context) error { return l.check(ctx, property.Map{}, l.plan.Inputs) },
		l.create,
		l.look,
	}
	if !l.plan.HasThen {
		return steps
	}
	return append(steps,
		func(ctx context.Context) error {
			return l.check(ctx, l.state.Inputs, merge(l.plan.Inputs, l.plan.Then))
		},
		l.change)
}

// callContext returns a context for calls that an interrupt does not end at once. When ctx
// ends, the provider is asked to cancel its calls, as Pulumi does, and has some time to
// return what it has created, so that it can be deleted.
func callContext(ctx context.Context, c *client.Client) (calls context.Context, done func()) {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = c.Cancel(calls) // if it fails, the provider has the same time
		select {
		case <-calls.Done():
		case <-time.After(patience):
			cancel()
		}
	})
	return calls, func() {
		stop()
		cancel()
	}
}

// merge overrides values by others; a null removes a value.
func merge(under, over property.Map) property.Map {
	for name, v := range over.All {
		if v.IsNull() {
			under = under.Delete(name)
		} else {
			under = under.Set(name, v)
		}
	}
	return under
}

func (l *life) configure(ctx context.Context) error {
	answer, err := l.client.CheckConfig(ctx, l.plan.Package, l.plan.Config)
	if err != nil {
		l.heading("config", "")
		return l.fail(err)
	}
	if len(answer.Failures) > 0 {
		l.heading("config", "")
		for i, f := range answer.Failures {
			// The next line is about `pulumi config`.
			answer.Failures[i].Reason, _, _ = strings.Cut(f.Reason, "\n")
		}
		err := l.failures(answer.Failures)
		fmt.Fprintf(l.w, "        Configure the provider with --config %s=…\n", screen.Exact(answer.Failures[0].Property))
		return err
	}
	if answer.Inputs.Len() > 0 {
		l.heading("config", "")
		l.values(answer.Inputs, noteDefaults(l.plan.Config))
	}
	if err := l.client.Configure(ctx, l.plan.Package, answer.Inputs); err != nil {
		var missing *client.MissingKeys
		if errors.As(err, &missing) {
			for _, key := range missing.Keys {
				l.failure("%s: is required", key.Name)
			}
			fmt.Fprintf(l.w, "        Configure the provider with --config %s=…\n", screen.Exact(missing.Keys[0].Name))
			return ErrFailed
		}
		return l.fail(err)
	}
	return nil
}

func (l *life) check(ctx context.Context, olds, news property.Map) error {
	l.heading("check", l.plan.Type)
	answer, err := l.client.Check(ctx, l.resource, olds, news)
	if err != nil {
		return l.fail(err)
	}
	if len(answer.Failures) > 0 {
		return l.failures(answer.Failures)
	}
	l.values(answer.Inputs, noteDefaults(news))
	l.checked = answer.Inputs
	return nil
}

// noteDefaults returns a function that marks a property as a default if it is not in values.
func noteDefaults(values property.Map) func(string) string {
	return func(name string) string {
		if _, ok := values.GetOk(name); ok {
			return ""
		}
		return "default"
	}
}

func (l *life) create(ctx context.Context) error {
	state, err := l.client.Create(ctx, l.resource, l.checked, client.Operation{})
	return l.recordState(ctx, "create", state, err)
}

// recordState records and prints the state that a create or update returned.
func (l *life) recordState(ctx context.Context, verb string, state client.State, err error) error {
	var partly *client.InitFailed
	switch {
	case errors.As(err, &partly):
		l.state, l.exists = partly.State, true
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
	l.state, l.exists = state, true
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

// look reads the resource, and diffs it as the next up would.
func (l *life) look(ctx context.Context) error {
	now, err := l.client.Read(ctx, l.resource, l.state, client.Operation{})
	switch {
	case err != nil:
		l.heading("read", "")
		return l.fail(err)
	case now.ID == "":
		l.heading("read", "")
		l.failure("read does not find the resource that was just created")
		return ErrFailed
	}
	drift := outputsOnly(now.Outputs, l.state.Outputs)
	if drift.Len() == 0 {
		l.heading("read", "as recorded")
	} else {
		l.heading("read", "differs from what was recorded")
		l.values(drift, func(string) string { return "" })
	}
	l.state = now
	diff, err := l.client.Diff(ctx, l.resource, now, l.checked)
	if err != nil {
		l.heading("diff", "")
		return l.fail(err)
	}
	if !diff.Changed {
		l.heading("diff", "no changes")
		return nil
	}
	l.heading("diff", l.paint(red, "the next up would change this again"))
	l.changes(diff)
	return nil
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
	state, err := l.client.Update(ctx, l.resource, l.state, l.checked, client.Operation{})
	if err != nil && !errors.As(err, new(*client.InitFailed)) {
		l.heading("update", "")
		return l.fail(err) // the old state remains
	}
	if err := l.recordState(ctx, "update", state, err); err != nil {
		return err
	}
	return l.look(ctx)
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
		return l.look(ctx)
	}
	old := l.state
	if err := l.create(ctx); err != nil {
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
	return l.look(ctx)
}

func (l *life) delete(ctx context.Context) error {
	if err := l.deleteState(ctx, l.state); err != nil {
		return err
	}
	l.exists = false
	return l.gone(ctx, l.state)
}

// gone verifies by read that a deleted object is gone. If the path of the delete is wrong,
// a server responds with 404, and the delete counts as done although the object remains.
func (l *life) gone(ctx context.Context, s client.State) error {
	if !l.plan.Reads {
		return nil
	}
	until := time.Now().Add(l.plan.Consistency)
	for delay := 100 * time.Millisecond; ; delay *= 2 {
		now, err := l.client.Read(ctx, l.resource, s, client.Operation{})
		left := time.Until(until)
		switch {
		case err != nil:
			l.heading("read", "failed; it is not known whether the object is gone")
			return l.fail(err)
		case now.ID == "":
			l.heading("read", "gone")
			return nil
		case left <= 0:
			l.heading("read", "the object still exists after delete")
			l.failure("Delete uses another address than read, or the server deletes the object later. In the latter case, add a step with until to delete, which waits for that.")
			return ErrFailed
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(delay, left)):
		}
	}
}

func (l *life) deleteState(ctx context.Context, s client.State) error {
	if err := l.client.Delete(ctx, l.resource, s, client.Operation{}); err != nil {
		l.heading("delete", "failed; "+showText(s.ID)+" may still exist")
		return l.fail(err)
	}
	l.heading("delete", "id "+showText(s.ID))
	return nil
}

// end deletes the resource if it exists, also after a failure or an interrupt.
func (l *life) end(ctx context.Context, err error) error {
	switch {
	case !l.exists:
		return err
	case l.plan.Keep:
		l.heading("kept", "id "+showText(l.state.ID))
		return err
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if failed := l.delete(patient); failed != nil {
		return failed
	}
	return err
}
