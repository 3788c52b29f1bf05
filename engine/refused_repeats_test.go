package engine_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestRefusedRepeatsOfLostSteps: the response to a step of an update was lost, and the server refuses each repetition of it. If
// the step had an effect, which find or read shows, it counts as done. If it had none, it was refused, and nothing is in doubt:
// the journal is empty, and a program with other values ends it.
func TestRefusedRepeatsOfLostSteps(t *testing.T) {
	t.Parallel()
	for steps := 1; steps <= 3; steps++ {
		for renames := range steps {
			for lost := range steps {
				for flags := range 16 {
					of := refusedRepeat{steps, renames, lost, flags&1 > 0, flags&2 > 0, flags&4 > 0, flags&8 > 0}
					runCase(t, fmt.Sprintf("%+v", of), func(t *testing.T) {
						t.Parallel()
						of.run(t)
					})
				}
			}
		}
	}
}

// refusedRepeat is an update of some steps, of which one renames the object, and one is lost.
type refusedRepeat struct {
	steps, renames, lost int
	// effect is true if the lost step had one. refused is true if its repetitions are refused.
	effect, refused bool
	unique          bool
	refreshed       bool
}

// fails reports whether no run can succeed: the server does not want the new value.
func (c refusedRepeat) fails() bool { return c.refused && !c.effect }

// property is what a step sets.
func (c refusedRepeat) property(step int) string {
	if step == c.renames {
		return "name"
	}
	return fmt.Sprintf("p%d", step)
}

func (c refusedRepeat) run(t *testing.T) {
	t.Helper()
	o := map[string]any{"id": "7", "name": "a", "p0": "a", "p1": "a", "p2": "a"}
	struck := false
	w := newWorld()
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome { return yields("id", "7") }
	w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome { return actions.Succeed(maps.Clone(o)) }
	made := false
	w.hooks["find"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if !made || call.Args["with"] != o["name"] {
			return gone("it")
		}
		return actions.Succeed(maps.Clone(o))
	}
	w.hooks["set"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with := call.Args["with"].(map[string]any)
		name, value := with["name"].(string), with["value"]
		switch mine := name == c.property(c.lost); {
		case mine && struck && c.refused && value == "b":
			return responds(refused("it does not want that"))
		case mine && !struck:
			if struck = true; c.effect {
				o[name] = value
			}
			return lost()
		}
		o[name] = value
		return yields()
	}
	var steps []string
	for i := range c.steps {
		name := c.property(i)
		steps = append(steps, fmt.Sprintf(`{if: "${changes.%s != null}", world: post: {what: "set", with: {name: %q, value: "${inputs.%s}"}}}`, name, name, name))
	}
	find := ""
	if c.unique {
		find = `find: world: look: {what: "find", with: "${inputs.name}"}`
	}
	s := newScene(t, w, `inputs: {name: string, p0: string, p1: string, p2: string}
	id: "${result.id ?? '7'}"
	consistency: "1ms"
	create: world: post: what: "make"
	read: world: look: {what: "get", with: "${id}"}
	`+find+`
	update: steps: [`+strings.Join(steps, ", ")+`]
	delete: world: do: {what: "remove", with: "${id}"}`)
	first := s.create("name", "a", "p0", "a", "p1", "a", "p2", "a")
	if made = true; first.Err != nil {
		t.Fatal(first.Err)
	}
	state, program := *first.State, map[string]any{"name": "a", "p0": "a", "p1": "a", "p2": "a"}
	for i := range c.steps {
		program[c.property(i)] = "b"
	}
	up := func() error {
		var inputs []any
		for name, v := range program {
			inputs = append(inputs, name, v)
		}
		out := s.update(&state, inputs...)
		if out.State != nil {
			state = *out.State
		}
		return out.Err
	}
	_ = up() // the response of which is lost
	for range 2 {
		if c.refreshed {
			read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
			if read.Err != nil || read.State == nil {
				t.Fatalf("%+v", read)
			}
			state = *read.State
		}
		err := up()
		if (err != nil) != c.fails() {
			t.Fatalf("it fails: %v, want %t", err, c.fails())
		}
		if got := s.openEntries(); c.fails() && got != 0 {
			t.Errorf("%d entries are open: %v", got, err)
		}
		if f := state.Private.Failed; c.fails() && f != nil && f.Unknown {
			t.Errorf("the state is in doubt: %+v", f)
		}
	}
	if c.fails() {
		program[c.property(c.lost)] = "c"
		if err := up(); err != nil {
			t.Fatal(err)
		}
	}
	delete(o, "id")
	if diff := cmp.Diff(program, o); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.openEntries(); got != 0 {
		t.Errorf("%d entries are open in the end", got)
	}
}

// openEntries counts what the journal has of open operations.
func (s *scene) openEntries() (n int) {
	s.Helper()
	for _, i := range intents(s.T, s.w.journal) {
		if i.Open() {
			n++
		}
	}
	return n
}

// responds gives an outcome the class of a response.
func responds(o actions.Outcome) actions.Outcome { return classed(o, "422") }
