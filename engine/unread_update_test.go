package engine_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestLostUpdatesOfUnreadInputs loses the responses to an update that changes an input which read does not
// return, before or after its effect, and runs another program. That read shows what the program wants
// proves nothing then: in the end the object has what the program says.
func TestLostUpdatesOfUnreadInputs(t *testing.T) {
	t.Parallel()
	made := object("size", 1, "key", "a")
	changes := map[string]property.Map{
		"the unread":       object("size", 1, "key", "b"),
		"both":             object("size", 2, "key", "b"),
		"the other":        object("size", 2, "key", "a"),
		"unread and unset": object("size", 1),
	}
	for name, first := range changes {
		for _, effect := range []bool{false, true} {
			for _, writes := range []int{1, 2} {
				for then, second := range map[string]property.Map{"again": first, "reverted": made, "a third": object("size", 1, "key", "c")} {
					t.Run(fmt.Sprintf("%s, effect %v, %d writes, then %s", name, effect, writes, then), func(t *testing.T) {
						t.Parallel()
						losesUnread(t, effect, writes, made, first, second)
					})
				}
			}
		}
	}
}

func losesUnread(t *testing.T, effect bool, writes int, made, first, second property.Map) {
	t.Helper()
	w := newWorld()
	held, loses := map[string]any{}, false
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with, _ := call.Args["with"].(map[string]any)
		maps.Copy(held, with)
		return yields("id", "7")
	}
	w.hooks["patch"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if with, _ := call.Args["with"].(map[string]any); effect || !loses {
			maps.Copy(held, with)
		}
		if loses {
			return lost()
		}
		return yields()
	}
	w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
		return actions.Succeed(map[string]any{"id": "7", "size": held["size"]})
	}
	update := `[{world: post: {safe: true, what: "patch", with: "${changes}"}, retry: attempts: 1}]`
	if writes == 2 {
		update = `[{world: post: {safe: true, what: "patch", with: "${pick(changes, 'size')}"}, retry: attempts: 1}, {world: post: {safe: true, what: "patch", with: "${pick(changes, 'key')}"}, retry: attempts: 1}]`
	}
	s := newScene(t, w, `inputs: {size: int, key?: string @noRead()}
	id: "${result.id}"
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: what: "get"
	update: steps: `+update+`
	delete: world: do: what: "remove"`)
	out := s.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: made})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	state := *out.State
	loses = true
	out = s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: first})
	if out.State != nil {
		state = *out.State
	}
	loses = false
	diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: second})
	if err != nil {
		t.Fatal(err)
	}
	if len(diff.Changes) > 0 || diff.Force {
		if out = s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: second}); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	want := map[string]any{"size": int64(second.Get("size").AsNumber()), "key": nil}
	if key, given := second.GetOk("key"); given {
		want["key"] = key.AsString()
	}
	if diff := cmp.Diff(want, held); diff != "" {
		t.Errorf("the object (-want +got):\n%s", diff)
	}
}
