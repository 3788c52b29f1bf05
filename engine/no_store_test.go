package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestMissingStores: if what would have the object does not exist, such as a database file, there is nothing for
// a create, and a refresh forgets nothing.
func TestMissingStores(t *testing.T) {
	t.Parallel()
	missing := true
	w := newWorld()
	look := func(context.Context, *actions.Call) actions.Outcome {
		if missing {
			return actions.Missing(fmt.Errorf("there is no such database file, %w", actions.ErrNoStore))
		}
		return answers(members("name", "a"))
	}
	w.hooks["find"], w.hooks["get"] = look, look
	s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	find: {world: ask: what: "find"}
	create: world: post: {what: "make", with: "${inputs.name}"}
	read: {world: ask: what: "get"}
	delete: world: do: what: "remove"`)
	made := s.create("name", "a")
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	for _, missing = range []bool{false, true, false} {
		out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State, Reason: engine.Refresh})
		if out.Gone || (out.Err != nil) != missing {
			t.Errorf("missing %v: %+v", missing, out)
		}
	}
	missing = true
	if out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "a"}, Reason: engine.Import}); out.Err == nil || out.State != nil {
		t.Errorf("an import: %+v", out)
	}
}
