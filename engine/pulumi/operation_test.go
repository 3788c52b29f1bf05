package pulumi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
)

// hang waits for the end of its context, and tells when it begins.
func hang(began chan<- struct{}) func(context.Context, *actions.Call) actions.Outcome {
	return func(ctx context.Context, _ *actions.Call) actions.Outcome {
		began <- struct{}{}
		<-ctx.Done()
		return actions.Refuse(fmt.Errorf("waiting: %w", ctx.Err()))
	}
}

func fail(text string) func(context.Context, *actions.Call) actions.Outcome {
	return func(context.Context, *actions.Call) actions.Outcome { return actions.Refuse(errors.New(text)) }
}

// TestCancel: the first leaves what was sent its time, the second ends what is
// under way, and neither ends what comes after it.
func TestCancel(t *testing.T) {
	l := &lab{}
	began := make(chan struct{}, 1)
	l.on("first", hang(began))
	c := l.provider(t, things)
	failed := make(chan error, 1)
	go func() {
		_, err := c.Create(context.WithoutCancel(t.Context()), thing, object("name", "a"), client.Operation{})
		failed <- err
	}()
	<-began
	if err := c.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		t.Fatalf("the first Cancel ended what was sent: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := c.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		if status.Code(err) != codes.Canceled {
			t.Errorf("error = %v, want Canceled", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the operation goes on")
	}
	l.on("first", nil)
	if err := c.Configure(t.Context(), "lab", property.Map{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(t.Context(), thing, object("name", "a"), client.Operation{}); err != nil {
		t.Errorf("after the Cancel: %v", err)
	}
}

// TestCancelOfConfigure: a `configure` that hangs ends with a Cancel, too.
func TestCancelOfConfigure(t *testing.T) {
	l := &lab{}
	began := make(chan struct{}, 1)
	l.on("login", hang(began))
	p := l.program(t, things+"configure: lab: look: what: \"login\"\n")
	c := start(t, pulumi.Options{Program: p, Version: "1.2.3", Dir: t.TempDir()})
	failed := make(chan error, 1)
	go func() { failed <- c.Configure(context.WithoutCancel(t.Context()), "lab", property.Map{}) }()
	<-began
	if err := c.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		if err == nil {
			t.Error("a configuration that was cancelled is used")
		}
	case <-time.After(time.Minute):
		t.Fatal("configure goes on")
	}
}

// TestTimeout: the request's timeout is kept, though nobody else enforces it.
func TestTimeout(t *testing.T) {
	l := &lab{}
	l.on("first", hang(make(chan struct{}, 1)))
	c := l.provider(t, things)
	start := time.Now()
	_, err := c.Create(t.Context(), thing, object("name", "a"), client.Operation{Timeout: 50 * time.Millisecond})
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("error = %v, want DeadlineExceeded", err)
	}
	if took := time.Since(start); took > pulumi.Grace {
		t.Errorf("it took %v", took)
	}
}

// TestPanic: a call whose handling panics is answered, the process and the calls
// after it go on, and no value of a panic is told, as it may be a secret.
func TestPanic(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(context.Context, *actions.Call) actions.Outcome
		says   string
		hidden string
	}{
		{"a value", func(context.Context, *actions.Call) actions.Outcome { panic("token hush-hush") }, "Create failed (panic)", "hush-hush"},
		{"the runtime", func(context.Context, *actions.Call) actions.Outcome {
			var none []actions.Outcome
			return none[len(none)]
		}, "index out of range", "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &lab{}
			l.on("first", c.do)
			var stderr strings.Builder
			p := start(t, pulumi.Options{Program: l.program(t, things), Debug: true, Stderr: &stderr})
			if err := p.Configure(t.Context(), "lab", property.Map{}); err != nil {
				t.Fatal(err)
			}
			_, err := p.Create(t.Context(), thing, object("name", "a"), client.Operation{})
			if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), "bug in declprov") || strings.Contains(err.Error(), c.hidden) {
				t.Errorf("error = %v", err)
			}
			if !strings.Contains(stderr.String(), "goroutine") {
				t.Errorf("stderr has no stack: %q", stderr.String())
			}
			if _, err := p.Check(t.Context(), thing, property.Map{}, object("name", "a")); err != nil {
				t.Errorf("after the panic: %v", err)
			}
		})
	}
}

// TestPartialFailure: a create that stops halfway is recorded; the next run is
// told to update though nothing differs, and why; the update goes on from there,
// and the mark is gone.
func TestPartialFailure(t *testing.T) {
	hearing, err := client.StartEngine()
	if err != nil {
		t.Fatal(err)
	}
	defer hearing.Stop()
	l := &lab{}
	firsts := 0
	l.on("first", func(context.Context, *actions.Call) actions.Outcome {
		firsts++
		return actions.Succeed(map[string]any{"colour": "red"})
	})
	l.on("second", fail("the paint ran out"))
	c := l.provider(t, things)
	if err := c.Handshake(t.Context(), hearing.Address()); err != nil {
		t.Fatal(err)
	}
	inputs := object("name", "a", "size", 3)
	_, err = c.Create(t.Context(), thing, inputs, client.Operation{})
	var half *client.InitFailed
	if !errors.As(err, &half) {
		t.Fatalf("error = %v, want a partial failure", err)
	}
	if half.State.ID != "a" || len(half.Reasons) != 1 || !strings.Contains(half.Reasons[0], "the paint ran out") {
		t.Errorf("id %q, reasons %q", half.State.ID, half.Reasons)
	}
	if code := status.Code(half.Unwrap()); code != codes.FailedPrecondition {
		t.Errorf("code = %v", code)
	}

	d, err := c.Diff(t.Context(), thing, half.State, inputs)
	if err != nil || !d.Changed || d.HasDetails || d.Replace() {
		t.Errorf("diff = %+v, %v; want an update without details", d, err)
	}
	logs := hearing.Logs()
	if len(logs) == 0 || logs[len(logs)-1].URN != thing.URN() || !strings.Contains(logs[len(logs)-1].Text, "the paint ran out") {
		t.Errorf("the update is not explained: %v", logs)
	}

	l.on("second", nil)
	whole, err := c.Update(t.Context(), thing, half.State, inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	if firsts != 1 {
		t.Errorf("the finished step ran %d times", firsts)
	}
	if d, err := c.Diff(t.Context(), thing, whole, inputs); err != nil || d.Changed {
		t.Errorf("after the repair: %+v, %v", d, err)
	}
}

// TestPartialUpdate: the old inputs stand, with new outputs.
func TestPartialUpdate(t *testing.T) {
	l := &lab{}
	c := l.provider(t, things)
	inputs := object("name", "a", "size", 3)
	made, err := c.Create(t.Context(), thing, inputs, client.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	l.on("update", func(context.Context, *actions.Call) actions.Outcome {
		return actions.Fail(errors.New("the paint ran out"))
	})
	_, err = c.Update(t.Context(), thing, made, inputs.Set("size", property.New(4.0)), client.Operation{})
	var half *client.InitFailed
	if !errors.As(err, &half) {
		t.Fatalf("error = %v, want a partial failure", err)
	}
	same(t, "inputs", half.State.Inputs, inputs)
}

// TestMessages: progress is a status, beside its resource.
func TestMessages(t *testing.T) {
	hearing, err := client.StartEngine()
	if err != nil {
		t.Fatal(err)
	}
	defer hearing.Stop()
	l := &lab{}
	l.on("first", func(_ context.Context, call *actions.Call) actions.Outcome {
		call.Progress("halfway")
		return actions.Succeed(nil)
	})
	c := l.provider(t, things)
	if err := c.Handshake(t.Context(), hearing.Address()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(t.Context(), thing, object("name", "a"), client.Operation{}); err != nil {
		t.Fatal(err)
	}
	want := client.LogMessage{Severity: "INFO", Text: "halfway", URN: thing.URN(), Ephemeral: true}
	for _, m := range hearing.Logs() { // all have arrived before the answer
		if cmp.Equal(want, m) {
			return
		}
	}
	t.Errorf("%v lacks %v", hearing.Logs(), want)
}

// TestConcurrentCalls: creates side by side, with configurations in between.
func TestConcurrentCalls(t *testing.T) {
	l := &lab{}
	var running, most atomic.Int32
	gate := make(chan struct{})
	l.on("first", func(context.Context, *actions.Call) actions.Outcome {
		if n := running.Add(1); n == 32 {
			close(gate)
		}
		<-gate // all 32 have to be here at once
		most.Store(max(most.Load(), running.Load()))
		return actions.Succeed(nil)
	})
	c := l.provider(t, things)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			r := client.Resource{Type: thing.Type, Name: fmt.Sprint(i)}
			made, err := c.Create(t.Context(), r, object("name", r.Name), client.Operation{})
			if err != nil || made.ID != r.Name {
				t.Errorf("id %q, %v", made.ID, err)
			}
		})
		all.Go(func() {
			if err := c.Configure(t.Context(), "lab", object("region", fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() != 32 {
		t.Errorf("at most %d ran at once", most.Load())
	}
}

// TestSecretsStayOut: of errors, messages and the plain part of the state.
func TestSecretsStayOut(t *testing.T) {
	const canary = "c4nary-s3cret"
	hearing, err := client.StartEngine()
	if err != nil {
		t.Fatal(err)
	}
	defer hearing.Stop()
	l := &lab{}
	l.on("first", func(_ context.Context, call *actions.Call) actions.Outcome {
		call.Progress("using " + canary)
		return actions.Succeed(map[string]any{"colour": "red", "key": canary})
	})
	l.on("second", fail("cannot log in with "+canary))
	spec := strings.Replace(things, `{what: "first", with: "${inputs.name}"}`, `{what: "first", with: "${inputs.token}"}`, 1)
	c := l.provider(t, spec)
	if err := c.Handshake(t.Context(), hearing.Address()); err != nil {
		t.Fatal(err)
	}
	inputs := object("name", "a", "token", property.New(canary).WithSecret(true))
	_, err = c.Create(t.Context(), thing, inputs, client.Operation{})
	var half *client.InitFailed
	if !errors.As(err, &half) {
		t.Fatalf("error = %v, want a partial failure", err)
	}
	if strings.Contains(half.Unwrap().Error()+fmt.Sprint(half.Reasons, hearing.Logs()), canary) {
		t.Errorf("the secret is told: %v; %v", half.Reasons, hearing.Logs())
	}
	for k, v := range half.State.Outputs.All {
		if !v.HasSecrets() && strings.Contains(fmt.Sprint(v), canary) {
			t.Errorf("output %q holds the secret, and is not one", k)
		}
	}
}
