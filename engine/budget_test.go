package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/run/stop"
)

// costly are expressions over inputs.name, which is long, that go on for seconds.
var costly = map[string]string{
	"a regular expression": `inputs.name matches \"(((a?){30}){30})$\"`,
	"a built-in":           `count(1..900, sha512(inputs.name) == \"x\") > 0`,
	"loops":                `count(1..3000, count(1..3000, # > 1) > 1) > 0`,
}

var longName = strings.Repeat("a", 1<<19)

// TestCostlyExpressionsStop: wherever an expression stands, the step's timeout and a
// cancel end it.
func TestCostlyExpressionsStop(t *testing.T) {
	places := map[string]string{
		"an argument": `{world: do: {what: "make", with: "${%}"}, timeout: "100ms"}`,
		"until":       `{world: do: {what: "make"}, until: "${%}", timeout: "100ms"}`,
		"fail":        `{world: do: {what: "make"}, fail: "${% ? \"x\" : null}", timeout: "100ms"}`,
		"gone":        `{world: look: {what: "make"}, gone: "${%}", timeout: "100ms"}`,
	}
	const spec = `
resources: Thing: {
	inputs: name: string
	id: "thing"
	create: OPERATION
	delete: world: do: what: "remove"
}`
	for place, operation := range places {
		for name, expression := range costly {
			t.Run(place+"/"+name, func(t *testing.T) {
				w := newWorld()
				text := strings.ReplaceAll(strings.ReplaceAll(spec, "OPERATION", operation), "%", expression)
				w.on("make", yields("id", "7"))
				e, _ := w.engine(t, text)
				inputs := object("name", longName)
				start := time.Now()
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
				if !errors.Is(out.Err, context.DeadlineExceeded) || !strings.Contains(out.Err.Error(), "took longer than 100ms") {
					t.Errorf("error = %v", out.Err)
				}
				// The budget alone would end it only after several seconds.
				if took := time.Since(start); took > time.Minute {
					t.Errorf("it took %s", took)
				}
			})
		}
	}
}

// TestCancelEndsExpressions: the first cancel ends what is evaluated before anything
// is sent; the second everything.
func TestCancelEndsExpressions(t *testing.T) {
	for name, expression := range costly {
		for which, operation := range map[string]string{
			"the first":  `world: do: {what: "make", with: "${%}"}`,
			"the second": `{world: do: {what: "make"}, fail: "${% ? \"x\" : null}"}`,
		} {
			t.Run(which+"/"+name, func(t *testing.T) {
				w := newWorld()
				e, _ := w.engine(t, strings.ReplaceAll(`
resources: Thing: {
	inputs: name: string
	id: "thing"
	create: `+operation+`
	delete: world: do: what: "remove"
}`, "%", expression))
				w.on("make", yields("id", "7"))
				c := cancellable(t, time.Minute)
				w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome { return yields("id", "7") }
				time.AfterFunc(50*time.Millisecond, func() {
					c.stop(actions.ErrStopped)
					if which == "the second" {
						c.abort(stop.ErrAborted)
					}
				})
				start := time.Now()
				out := e.Create(c.ctx, engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", longName), Log: &c.log})
				want := actions.ErrStopped
				if which == "the second" {
					want = stop.ErrAborted
				}
				if !errors.Is(out.Err, want) && !strings.Contains(out.Err.Error(), want.Error()) {
					t.Errorf("error = %v", out.Err)
				}
				if took := time.Since(start); took > time.Minute {
					t.Errorf("it took %s", took)
				}
			})
		}
	}
}

// TestCheckStops: the patterns of types, over what a user gives, end with the call
// that asks, and by themselves.
func TestCheckStops(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, `
resources: Thing: {
	inputs: {
		name?: =~"(((a?){30}){30})$"
		list?: [...=~"(((a?){30}){30})$"]
		map?: {[=~"(((a?){30}){30})$"]: string}
		either?: =~"(((a?){30}){30})$" | bool
	}
	checks: [{assert: "${inputs.name == null || !(inputs.name matches \"(((a?){29}){29})$\")}", message: "no"}]
	id: "thing"
	create: world: do: what: "make"
	delete: world: do: what: "remove"
}`)
	hostile := strings.Repeat("a", 8<<20)
	for name, inputs := range map[string]any{
		"a text": []any{"name", hostile}, "a list": []any{"list", []any{hostile, hostile}}, "a key": []any{"map", object(hostile, "x")}, "a union": []any{"either", hostile},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			out, err := e.Check(ctx, engine.CheckRequest{Ref: ref("Thing"), New: object(inputs.([]any)...)})
			if err != nil || len(out.Failures) != 1 || !strings.Contains(out.Failures[0].Reason, "deadline exceeded") {
				t.Errorf("%.300v, %v", out.Failures, err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
	out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: object("name", "short")})
	if err != nil || len(out.Failures) != 1 || out.Failures[0].Reason != "no" {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestTotals: a poll and a list end as a whole, and say which option gives them more
// time.
func TestTotals(t *testing.T) {
	w := newWorld()
	w.hooks["wait"] = func(ctx context.Context, _ *actions.Call) actions.Outcome {
		<-ctx.Done()
		return actions.Refuse(context.Cause(ctx))
	}
	w.on("state", yields("done", false))
	e, _ := w.engine(t, `
resources: Thing: {
	inputs: name: string
	id: "thing"
	create: {world: do: what: "make"}
	read: {world: look: what: "state", until: "${result.done}", every: "5ms", timeout: "100ms"}
	delete: world: do: what: "remove"
	list: {world: look: what: "wait", items: "${result}", id: "${each.value}", timeout: "50ms"}
}`)
	w.hooks["state"] = func(context.Context, *actions.Call) actions.Outcome { return yields("done", false) }
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "thing", Inputs: object("name", "a"), Outputs: object("name", "a")}})
	err := out.Err
	if err == nil || !strings.Contains(err.Error(), "the poll took longer than 100ms (the step's `timeout`)") {
		t.Errorf("poll: %v", err)
	}
	for _, err = range e.List(t.Context(), engine.ListRequest{Ref: ref("Thing")}) {
		break
	}
	if err == nil || !strings.Contains(err.Error(), "it took longer than 50ms (the step's `timeout`)") {
		t.Errorf("list: %v", err)
	}
}
