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

// Plan is what is tried.
type Plan struct {
	// Package is the provider's name, Type the resource's in the spec.
	Package, Type string
	Config        property.Map
	Inputs        property.Map
	// Then are the inputs of the update, where HasThen: they lie over Inputs,
	// and a null takes one away.
	Then    property.Map
	HasThen bool
	// Keep leaves the resource in the world.
	Keep bool
	// Reads says that the resource has a read, which is asked after a delete whether
	// the thing is gone, for as long as Consistency.
	Reads       bool
	Consistency time.Duration
}

// ErrFailed says that something that was tried did not work; what, was shown.
var ErrFailed = errors.New("the trial failed")

// patience is how long a call may go on after an interrupt, and the delete that
// follows a failure.
const patience = 30 * time.Second

// life is one trial.
type life struct {
	printer
	client   *client.Client
	plan     Plan
	resource client.Resource
	// checked are the inputs as the last check returned them, state what is
	// recorded; exists says that there is something to delete.
	checked property.Map
	state   client.State
	exists  bool
}

// Life takes a resource through check, create, read and diff, then through an
// update if there is one, and deletes it, whatever failed before. It writes an
// account to w. Its error is ErrFailed, or that of the connection. The end of ctx
// ends the trial, not the calls: see lasting.
func Life(ctx context.Context, c *client.Client, p Plan, w io.Writer, color bool) (err error) {
	l := &life{
		printer: printer{w: w, color: color}, client: c, plan: p,
		resource: client.Resource{Type: p.Package + ":index:" + p.Type, Name: "trial"},
	}
	calls, done := lasting(ctx, c)
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

// steps are those of the plan, in their order.
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

// lasting is the context of calls that an interrupt does not cut off: at the end
// of ctx the provider is told to cancel them, as Pulumi tells it, and then has
// some time to answer with what it has made, so that this can be deleted.
func lasting(ctx context.Context, c *client.Client) (calls context.Context, done func()) {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = c.Cancel(calls) // a provider that cannot be told has the same time
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

// merge lays values over others; a null takes one away.
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
			// The next line is how Pulumi's users give it.
			answer.Failures[i].Reason, _, _ = strings.Cut(f.Reason, "\n")
		}
		err := l.failures(answer.Failures)
		fmt.Fprintf(l.w, "        Configure the provider with --config %s=…\n", screen.Exact(answer.Failures[0].Property))
		return err
	}
	if answer.Inputs.Len() > 0 {
		l.heading("config", "")
		l.values(answer.Inputs, given(l.plan.Config))
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
	l.values(answer.Inputs, given(news))
	l.checked = answer.Inputs
	return nil
}

// given notes which values are defaults: those that nobody gave.
func given(values property.Map) func(string) string {
	return func(name string) string {
		if _, ok := values.GetOk(name); ok {
			return ""
		}
		return "default"
	}
}

func (l *life) create(ctx context.Context) error {
	state, err := l.client.Create(ctx, l.resource, l.checked, client.Operation{})
	return l.arrived(ctx, "create", state, err)
}

// arrived takes over what a create or update answered.
func (l *life) arrived(ctx context.Context, verb string, state client.State, err error) error {
	var partly *client.InitFailed
	switch {
	case errors.As(err, &partly):
		l.state, l.exists = partly.State, true
		l.heading(verb, "failed, and is kept with id "+showText(l.state.ID))
		for _, reason := range partly.Reasons {
			l.failure("%s", reason)
		}
		return ErrFailed
	case status.Code(err) == codes.Canceled && ctx.Err() != nil:
		l.heading(verb, "was cut off, and may have made something that is left behind")
		return l.fail(err)
	case err != nil:
		l.heading(verb, "")
		return l.fail(err)
	}
	l.state, l.exists = state, true
	l.heading(verb, "id "+showText(state.ID))
	l.values(beside(state.Outputs, state.Inputs), func(string) string { return "" })
	return nil
}

// beside is what outputs hold beyond the inputs, without what is the
// provider's own.
func beside(outputs, inputs property.Map) property.Map {
	for name, v := range outputs.All {
		same, ok := inputs.GetOk(name)
		if strings.HasPrefix(name, "__") || ok && v.Equals(same) {
			outputs = outputs.Delete(name)
		}
	}
	return outputs
}

// look reads the resource, and asks what the next up would make of it.
func (l *life) look(ctx context.Context) error {
	now, err := l.client.Read(ctx, l.resource, l.state, client.Operation{})
	switch {
	case err != nil:
		l.heading("read", "")
		return l.fail(err)
	case now.ID == "":
		l.heading("read", "")
		l.failure("it is not there, though it has just been made")
		return ErrFailed
	}
	drift := beside(now.Outputs, l.state.Outputs)
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

// change carries out what the new inputs mean: nothing, an update, or a
// replacement.
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
		return l.fail(err) // the old state stands
	}
	if err := l.arrived(ctx, "update", state, err); err != nil {
		return err
	}
	return l.look(ctx)
}

// replace makes the new resource before it deletes the old one, or after.
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

// gone asks read whether what was deleted is gone. A server that answers 404 to a delete
// at a wrong path has deleted nothing, and the delete counts as done.
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
			l.heading("read", "failed: whether it is gone is not known")
			return l.fail(err)
		case now.ID == "":
			l.heading("read", "gone")
			return nil
		case left <= 0:
			l.heading("read", "it is still there, though delete was done")
			l.failure("Delete has another address than read, or the server deletes later: then wait for it in a further step of delete, with until.")
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
		l.heading("delete", "failed: "+showText(s.ID)+" may be left behind")
		return l.fail(err)
	}
	l.heading("delete", "id "+showText(s.ID))
	return nil
}

// end deletes what is there, also after a failure and when the user has had
// enough.
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
