package engine_test

import (
	"context"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestAnIntentOfAnotherSpec: a create that was killed is not forgotten because the spec has renamed the
// input by which find looks: what find finds without it says nothing.
func TestAnIntentOfAnotherSpec(t *testing.T) {
	spec := func(input string) string {
		return `resources: Thing: {inputs: ` + input + `: string, id: "${result.id}"
	create: world: post: {what: "make", with: "${inputs}"}
	find: {world: look: {what: "find", with: "${inputs.` + input + `}"}, return: "${result}"}
	read: world: ask: {what: "get", with: "${id}"}
	delete: world: do: what: "remove"}`
	}
	journal := t.TempDir()
	w := newWorld().on("find", actions.Missing(errLost))
	w.journal = journal
	before, _ := w.engine(t, spec("name"))
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome { panic("it dies") }
	func() {
		defer func() { _ = recover() }()
		before.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "w1")})
	}()
	if left := intents(t, journal); len(left) != 1 {
		t.Fatalf("the journal has %v", left)
	}
	other := newWorld().on("find", actions.Missing(errLost)).on("make", yields("id", "2"))
	other.journal = journal
	after, _ := other.engine(t, spec("title"))
	for range 2 {
		out := after.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("title", "w2")})
		if out.Err == nil || out.State != nil {
			t.Errorf("%+v", out)
		}
	}
	if left := intents(t, journal); len(left) != 1 {
		t.Errorf("the journal has %v", left)
	}
}

// TestIDsThatServersResolve: an id of one or two dots addresses another object. It is not taken as the id of a new
// object, and a read that returns one leaves the recorded id.
func TestIDsThatServersResolve(t *testing.T) {
	for _, id := range []string{".", ".."} {
		w := newWorld().on("make", yields("id", id), yields("id", "1"))
		e, _ := w.engine(t, `resources: Thing: {inputs: name: string, id: "${result.id}", create: world: do: what: "make", read: world: look: {what: "get", with: "${id}"}, delete: world: do: what: "remove"}`)
		if out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")}); out.Err == nil || out.State != nil && out.State.ID == id {
			t.Errorf("a create that gives %q: %+v", id, out)
		}
		state := created(t, e, "Thing", object("name", "b"))
		w.on("get", yields("id", id, "name", "b"))
		read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if read.Err != nil || read.State == nil || read.State.ID != "1" {
			t.Errorf("a read that gives %q: %+v, %v", id, read.State, read.Err)
		}
	}
}
