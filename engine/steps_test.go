package engine_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// one is a resource whose create is the given steps.
func one(steps string) string {
	return `resources: Thing: {
		inputs: {name: string, flag: *false | bool, list?: [...string], map?: [string]: int}
		id: "${inputs.name}"
		create: steps: [` + steps + `]
		delete: world: do: what: "remove"
	}`
}

func TestSteps(t *testing.T) {
	for name, tc := range map[string]struct {
		steps   string
		inputs  []any
		answers map[string][]actions.Outcome
		calls   []string
		err     string
	}{
		"if leaves a step out, and its result is null": {
			steps: `{as: "a", if: "${inputs.flag}", world: do: what: "a"}, {world: do: {what: "b", with: "${steps.a == null}"}}`,
			calls: []string{"b true"},
		},
		"forEach over a list keeps its order": {
			steps:  `{as: "a", forEach: "${inputs.list ?? []}", world: do: {what: "a", with: "${each.key}=${each.value}"}}, {world: do: {what: "b", with: "${len(steps.a)}"}}`,
			inputs: []any{"list", []any{"x", "y"}},
			calls:  []string{"a 0=x", "a 1=y", "b 2"},
		},
		"forEach over a map goes by key, and if holds per element": {
			steps:  `{forEach: "${inputs.map ?? {}}", if: "${each.value > 1}", world: do: {what: "a", with: "${each.key}"}}`,
			inputs: []any{"map", object("z", 2, "a", 3, "b", 1)},
			calls:  []string{"a a", "a z"},
		},
		"until polls": {
			steps:   `{world: do: what: "start"}, {until: "${result.done}", every: "1ms", timeout: "5s", world: look: what: "poll"}`,
			answers: map[string][]actions.Outcome{"poll": {yields("done", false), yields("done", false), yields("done", true)}},
			calls:   []string{"start", "poll", "poll", "poll"},
		},
		"until gives up in time": {
			steps:   `{world: do: what: "start"}, {until: "${result.done}", every: "1ms", timeout: "20ms", world: look: what: "poll"}`,
			answers: map[string][]actions.Outcome{"poll": {yields("done", false)}},
			err:     "longer than 20ms",
		},
		"fail stops, and beats until": {
			steps:   `{world: do: what: "start"}, {until: "${result.done}", fail: "${result.error}", world: look: what: "poll"}`,
			answers: map[string][]actions.Outcome{"poll": {yields("done", true, "error", "quota exceeded")}},
			err:     "quota exceeded",
		},
		"retry repeats what failed": {
			steps:   `{world: look: what: "a", retry: {attempts: 3, backoff: "1ms", jitter: false}}`,
			answers: map[string][]actions.Outcome{"a": {refused("busy"), refused("busy"), yields()}},
			calls:   []string{"a", "a", "a"},
		},
		"retry ends": {
			steps:   `{world: look: what: "a", retry: {attempts: 2, backoff: "1ms"}}`,
			answers: map[string][]actions.Outcome{"a": {refused("busy")}},
			calls:   []string{"a", "a"}, err: "attempt 2",
		},
		"retry.if decides by the error": {
			steps:   `{world: look: what: "a", retry: {if: "${error contains \"busy\"}", backoff: "1ms"}}`,
			answers: map[string][]actions.Outcome{"a": {refused("busy"), refused("broken")}},
			calls:   []string{"a", "a"}, err: "broken",
		},
		"retry.on decides by the class": {
			steps:   `{world: look: what: "a", retry: {on: ["timeout"], backoff: "1ms"}}`,
			answers: map[string][]actions.Outcome{"a": {refused("busy")}},
			calls:   []string{"a"}, err: "busy",
		},
		"what may have been done is never sent twice": {
			steps:   `{world: do: what: "a", retry: {attempts: 3, backoff: "1ms"}}`,
			answers: map[string][]actions.Outcome{"a": {{Status: actions.Unknown, Err: errLost}}},
			calls:   []string{"a"}, err: "no answer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			if tc.answers != nil {
				w.answers = tc.answers
			}
			e, _ := w.engine(t, one(tc.steps))
			inputs := check(t, e, "Thing", object(append([]any{"name", "n"}, tc.inputs...)...))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
			switch {
			case tc.err == "" && out.Err != nil:
				t.Errorf("failed: %v", out.Err)
			case tc.err != "" && (out.Err == nil || !strings.Contains(out.Err.Error(), tc.err)):
				t.Errorf("error %v does not mention %q", out.Err, tc.err)
			}
			if diff := cmp.Diff(tc.calls, w.log()); tc.calls != nil && diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// Steps with an equal lock never run side by side; others do.
func TestLock(t *testing.T) {
	w := newWorld()
	var mu sync.Mutex
	running, most := map[string]int{}, map[string]int{}
	both := make(chan struct{})
	var once sync.Once
	w.hooks["work"] = func(_ ctxT, call *actions.Call) actions.Outcome {
		key := call.Args["with"].(string)
		mu.Lock()
		running[key]++
		most[key] = max(most[key], running[key])
		if len(running) == 2 {
			once.Do(func() { close(both) })
		}
		mu.Unlock()
		<-both // both keys must get here at once, or the test hangs and fails
		mu.Lock()
		running[key]--
		mu.Unlock()
		return yields()
	}
	e, _ := w.engine(t, one(`{lock: "${inputs.name}", world: do: {what: "work", with: "${inputs.name}"}}`))
	var wg sync.WaitGroup
	for i := range 20 {
		name := []string{"a", "b"}[i%2]
		wg.Go(func() {
			if out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", name, "flag", false)}); out.Err != nil {
				t.Error(out.Err)
			}
		})
	}
	wg.Wait()
	if most["a"] != 1 || most["b"] != 1 {
		t.Errorf("side by side under one lock: %v", most)
	}
}

// Progress is shown live, without secrets.
func TestProgress(t *testing.T) {
	w := newWorld().on("poll", yields("phase", "token is hunter22", "done", true))
	e, _ := w.engine(t, `resources: Thing: {
		inputs: {name: string, password: string @secret()}
		id: "${inputs.name}"
		create: steps: [
			{world: do: {what: "start", with: "${inputs.password}"}},
			{until: "${result.done}", progress: "${result.phase}", world: look: what: "poll"},
		]
		delete: world: do: what: "remove"
	}`)
	log := &recorder{}
	out := e.Create(t.Context(), engine.CreateRequest{
		Ref: ref("Thing"), Log: log, Inputs: check(t, e, "Thing", object("name", "n", "password", "hunter22")),
	})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff([]string{"token is [secret]"}, log.status); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
