package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestEvaluationsEndWithTheirCall: whatever is evaluated outside of a step ends with the
// call that needs it, and once the user cancels it, too.
func TestEvaluationsEndWithTheirCall(t *testing.T) {
	const spec = `
resources: {
	Default: {
		inputs: {name: string, more: string @default("${string(%)}")}
		id: "thing", create: world: do: what: "make", delete: world: do: what: "remove"
	}
	Checked: {
		inputs: name: string
		checks: [{assert: "${%}", message: "no"}]
		id: "thing", create: world: do: what: "make", delete: world: do: what: "remove"
	}
	Equal: {
		inputs: name: string @equal("${%1}")
		id: "thing", create: world: do: what: "make", update: world: do: what: "change", delete: world: do: what: "remove"
	}
	Replaced: {
		inputs: name: string
		diff: rules: [{if: "${%}", replace: ["name"]}]
		id: "thing", create: world: do: what: "make", update: world: do: what: "change", delete: world: do: what: "remove"
	}
	Older: {
		inputs: name: string
		schemaVersion: 1, upgrade: "0": "${%2 ? old : old}"
		id: "thing", create: world: do: what: "make", update: world: do: what: "change", delete: world: do: what: "remove"
		methods: ask: {outputs: x: bool, world: look: what: "look", return: x: true}
	}
}
functions: matched: {inputs: name: =~"(((a?){30}){30})$", outputs: x: bool, world: look: what: "look", return: x: true}
functions: yielded: {inputs: name: string, outputs: x: bool, world: look: what: "look", return: x: "${%}"}
`
	long := property.New(longName)
	recorded := func(typ, name string) engine.State {
		return engine.State{ID: "thing", Inputs: object("name", name), Outputs: object("name", name)}
	}
	type call func(ctx context.Context, e *engine.Engine) error
	failures := func(list []engine.Failure, err error) error {
		for _, f := range list {
			err = errors.Join(err, errors.New(f.Path+" "+f.Reason))
		}
		return err
	}
	checks := func(typ string) call {
		return func(ctx context.Context, e *engine.Engine) error {
			out, err := e.Check(ctx, engine.CheckRequest{Ref: ref(typ), New: object("name", long)})
			return failures(out.Failures, err)
		}
	}
	diffs := func(typ string) call {
		return func(ctx context.Context, e *engine.Engine) error {
			_, err := e.Diff(ctx, engine.DiffRequest{Ref: ref(typ), State: recorded(typ, longName), New: object("name", longName+"b")})
			return err
		}
	}
	invokes := func(function string) call {
		return func(ctx context.Context, e *engine.Engine) error {
			out, err := e.Invoke(ctx, engine.InvokeRequest{Function: function, Args: object("name", long)})
			return failures(out.Failures, err)
		}
	}
	calls := map[string]call{
		"a default":         checks("Default"),
		"a check":           checks("Checked"),
		"an equality":       diffs("Equal"),
		"a rule":            diffs("Replaced"),
		"an upgrade":        diffs("Older"),
		"a function's type": invokes("matched"),
		"a function":        invokes("yielded"),
		"an upgrade for a method": func(ctx context.Context, e *engine.Engine) error {
			_, err := e.CallMethod(ctx, engine.MethodRequest{Ref: ref("Older"), Method: "ask", State: recorded("Older", longName)})
			return err
		},
	}
	for which, expression := range costly {
		text := strings.NewReplacer("%1", strings.ReplaceAll(expression, "inputs.name", "old"), "%2", strings.ReplaceAll(expression, "inputs.name", "old.name"), "%", expression).Replace(spec)
		e, _ := newWorld().engine(t, text)
		for name, ask := range calls {
			for _, how := range []string{"its time is up", "it is cancelled"} {
				t.Run(which+"/"+name+"/"+how, func(t *testing.T) {
					t.Parallel()
					c := cancellable(t, time.Minute)
					ctx, want := c.ctx, actions.ErrStopped
					if how == "its time is up" {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
						defer cancel()
						want = context.DeadlineExceeded
					} else {
						time.AfterFunc(30*time.Millisecond, func() { c.stop(actions.ErrStopped) })
					}
					if err := ask(ctx, e); err == nil || !errors.Is(err, want) && !strings.Contains(err.Error(), want.Error()) {
						t.Errorf("error = %.300v", err)
					}
				})
			}
		}
	}
}
