package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// TestChangesOfAFailedUpdate: after an update that failed halfway, all inputs are in `changes`,
// but those that an update cannot change.
func TestChangesOfAFailedUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e, _ := w.engine(t, `resources: Thing: {
	inputs: {name: string @replace(), zone: *"a" | string @replace(), size: int, note?: string}
	id: "${inputs.name}"
	create: world: do: what: "make"
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: what: "remove"
}`)
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "a", "size", 1, "note", "x"))})
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	w.on("change", failed("half of it"))
	half := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: check(t, e, "Thing", object("name", "a", "size", 2, "note", "x"))})
	if half.Err == nil || half.State == nil {
		t.Fatalf("failed: %+v", half)
	}
	w.log()
	w.on("change", yields())
	whole := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: check(t, e, "Thing", object("name", "a", "size", 3))})
	if whole.Err != nil {
		t.Fatal(whole.Err)
	}
	if diff := cmp.Diff([]string{"change map[note:<nil> size:3]"}, w.log()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
