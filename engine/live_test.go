package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

// statusLog is a log that keeps statuses, with the time since it was made.
type statusLog struct {
	began time.Time
	shown []string
}

func (l *statusLog) Message(engine.Severity, screen.Text) {}

func (l *statusLog) Status(text screen.Text) {
	l.shown = append(l.shown, time.Since(l.began).Round(time.Second).String()+": "+text.String())
}

// TestLiveStatus checks what users see of a long step, and that short ones show nothing.
func TestLiveStatus(t *testing.T) {
	const resource = `
resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: steps: [{as: "dig", world: do: what: "dig"}, {%s, world: do: {what: "build"}}]
	delete: world: do: what: "delete"
}
`
	takes := func(times ...time.Duration) func(context.Context, *actions.Call) actions.Outcome {
		return func(_ context.Context, call *actions.Call) actions.Outcome {
			time.Sleep(times[min(call.Attempt, len(times))-1])
			return actions.Succeed(map[string]any{"done": call.Attempt >= len(times)})
		}
	}
	for name, tc := range map[string]struct {
		step string
		hook func(context.Context, *actions.Call) actions.Outcome
		want []string
	}{
		"short": {step: `as: "build"`, hook: takes(4 * time.Second)},
		"long":  {step: `as: "build"`, hook: takes(12 * time.Second), want: []string{`5s: step 2 ("build"), world.do (5s)`, `10s: step 2 ("build"), world.do (10s)`}},
		"a poll": {
			step: `as: "build", until: "${result.done}", every: "3s"`, hook: takes(0, 0, time.Second),
			want: []string{`5s: step 2 ("build"), world.do (attempt 2, 5s)`},
		},
		"a poll with progress": {
			step: `as: "build", until: "${result.done}", every: "4s", progress: "so far: ${result.done}"`, hook: takes(0, 0, 0),
			want: []string{"0s: so far: false", "4s: so far: false", "5s: so far: false (attempt 2, 5s)", "8s: so far: true"},
		},
		"retries": {
			step: `as: "build", retry: {on: [500], attempts: 2, backoff: "7s", jitter: false}`,
			hook: func(_ context.Context, call *actions.Call) actions.Outcome {
				if call.Attempt == 1 {
					return actions.Outcome{Status: actions.Refused, Err: errors.New("busy"), Class: "500"}
				}
				return actions.Succeed(map[string]any{})
			},
			want: []string{"0s: world.do, attempt 1 failed: busy; again in 7s", "5s: world.do, attempt 1 failed: busy; again in 7s (5s)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.hooks["build"] = tc.hook
				e, _ := w.engine(t, fmt.Sprintf(resource, tc.step))
				log := &statusLog{began: time.Now()}
				out := e.Create(t.Context(), engine.CreateRequest{Ref: engine.Ref{Type: "Thing", Name: "a"}, Inputs: object("name", "a"), Log: log})
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				time.Sleep(time.Hour) // nothing comes after the end of a step
				if diff := cmp.Diff(tc.want, log.shown); diff != "" {
					t.Errorf("statuses (-want +got):\n%s", diff)
				}
			})
		})
	}
}
