package engine_test

import (
	"context"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestAKeyMakesNothingOfWhatIsGone: a create that was lost is settled under its key
// before one with other inputs. What the server answers again, and is gone since, gets
// no parts, and is no state.
func TestAKeyMakesNothingOfWhatIsGone(t *testing.T) {
	for name, tc := range map[string]struct {
		read  actions.Outcome
		calls []string
		state bool
	}{
		"gone":  {gone("it"), []string{"make a", "read 1", "make b", "part 2"}, true},
		"there": {yields("name", "a"), []string{"make a", "read 1", "part 1"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", lost(), yields("id", "1"), yields("id", "2")).on("read", tc.read, yields("name", "b"))
			s := newScene(t, w, `inputs: name: string @replace()
	id: "${steps.it.id}"
	consistency: "0s"
	create: steps: [
		{as: "it", world: post: {what: "make", with: "${inputs.name}", key: true}, retry: attempts: 1},
		{world: post: {what: "part", with: "${steps.it.id}", key: true}},
	]
	read: world: look: {what: "read", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
			if first := s.create("name", "a"); first.Err == nil || first.State != nil {
				t.Fatalf("%+v", first)
			}
			s.calls("make a")
			if next := s.create("name", "b"); (next.State != nil) != tc.state {
				t.Fatalf("%+v", next)
			}
			s.calls(tc.calls...)
		})
	}
}

// TestWhatWasMadeAnewIsListed: a create whose object was undone makes it anew, and the
// response is lost. That the old object cannot be deleted any more says nothing of the
// new one, which stays on the list until find tells.
func TestWhatWasMadeAnewIsListed(t *testing.T) {
	w := newWorld().on("make", yields("id", "1"), lost(), yields("id", "3")).on("part", lost(), yields()).on("find", gone("it"), gone("it"), gone("it"), yields("id", "2", "name", "a"))
	w.hooks["read"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if call.Args["with"] == "1" {
			return gone("it")
		}
		return yields("name", "a")
	}
	w.hooks["remove"] = func(_ context.Context, call *actions.Call) actions.Outcome { return gone("it") }
	s := newScene(t, w, `inputs: name: string @replace()
	id: "${steps.it.id}"
	consistency: "0s"
	create: steps: [
		{as: "it", world: post: {what: "make", with: "${inputs.name}"}, onFailure: [{world: do: {what: "undo", with: "of ${steps.it.id}"}}]},
		{world: post: {what: "part", with: "${steps.it.id}"}},
	]
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`)
	half := s.create("name", "a")
	if half.Err == nil || half.State == nil {
		t.Fatalf("%+v", half)
	}
	half = s.update(half.State, "name", "a")
	if half.Err == nil || half.State == nil {
		t.Fatalf("%+v", half)
	}
	if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *half.State}); err != nil {
		t.Fatal(err)
	}
	open := 0
	for _, status := range s.statuses() {
		if status == journal.Unknown {
			open++
		}
	}
	if open == 0 {
		t.Errorf("in the journal: %v, and nobody knows what was made", s.statuses())
	}
	s.calls("find a", "make a", "part 1", "undo of 1", "find a", "make a", "find a", "find a", "read 2", "remove 1")
	// It was looked for before it was sent again, so that what find finds is its own.
	if next := s.create("name", "b"); next.Err == nil || next.State == nil || next.State.ID != "2" {
		t.Errorf("%+v", next)
	}
}

// TestUndoWithoutAnAnswer: where undoing an object was not answered, the create that
// goes on reads whether it is there, before it makes parts for it.
func TestUndoWithoutAnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		read  actions.Outcome
		calls []string
	}{
		"it was done":     {gone("it"), []string{"read 1", "make", "label 2", "part 2"}},
		"it was not done": {yields("name", "a"), []string{"read 1", "part 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "1"), yields("id", "2")).on("part", refused("no"), yields()).on("undo", lost()).on("read", tc.read, yields("name", "a"))
			s := newScene(t, w, `inputs: name: string @replace()
	id: "${steps.it.id}"
	consistency: "0s"
	create: steps: [
		{as: "it", world: post: what: "make", onFailure: [{world: post: {what: "undo", with: "${steps.it.id}"}}]},
		{world: post: {what: "label", with: "${steps.it.id}", safe: true}},
		{world: post: {what: "part", with: "${steps.it.id}"}},
	]
	read: world: look: {what: "read", with: "${id}"}
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`)
			half := s.create("name", "a")
			if half.Err == nil || half.State == nil {
				t.Fatalf("%+v", half)
			}
			s.calls("make", "label 1", "part 1", "undo 1")
			whole := s.update(half.State, "name", "a")
			if whole.Err != nil {
				t.Fatal(whole.Err)
			}
			s.calls(tc.calls...)
		})
	}
}
