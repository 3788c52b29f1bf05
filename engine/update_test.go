package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

const updating = `resources: Thing: {
	inputs: {name: string, size: *1 | int, note?: string}
	outputs: {rev: int}
	id: "${result.id}"
	create: world: do: what: "make"
	read: world: look: {what: "read", with: "${id}"}
	update: steps: [
		{world: do: {what: "lock", with: "${id}"}},
		{world: do: {what: "change", with: "${changes}"}},
	]
	delete: steps: [{world: do: {what: "empty", with: "${id}"}}, {world: do: {what: "remove", with: "${id}"}}]
	return: {rev: "${result.rev}", name: "${inputs.name}", size: "${inputs.size}", note: "${inputs.note}"}
}`

func TestUpdate(t *testing.T) {
	before := engine.State{ID: "7", Inputs: object("name", "a", "size", 1, "note", "n"), Outputs: object("name", "a", "size", 1, "note", "n", "rev", 1)}
	w := newWorld().on("change", yields("rev", int64(2), "id", "7"))
	e, _ := w.engine(t, updating)
	inputs := check(t, e, "Thing", object("name", "b"))
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: before, Inputs: inputs})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff(object("name", "b", "size", 1, "rev", 2), out.State.Outputs, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"lock 7", "change map[name:b note:<nil>]"}, w.log()); diff != "" {
		t.Errorf("changes are whole, with null where removed (-want +got):\n%s", diff)
	}

	w.on("change", yields("rev", int64(3), "id", "8"))
	w.hooks["read"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if call.Args["with"] == "7" {
			return gone("it")
		}
		return yields("rev", int64(3), "id", "8")
	}
	moved := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: before, Inputs: inputs})
	if moved.Err != nil || moved.State.ID != "7" || moved.State.Private.ID != "8" {
		t.Fatalf("an id that changes is kept beside the host's: %+v", moved)
	}
	delete(w.hooks, "read")
	w.log()
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *moved.State}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"empty 8", "remove 8"}, w.log()); diff != "" {
		t.Errorf("later calls use the current id (-want +got):\n%s", diff)
	}
}

func TestUpdateFailures(t *testing.T) {
	before := engine.State{ID: "7", Inputs: object("name", "a", "size", 1), Outputs: object("name", "a", "size", 1, "rev", 1)}
	w := newWorld().on("lock", refused("busy"))
	e, _ := w.engine(t, updating)
	inputs := check(t, e, "Thing", object("name", "b"))
	req := engine.UpdateRequest{Ref: ref("Thing"), State: before, Inputs: inputs}
	if out := e.Update(t.Context(), req); out.Err == nil || out.State != nil {
		t.Fatalf("nothing was changed, so the old state stands: %+v", out)
	}
	w.on("lock", yields()).on("change", failed("half done"), yields("rev", int64(2), "id", "7"))
	half := e.Update(t.Context(), req)
	if half.State == nil || half.Err == nil || half.State.Private.Failed.Step != 1 {
		t.Fatalf("half an update is kept as failed: %+v", half)
	}
	// The state survives its JSON form, as hosts keep it.
	text, err := json.Marshal(half.State.Private)
	if err != nil {
		t.Fatal(err)
	}
	var back engine.Private
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	w.log()
	again := e.Update(t.Context(), engine.UpdateRequest{
		Ref: ref("Thing"), Inputs: inputs,
		State: engine.State{ID: "7", Inputs: before.Inputs, Outputs: half.State.Outputs, Private: back},
	})
	if again.Err != nil || again.State.Private.Failed != nil {
		t.Fatalf("%+v", again)
	}
	if diff := cmp.Diff([]string{"change map[name:b]"}, w.log()); diff != "" {
		t.Errorf("it goes on at the failed step (-want +got):\n%s", diff)
	}
}

func TestDelete(t *testing.T) {
	state := engine.State{ID: "7", Inputs: object("name", "a", "size", 1), Outputs: object("rev", 1)}
	w := newWorld().on("empty", gone("its content")).on("remove", gone("it"))
	e, _ := w.engine(t, updating)
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
		t.Errorf("what is gone completes its step: %v", err)
	}
	if diff := cmp.Diff([]string{"empty 7", "remove 7"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.on("remove", refused("in use"))
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a failed delete is an error: %v", err)
	}
}

func TestUpgrade(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, `resources: Thing: {
		inputs: {fullName: string, tags: [...string]}
		outputs: rev: int
		id: "${inputs.fullName}"
		create: world: do: what: "make"
		read: world: look: {what: "read", with: "${state.fullName}"}
		update: world: do: {what: "change", with: "${state.tags}"}
		delete: world: do: {what: "remove", with: "${state.fullName}"}
		schemaVersion: 2
		upgrade: {
			"0": "${merge(omit(old, \"first\", \"last\"), {fullName: old.first + \" \" + old.last})}"
			"1": "${merge(old, {tags: [old.tag]})}"
		}
	}`)
	old := engine.State{ID: "x", Inputs: object("first", "Ada", "last", "L", "tag", "t"), Outputs: object("first", "Ada", "last", "L", "tag", "t", "rev", 1)}
	news := object("fullName", "Ada L", "tags", []any{"t"})
	diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: old, New: news})
	if err != nil || len(diff.Changes) != 0 {
		t.Errorf("an upgraded state is no change: %+v, %v", diff, err)
	}
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: old}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"remove Ada L"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	old.Private.SchemaVersion = 3
	if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: old, New: news}); err == nil || !strings.Contains(err.Error(), "newer spec") {
		t.Errorf("a newer state is refused: %v", err)
	}
}

func TestList(t *testing.T) {
	e, dir := newWorld().engine(t, `file: root: "."
	resources: File: {
		inputs: {path: string @replace(), content: string}
		id: "${inputs.path}"
		create: file: write: {path: "${inputs.path}", content: "${inputs.content}"}
		read: file: read: path: "${id}"
		delete: file: delete: path: "${id}"
		list: {inputs: {dir: *"." | string}, file: list: path: "${inputs.dir}", items: "${result.items}", id: "${each.value.path}", name: "${basename(each.value.path)}"}
	}`)
	for _, name := range []string{"b.txt", "a.txt", "c.txt"} {
		created(t, e, "File", object("path", "d/"+name, "content", name))
	}
	var got []engine.Listed
	for one, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("File"), Query: object("dir", "d"), Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one)
	}
	if diff := cmp.Diff([]engine.Listed{{ID: "d/a.txt", Name: "a.txt"}, {ID: "d/b.txt", Name: "b.txt"}}, got); diff != "" {
		t.Errorf("in %s (-want +got):\n%s", dir, diff)
	}
	for _, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("File"), Query: object("dri", "d")}) {
		if err == nil || !strings.Contains(err.Error(), "dri") {
			t.Errorf("a wrong query: %v", err)
		}
	}
}

// One of several that is gone already does not keep the others.
func TestDeleteOfMany(t *testing.T) {
	w := newWorld().on("remove", gone("a"), yields())
	e, _ := w.engine(t, `resources: Thing: {
		inputs: parts: [...string]
		id: "it"
		create: world: do: what: "make"
		delete: {forEach: "${inputs.parts}", world: do: {what: "remove", with: "${each.value}"}}
	}`)
	state := created(t, e, "Thing", object("parts", []any{"a", "b", "c"}))
	w.log()
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"remove a", "remove b", "remove c"}, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
