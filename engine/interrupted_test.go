package engine_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestInterruptedUpdates kills a provider during an update, before or after an effect, in every kind
// of request. Whatever the next program asks for, even what the host has recorded, the object has it
// after the next update, and then nothing differs.
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
				for _, when := range []string{"before", "after"} {
					for _, also := range []string{"", "find", "no read"} {
						for name, program := range programs {
							t.Run(fmt.Sprintf("{%s} %d of %d %s %s, then %s", kind, dies, steps, when, also, name), func(t *testing.T) {
								t.Parallel()
								s := newInterrupted(t, kind, steps, also)
								s.dies, s.when = dies, when
								s.thenRuns(t, program)
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
}

func newInterrupted(t *testing.T, kind string, steps int, also string) *interrupted {
	t.Helper()
	update := `[{world: post: {` + kind + `what: "patch", with: "${changes}"}}]`
	if steps == 2 {
		update = `[{world: post: {` + kind + `what: "patch", with: "${pick(changes, 'size')}"}}, {world: post: {` + kind + `what: "patch", with: "${pick(changes, 'note')}"}}]`
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
	w.hooks["patch"] = func(_ context.Context, call *actions.Call) actions.Outcome { return s.change(call, false) }
	get := func(context.Context, *actions.Call) actions.Outcome {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.object == nil {
			return actions.Missing(errLost)
		}
		return actions.Succeed(map[string]any{"status": int64(200), "body": maps.Clone(s.object)})
	}
	w.hooks["get"], w.hooks["find"] = get, get
	s.scene = newScene(t, w, `inputs: {note?: string, size: int}
	id: "x"
	create: world: post: {what: "make", with: "${inputs}"}
	update: steps: `+update+`
	delete: world: do: what: "remove"
	`+more)
	return s
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
	died := !made && s.sent == s.dies
	if died && s.when == "before" {
		panic("it dies")
	}
	with, _ := call.Args["with"].(map[string]any)
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

func (s *interrupted) thenRuns(t *testing.T, program property.Map) {
	t.Helper()
	made := s.create("note", "a", "size", 1)
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	func() {
		defer func() { _ = recover() }()
		s.update(made.State, "note", "b", "size", 1)
	}()
	diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *made.State, New: program})
	if err != nil || len(diff.Changes) == 0 && !diff.Force {
		t.Fatalf("the host would send no update: %+v, %v", diff, err)
	}
	out := s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: program})
	if out.Err != nil {
		t.Fatal(out.Err)
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
	diff, err = s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *out.State, New: program})
	if err != nil || len(diff.Changes) > 0 || diff.Force {
		t.Errorf("another update follows: %+v, %v", diff, err)
	}
	if left := s.statuses(); len(left) > 0 {
		t.Errorf("the journal has %v", left)
	}
}
