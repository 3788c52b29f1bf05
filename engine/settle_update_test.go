package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// TestStateOfAResumedUpdate: an update that goes on sees what it saw at first.
func TestStateOfAResumedUpdate(t *testing.T) {
	const spec = `resources: Thing: {
	inputs: {folder: string, name: string, tags?: [...string]}
	id: "${result.id}"
	create: world: post: what: "make"
	read: world: look: {what: "read", with: "${id}"}
	update: steps: [
		{if: "${inputs.name != state.name}", world: post: {what: "move", with: "${state.name} to ${inputs.name}"}},
		{forEach: "${filter(state.tags ?? [], not (# in (inputs.tags ?? [])))}", world: post: {what: "untag", with: "${each.value}"}},
		{if: "${changes.folder != null}", world: post: {what: "put", with: "${inputs.folder}"}},
	]
	delete: world: do: what: "remove"
}`
	for _, tc := range []struct {
		lost string
		want []string
	}{
		{"move", []string{"move a to b", "move a to b", "untag x"}},
		{"untag", []string{"move a to b", "untag x", "untag x"}},
	} {
		t.Run(tc.lost, func(t *testing.T) {
			w := newWorld().on("make", yields("id", "7")).on(tc.lost, lost(), yields())
			w.on("read", yields("folder", "f", "name", "a", "tags", []any{"x", "y"}))
			w.journal = t.TempDir()
			e, _ := w.engine(t, spec)
			made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("folder", "f", "name", "a", "tags", []any{"x", "y"})})
			w.log()
			request := engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("folder", "f", "name", "b", "tags", []any{"y"})}
			first := e.Update(t.Context(), request)
			if first.Err == nil || first.State == nil {
				t.Fatalf("%+v", first)
			}
			request.State = *first.State
			if again := e.Update(t.Context(), request); again.Err != nil {
				t.Error(again.Err)
			}
			if diff := cmp.Diff(tc.want, without(w.log(), "read 7")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLostRenameThatWasNotDone: what the id says of a thing that was read is
// compared with what the program wants, also where read does not return it.
func TestLostRenameThatWasNotDone(t *testing.T) {
	const spec = `resources: Thing: {
	inputs: {name: string, size: int}
	id: "${inputs.name}"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: {world: look: {what: "find", with: "${inputs.name}"}, first: false}
	read: {world: look: {what: "read", with: "${id}"}, return: size: "${result.size}"}
	update: world: post: {what: "rename", with: "${id} to ${inputs.name}"}
	delete: world: do: what: "remove"
}`
	w := newWorld().on("rename", lost(), yields()).on("find", gone("it")).on("read", yields("size", 1))
	w.journal = t.TempDir()
	e, _ := w.engine(t, spec)
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", 1)})
	w.log()
	first := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "b", "size", 1)})
	if first.Err == nil {
		t.Errorf("the rename was lost, there is nothing of the new name, and it is said to be done: %v", w.log())
	}
}

// TestLostUpdateBeforeStepsThatDoNotRun: what a read shows counts also where the
// steps that follow do not run.
func TestLostUpdateBeforeStepsThatDoNotRun(t *testing.T) {
	const spec = `resources: Thing: {
	inputs: {name: string, size: int}
	id: "${result.id}"
	create: world: post: what: "make"
	read: world: look: {what: "read", with: "${id}"}
	update: steps: [
		{world: post: {what: "put", with: "${inputs.size}"}},
		{if: "${changes.name != null}", world: post: what: "rename"},
	]
	delete: world: do: what: "remove"
}`
	w := newWorld().on("make", yields("id", "7")).on("put", lost(), refused("conflict")).on("read", yields("name", "a", "size", 2))
	w.journal = t.TempDir()
	e, _ := w.engine(t, spec)
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", 1)})
	first := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "a", "size", 2)})
	if first.Err != nil {
		t.Error(first.Err)
	}
}

func without(all []string, one string) (out []string) {
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}
