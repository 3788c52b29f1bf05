package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestInterruptedUpdates kills a provider during an update, before or after an effect, or the host
// before it records the state that the provider returns, in every kind of request. Whatever the next
// program asks for, even what the host has recorded, and whatever name it gives the resource, the
// object has it after the next update, and then nothing differs. No request sets what no program has set.
func TestInterruptedUpdates(t *testing.T) {
	t.Parallel()
	programs := map[string]property.Map{
		"reverted":             object("note", "a", "size", 1),
		"another change":       object("note", "a", "size", 2),
		"the same again":       object("note", "b", "size", 1),
		"the same and another": object("note", "b", "size", 2),
		"a third value":        object("note", "c", "size", 1),
		"removed":              object("size", 1),
	}
	for _, kind := range []string{"safe: true, ", "key: true, ", "once: true, ", ""} {
		for steps := 1; steps <= 2; steps++ {
			for dies := 1; dies <= steps; dies++ {
				for _, when := range []string{"before", "after", "host"} {
					for _, also := range []string{"", "find", "no read"} {
						for name, program := range programs {
							runCase(t, fmt.Sprintf("{%s} %d of %d %s %s, then %s", kind, dies, steps, when, also, name), func(t *testing.T) {
								t.Parallel()
								s := newInterrupted(t, kind, steps, also)
								s.dies, s.when = dies, when
								s.thenRuns(t, program, "it")
							})
							runCase(t, fmt.Sprintf("{%s} %d of %d %s %s, then renamed and %s", kind, dies, steps, when, also, name), func(t *testing.T) {
								t.Parallel()
								s := newInterrupted(t, kind, steps, also)
								s.dies, s.when = dies, when
								s.thenRuns(t, program, "another")
							})
						}
					}
				}
			}
		}
	}
}

// interrupted is an object, and the resource for it.
type interrupted struct {
	*scene
	mu     sync.Mutex
	object map[string]any
	sent   int
	// dies is the number of the request of the update in which the provider dies, 0 for none.
	dies int
	when string
	// resource is the resource in the spec. meanwhile is called once, during request number busy of the
	// update, or if it is 0, in a step that reads before the first one.
	resource  string
	busy      int
	meanwhile func()
}

func newInterrupted(t *testing.T, kind string, steps int, also string) *interrupted {
	t.Helper()
	update := `[{world: post: {` + kind + `what: "patch", with: "${changes}"}}]`
	if steps == 2 {
		update = `[{world: post: {` + kind + `what: "patch", with: "${pick(changes, 'size')}"}}, {world: post: {` + kind + `what: "patch", with: "${pick(changes, 'note', 'never')}"}}]`
	}
	if also == "reads first" {
		update = "[{as: \"seen\", world: ask: what: \"get\"}, " + update[1:]
	}
	more := ""
	if also != "no read" {
		more += "read: world: ask: what: \"get\"\n"
	}
	if also == "find" {
		more += "find: {world: look: what: \"find\", return: \"${result}\"}\n"
	}
	w := newWorld()
	s := &interrupted{}
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome { return s.change(call, true) }
	w.hooks["patch"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		s.reaches(s.sent + 1)
		return s.change(call, false)
	}
	get := func(context.Context, *actions.Call) actions.Outcome {
		s.reaches(0)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.object == nil {
			return actions.Missing(errLost)
		}
		return actions.Succeed(map[string]any{"status": int64(200), "body": maps.Clone(s.object)})
	}
	w.hooks["get"], w.hooks["find"] = get, get
	s.resource = `inputs: {note?: string, size: int, never?: string}
	id: "x"
	create: world: post: {what: "make", with: "${inputs}"}
	update: steps: ` + update + `
	delete: world: do: what: "remove"
	` + more
	s.scene = newScene(t, w, s.resource)
	return s
}

// reaches calls meanwhile if the update has come to its request.
func (s *interrupted) reaches(request int) {
	if do := s.meanwhile; do != nil && request == s.busy {
		s.meanwhile = nil
		do()
	}
}

// change changes the object, or dies before or after that.
func (s *interrupted) change(call *actions.Call, made bool) actions.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	if made {
		s.object = map[string]any{}
	} else {
		s.sent++
	}
	died := !made && s.sent == s.dies && s.when != "host"
	if died && s.when == "before" {
		panic("it dies")
	}
	with, _ := call.Args["with"].(map[string]any)
	if _, set := with["never"]; set {
		return actions.Refuse(errLost)
	}
	for name, v := range with {
		if s.object[name] = v; v == nil {
			delete(s.object, name)
		}
	}
	if died {
		panic("it dies")
	}
	return actions.Succeed(map[string]any{"body": map[string]any{}})
}

// thenRuns makes the object, interrupts its update, and runs a program that calls the resource by a
// name.
func (s *interrupted) thenRuns(t *testing.T, program property.Map, name string) {
	t.Helper()
	now := engine.Ref{Type: "Thing", Name: name, Key: "urn:" + name}
	made := s.create("note", "a", "size", 1)
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	func() {
		defer func() { _ = recover() }()
		s.update(made.State, "note", "b", "size", 1)
	}()
	diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: now, State: *made.State, New: program})
	if err != nil || len(diff.Changes) == 0 && !diff.Force {
		t.Fatalf("the host would send no update: %+v, %v", diff, err)
	}
	before := s.sent
	out := s.e.Update(t.Context(), engine.UpdateRequest{Ref: now, State: *made.State, Inputs: program})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if program.Equals(made.State.Inputs) && s.sent == before {
		// The server may still work on the first request, and then shows what was there before.
		t.Error("nothing was sent, although the interrupted update may still take effect")
	}
	want := map[string]any{}
	for name, v := range program.All {
		if v.IsString() {
			want[name] = v.AsString()
		} else {
			want[name] = int64(v.AsNumber())
		}
	}
	if diff := cmp.Diff(want, s.object); diff != "" {
		t.Errorf("the object (-want +got):\n%s", diff)
	}
	diff, err = s.e.Diff(t.Context(), engine.DiffRequest{Ref: now, State: *out.State, New: program})
	if err != nil || len(diff.Changes) > 0 || diff.Force {
		t.Errorf("another update follows: %+v, %v", diff, err)
	}
	if left := s.statuses(); len(left) > 0 {
		t.Errorf("the journal has %v", left)
	}
}

// TestUpdateUnderWayElsewhere runs the next program while another process still updates the resource,
// as after the host was killed alone, in whichever request: nothing is sent, no program takes it for
// unchanged, and it is not deleted.
func TestUpdateUnderWayElsewhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"it", "another"} {
		for steps := 1; steps <= 2; steps++ {
			for busy := 0; busy <= steps; busy++ {
				for _, program := range []property.Map{
					object("note", "a", "size", 1), object("note", "b", "size", 2), object("note", "c", "size", 3),
				} {
					t.Run(fmt.Sprintf("%s %d of %d %v", name, busy, steps, program), func(t *testing.T) {
						t.Parallel()
						s := newInterrupted(t, "safe: true, ", steps, "reads first")
						s.busy = busy
						s.runsMeanwhile(t, program, name)
					})
				}
			}
		}
	}
}

// runsMeanwhile runs a program that calls the resource by a name during an update by another process.
func (s *interrupted) runsMeanwhile(t *testing.T, program property.Map, name string) {
	t.Helper()
	made := s.create("note", "a", "size", 1)
	other, _ := s.w.engine(t, "resources: Thing: {"+s.resource+"}")
	now := engine.Ref{Type: "Thing", Name: name, Key: "urn:" + name}
	ran := false
	s.meanwhile = func() {
		ran = true
		sent := s.sent
		diff, err := other.Diff(t.Context(), engine.DiffRequest{Ref: now, State: *made.State, New: program})
		if err != nil || len(diff.Changes) == 0 && !diff.Force {
			t.Errorf("nothing seems to differ: %+v, %v", diff, err)
		}
		var busy *journal.BusyError
		out := other.Update(t.Context(), engine.UpdateRequest{Ref: now, State: *made.State, Inputs: program})
		if !errors.As(out.Err, &busy) || out.State != nil || s.sent != sent {
			t.Errorf("a second update sent %d requests: %+v", s.sent-sent, out)
		}
		err = other.Delete(t.Context(), engine.DeleteRequest{Ref: now, State: *made.State})
		if !errors.As(err, &busy) || slices.Contains(s.w.log(), "remove") {
			t.Errorf("the object is deleted under the update: %v", err)
		}
	}
	if out := s.update(made.State, "note", "b", "size", 2); out.Err != nil || !ran {
		t.Errorf("%d updates were sent: %v", s.sent, out.Err)
	}
}
