package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

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

// TestChangesLeaveWhatTheServerChose: after a create or an update that failed halfway, `changes` has null for
// what that program has set and the next does not, but not for what no program has set, nor for what the
// server may choose: inputs that are outputs, too.
func TestChangesLeaveWhatTheServerChose(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, inputs, outputs, unset, set string }{
		{"an input", "tag?: string", "", "map[name:a size:2]", "map[name:a size:2 tag:<nil>]"},
		{"an input that is an output", "tag?: string", "tag?: string", "map[name:a size:2]", "map[name:a size:2]"},
		{"an input that is a required output", "tag?: string", "tag: string", "map[name:a size:2]", "map[name:a size:2]"},
		{"a list that is an output", "tag?: [...string]", "tag?: [...string]", "map[name:a size:2]", "map[name:a size:2]"},
		{"an input with a default", `tag: *"t" | string`, "tag?: string", "map[name:a size:2 tag:t]", "map[name:a size:2 tag:t]"},
		{"an input that the server normalises", "tag?: string @normalised()", "tag?: string", "map[name:a size:2]", "map[name:a size:2 tag:<nil>]"},
		{"an output of another type", "tag?: string", "tag?: int", "map[name:a size:2]", ""},
	}
	for _, tc := range cases {
		verbs := []string{"create", "update", "create with it", "update with it"}
		if tc.set == "" {
			verbs = verbs[:2] // no state could hold both
		}
		for _, verb := range verbs {
			t.Run(tc.name+", "+verb, func(t *testing.T) {
				t.Parallel()
				verb, with := strings.CutSuffix(verb, " with it")
				want := map[bool]string{false: tc.unset, true: tc.set}[with]
				w := newWorld()
				e, _ := w.engine(t, `resources: Thing: {
	inputs: {name: string, size: int, `+tc.inputs+`}
	outputs: {`+tc.outputs+`}
	id: "7"
	create: steps: [{world: do: what: "make"}, {world: do: what: "second"}]
	read: world: look: what: "read"
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: what: "remove"
}`)
				tag := map[bool]any{true: 5, false: "t"}[strings.Contains(tc.outputs, "int")]
				given := any("t")
				if strings.Contains(tc.outputs, "[") {
					tag, given = []any{"t"}, []any{"t"}
				}
				w.on("read", yields("name", "a", "size", 1, "tag", tag))
				inputs := func(size int, with bool) property.Map {
					all := object("name", "a", "size", size)
					if with {
						all = object("name", "a", "size", size, "tag", given)
					}
					return check(t, e, "Thing", all)
				}
				if verb == "create" {
					w.on("second", failed("half of it"))
				}
				half := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs(1, with && verb == "create")})
				if verb == "update" && half.Err == nil {
					w.on("change", failed("half of it"))
					half = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: inputs(3, with)})
				}
				if half.Err == nil || half.State == nil {
					t.Fatalf("%+v", half)
				}
				w.on("change", yields()).on("second", yields())
				w.log()
				whole := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *half.State, Inputs: inputs(2, false)})
				if whole.Err != nil {
					t.Fatal(whole.Err)
				}
				if log := w.log(); !slices.Contains(log, "change "+want) {
					t.Errorf("got %q, want change %s", log, want)
				}
			})
		}
	}
}
