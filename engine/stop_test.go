package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/run/stop"
)

// cancelled is a create that can be stopped and aborted while it runs.
type cancelled struct {
	ctx         context.Context
	stop, abort context.CancelCauseFunc
	log         recorder
}

func cancellable(t *testing.T, grace time.Duration) *cancelled {
	t.Helper()
	c := &cancelled{}
	var stopped context.Context
	stopped, c.stop = context.WithCancelCause(context.Background())
	c.ctx, c.abort = context.WithCancelCause(t.Context())
	c.ctx = stop.With(c.ctx, stopped, grace)
	t.Cleanup(func() { c.abort(context.Canceled) })
	return c
}

func (c *cancelled) create(t *testing.T, e *engine.Engine) engine.Result {
	t.Helper()
	began := time.Now()
	out := e.Create(c.ctx, engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "a")), Log: &c.log})
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	return out
}

func (c *cancelled) statuses() []string {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.log.status
}

const waitsForResponse = "cancelling: waiting up to 1m0s for the response; cancel again to abort"

// TestStopWaitsForTheResponse: what was sent when the operation is stopped is
// answered, and the next step is not sent; the create can go on there.
func TestStopWaitsForTheResponse(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, twoSteps)
	c := cancellable(t, time.Minute)
	w.hooks["make"] = func(ctx context.Context, _ *actions.Call) actions.Outcome {
		c.stop(actions.ErrStopped)
		for len(c.statuses()) == 0 {
			time.Sleep(time.Millisecond)
		}
		if ctx.Err() != nil {
			t.Errorf("the action was ended: %v", context.Cause(ctx))
		}
		return yields("id", "7")
	}
	out := c.create(t, e)
	if !errors.Is(out.Err, actions.ErrStopped) || !strings.Contains(out.Err.Error(), "before this was sent") {
		t.Errorf("error = %v", out.Err)
	}
	if out.State == nil || out.State.ID != "7" || out.State.Private.Failed == nil || out.State.Private.Failed.Step != 1 {
		t.Fatalf("the create is not kept where it stopped: %+v", out.State)
	}
	if diff := cmp.Diff([]string{waitsForResponse}, c.statuses()); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"make a"}, w.log()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	w.on("finish", yields("url", "u"))
	next := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: out.State.Inputs})
	if next.Err != nil {
		t.Fatal(next.Err)
	}
	if diff := cmp.Diff([]string{"finish 7"}, w.log()); diff != "" {
		t.Errorf("the next run (-want +got):\n%s", diff)
	}
}

// TestStopOfTheLastStep: a create that is answered after it was stopped, and has
// nothing left to do, is whole.
func TestStopOfTheLastStep(t *testing.T) {
	w := newWorld().on("find", gone("it"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, findable)
	c := cancellable(t, time.Minute)
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
		c.stop(actions.ErrStopped)
		return yields("id", "7")
	}
	out := c.create(t, e)
	if out.Err != nil || out.State == nil || out.State.ID != "7" {
		t.Errorf("%+v", out)
	}
}

// TestStopEndsWithTheGrace: what is not answered in time is unknown; nothing looks
// for it now, and the error says what to do.
func TestStopEndsWithTheGrace(t *testing.T) {
	for name, spec := range map[string]string{"found": findable, "keyed": keyed} {
		for end, finish := range map[string]func(*cancelled){
			"the grace":       func(c *cancelled) { c.stop(actions.ErrStopped) },
			"a second cancel": func(c *cancelled) { c.abort(stop.ErrAborted); c.stop(stop.ErrAborted) },
		} {
			t.Run(name+", "+end, func(t *testing.T) {
				w := newWorld().on("find", gone("it"))
				w.journal = t.TempDir()
				e, _ := w.engine(t, spec)
				c := cancellable(t, 50*time.Millisecond)
				w.hooks["make"] = func(ctx context.Context, _ *actions.Call) actions.Outcome {
					finish(c)
					<-ctx.Done()
					return actions.Outcome{Status: actions.Unknown, Err: context.Cause(ctx), Again: true}
				}
				out := c.create(t, e)
				if out.Err == nil || out.State != nil {
					t.Fatalf("%+v", out)
				}
				if !errors.Is(out.Err, actions.ErrStopped) && !errors.Is(out.Err, stop.ErrAborted) {
					t.Errorf("error = %v", out.Err)
				}
				for _, remedy := range []string{"`pulumi up`", "`declprov journal`"} {
					if !strings.Contains(out.Err.Error(), remedy) {
						t.Errorf("error = %v, want %s in it", out.Err, remedy)
					}
				}
				calls := w.log()
				if n := len(calls); n == 0 || n > 2 || !strings.HasPrefix(calls[n-1], "make") {
					t.Errorf("calls: %v", calls)
				}
				list := intents(t, w.journal)
				if len(list) != 1 || !list[0].Open() {
					t.Errorf("in the journal: %+v", list)
				}
			})
		}
	}
}

// TestStopEndsWaits: what only looks, and every wait, ends as soon as the operation
// is stopped.
func TestStopEndsWaits(t *testing.T) {
	// thing is a spec whose create has those steps.
	thing := func(steps string) string {
		return "resources: Thing: {\n inputs: name: string\n id: \"${inputs.name}\"\n create: steps: [" + steps + "]\n delete: world: do: what: \"remove\"\n}"
	}
	busy := actions.Outcome{Status: actions.Refused, Err: errors.New("busy"), Again: true}
	asked := busy
	asked.RetryAfter = time.Hour
	for name, tc := range map[string]struct {
		steps   string
		outcome actions.Outcome
	}{
		"a poll":              {`{world: look: what: "it", until: "${result.ready}", every: "1h"}`, yields("ready", false)},
		"a back-off":          {`{world: do: what: "it", retry: {attempts: 5, backoff: "1h", maxBackoff: "1h"}}`, busy},
		"a time to come back": {`{world: do: what: "it"}`, asked},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			e, _ := w.engine(t, thing(tc.steps))
			c := cancellable(t, time.Minute)
			w.hooks["it"] = func(context.Context, *actions.Call) actions.Outcome {
				time.AfterFunc(50*time.Millisecond, func() { c.stop(actions.ErrStopped) })
				return tc.outcome
			}
			if out := c.create(t, e); !errors.Is(out.Err, actions.ErrStopped) || out.State != nil {
				t.Errorf("%+v", out)
			}
			if calls := w.log(); len(calls) != 1 {
				t.Errorf("calls: %v", calls)
			}
		})
	}
	t.Run("an action without an effect", func(t *testing.T) {
		w := newWorld()
		e, _ := w.engine(t, thing(`{world: look: what: "it"}`))
		c := cancellable(t, time.Minute)
		w.hooks["it"] = func(ctx context.Context, _ *actions.Call) actions.Outcome {
			c.stop(actions.ErrStopped)
			<-ctx.Done()
			return actions.Refuse(context.Cause(ctx))
		}
		if out := c.create(t, e); !errors.Is(out.Err, actions.ErrStopped) {
			t.Errorf("%+v", out)
		}
	})
	t.Run("a lock", func(t *testing.T) {
		w := newWorld()
		e, _ := w.engine(t, thing(`{lock: "one", world: do: what: "it"}`))
		began, finish := make(chan struct{}), make(chan struct{})
		w.hooks["it"] = func(context.Context, *actions.Call) actions.Outcome {
			close(began)
			<-finish
			return yields()
		}
		holder := make(chan engine.Result, 1)
		inputs := check(t, e, "Thing", object("name", "holder"))
		go func() {
			holder <- e.Create(context.WithoutCancel(t.Context()), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
		}()
		<-began
		c := cancellable(t, time.Minute)
		time.AfterFunc(50*time.Millisecond, func() { c.stop(actions.ErrStopped) })
		if out := c.create(t, e); !errors.Is(out.Err, actions.ErrStopped) {
			t.Errorf("%+v", out)
		}
		close(finish)
		if out := <-holder; out.Err != nil {
			t.Errorf("who has the lock was not stopped: %v", out.Err)
		}
	})
	t.Run("a beginning", func(t *testing.T) {
		w := newWorld()
		w.journal = t.TempDir()
		e, _ := w.engine(t, findable)
		c := cancellable(t, time.Minute)
		c.stop(actions.ErrStopped)
		if out := c.create(t, e); !errors.Is(out.Err, actions.ErrStopped) || out.State != nil {
			t.Errorf("%+v", out)
		}
		if calls, left := w.log(), intents(t, w.journal); len(calls)+len(left) > 0 {
			t.Errorf("calls: %v, in the journal: %+v", calls, left)
		}
	})
}

// TestStopAndUndo: what a stopped create undoes is undone; only an abort by the
// user that comes meanwhile ends that, and not the end of the process.
func TestStopAndUndo(t *testing.T) {
	for name, tc := range map[string]struct {
		abort error // while it is undone
		kept  bool
	}{
		"stopped":                         {},
		"aborted meanwhile":               {abort: stop.ErrAborted, kept: true},
		"the process is to end meanwhile": {abort: errors.New("the process ends")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			e, _ := w.engine(t, undoing)
			c := cancellable(t, time.Minute)
			w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
				c.stop(actions.ErrStopped)
				return yields("key", "k")
			}
			w.hooks["unmake"] = func(ctx context.Context, _ *actions.Call) actions.Outcome {
				if tc.abort != nil {
					c.abort(tc.abort)
				}
				const while = 200 * time.Millisecond
				select {
				case <-ctx.Done():
					return actions.Fail(context.Cause(ctx))
				case <-time.After(while):
					return yields()
				}
			}
			out := c.create(t, e)
			if out.Err == nil || (out.State != nil) != tc.kept {
				t.Errorf("%+v", out)
			}
			if diff := cmp.Diff([]string{"make 1", "unmake k"}, w.log()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}
