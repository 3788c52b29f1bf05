package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
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

// renaming is a resource whose update renames first, in a way that can be done
// once, and goes on with steps that the rename does not show.
const renaming = `resources: Thing: {
	inputs: {name: string, size: int}
	id: "${inputs.name}"
	consistency: "0s"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: {world: look: {what: "read", with: "${id} ${inputs.name}"}, return: size: "${result.size}"}
	update: steps: [
		{if: "${inputs.name != state.name}", world: post: {what: "copy", with: "${id} to ${inputs.name}"}},
		{world: post: {what: "put", with: "${inputs.name} ${inputs.size}"}},
		{if: "${inputs.name != state.name}", world: post: {what: "remove old", with: "${id}"}},
	]
	delete: world: do: {what: "remove", with: "${id} ${inputs.name}"}
}`

// TestLostStepThatRenames: a rename before other steps was done if find finds the
// new name, and had found nothing before. It is not sent again, and the steps that
// follow see what they would have seen.
func TestLostStepThatRenames(t *testing.T) {
	for _, tc := range []struct {
		name   string
		struck string          // the step that fails once
		by     actions.Outcome // how
		done   bool            // the server did it all the same
		late   int             // so many finds do not show it yet
		runs   int
		want   []string
	}{
		{"found at once", "copy", lost(), true, 0, 1, []string{"copy a to b", "put b 2", "remove old a"}},
		{"found by the next run", "copy", lost(), true, 2, 2, []string{"copy a to b", "put b 2", "remove old a"}},
		{"not done", "copy", lost(), false, 0, 2, []string{"copy a to b", "copy a to b", "put b 2", "remove old a"}},
		{"a later step was lost", "put", lost(), false, 0, 2, []string{"copy a to b", "put b 2", "put b 2", "remove old a"}},
		{"a later step was refused", "put", refused("no"), false, 0, 2, []string{"copy a to b", "put b 2", "put b 2", "remove old a"}},
		{"the last step was lost", "remove old", lost(), false, 0, 2, []string{"copy a to b", "put b 2", "remove old a", "remove old a"}},
		{"the response to the last step was lost", "remove old", lost(), true, 0, 1, []string{"copy a to b", "put b 2", "remove old a"}},
		{"the last step was refused", "remove old", refused("no"), false, 0, 2, []string{"copy a to b", "put b 2", "remove old a", "remove old a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, copied, late := newWorld(), false, tc.late
			w.on(tc.struck, tc.by, yields())
			w.hooks["read"] = func(_ context.Context, call *actions.Call) actions.Outcome {
				if call.Args["with"] == "a a" && tc.struck == "remove old" && tc.done {
					return gone("it")
				}
				return yields("size", 2)
			}
			w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
				if copied && late == 0 {
					return yields()
				} else if copied {
					late--
				}
				return gone("it")
			}
			w.hooks["copy"] = func(context.Context, *actions.Call) actions.Outcome {
				switch {
				case copied:
					return refused("conflict")
				case tc.struck == "copy" && !tc.done && len(w.calls) < 3: // find, copy
					return tc.by
				}
				copied = true
				if tc.struck == "copy" && tc.done {
					return tc.by
				}
				return yields()
			}
			w.journal = t.TempDir()
			e, _ := w.engine(t, renaming)
			made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", 1)})
			w.log()
			request := engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "b", "size", 2)}
			var out engine.Result
			for run := 1; run <= tc.runs; run++ {
				out = e.Update(t.Context(), request)
				if (out.Err == nil) != (run == tc.runs) {
					t.Errorf("run %d: %v", run, out.Err)
				}
				if out.State != nil {
					request.State = *out.State
				}
			}
			if diff := cmp.Diff(tc.want, without(without(without(w.log(), "find b"), "read b b"), "read a a")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if out.State == nil || out.State.ID != "a" || out.State.Private.ID != "b" || out.State.Private.Failed != nil {
				t.Errorf("%+v", out.State)
			}
		})
	}
}

// TestSeenAfterALostRename: what a refresh reads and a destroy deletes after a
// rename that was lost, or that was done before another step was refused, is what
// the new id says.
func TestSeenAfterALostRename(t *testing.T) {
	for struck, by := range map[string]actions.Outcome{"copy": lost(), "put": refused("no")} {
		t.Run(struck, func(t *testing.T) {
			hidden := 2 // from the looks before the create and before the rename
			want := []string{"read b b", "remove b b"}
			if struck == "copy" {
				hidden = 4
				// Whether what is found is its own is read before the refresh and the delete.
				want = []string{"read b b", "read b b", "read b b", "remove b b"}
			}
			w := newWorld().on(struck, by).on("find", append(slices.Repeat([]actions.Outcome{gone("it")}, hidden), yields())...).on("read", yields("size", 1))
			w.journal = t.TempDir()
			e, _ := w.engine(t, renaming)
			made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", 1)})
			first := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "b", "size", 2)})
			if first.Err == nil || first.State == nil {
				t.Fatalf("%+v", first)
			}
			w.log()
			read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *first.State, Reason: engine.Refresh})
			if read.Err != nil || read.State == nil {
				t.Fatalf("%+v", read)
			}
			if diff := cmp.Diff(object("name", "b", "size", 1), read.State.Inputs, values); diff != "" || read.State.ID != "b" {
				t.Errorf("id %q (-want +got):\n%s", read.State.ID, diff)
			}
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *first.State}); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, without(w.log(), "find b")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
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

// TestRefreshSettlesALostUpdate: a refresh sees where a killed update has left the resource. Its later
// steps may be left to do, so the next program runs the update, and then nothing is open.
func TestRefreshSettlesALostUpdate(t *testing.T) {
	w := newWorld().on("make", yields("id", "7")).on("find", gone("it"), gone("it"), yields("id", "8"))
	w.hooks["change"] = func(context.Context, *actions.Call) actions.Outcome { return lost() }
	w.on("read", yields("name", "b"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	consistency: "0s"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	update: steps: [{world: post: {what: "change", with: "${id}"}}, {world: do: what: "reload"}]
	delete: world: do: what: "remove"
}`)
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "b")})
	// The provider was killed before it could say so: the host has the old state.
	seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State})
	if seen.Err != nil || seen.State.ID != "8" {
		t.Fatalf("%+v", seen)
	}
	diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *seen.State, New: object("name", "b")})
	if err != nil || !diff.Force {
		t.Fatalf("%+v, %v", diff, err)
	}
	w.hooks["change"] = nil
	w.on("change", yields())
	last := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *seen.State, Inputs: object("name", "b")})
	if last.Err != nil {
		t.Fatal(last.Err)
	}
	if diff, err = e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *last.State, New: object("name", "b")}); err != nil || diff.Force {
		t.Fatalf("%+v, %v", diff, err)
	}
	if list := intents(t, w.journal); len(list) != 0 {
		t.Errorf("in the journal: %+v", list)
	}
}
