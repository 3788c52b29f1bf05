package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestRemovalsAfterFailures changes the members of a group, which updates add and remove one by one. What
// they remove follows from `state`. Updates fail, with and without an effect, or their response is lost, and
// the program changes meanwhile. After an update that succeeds, the group has the members of the program;
// a delete that removes the members of `state` leaves none.
func TestRemovalsAfterFailures(t *testing.T) {
	t.Parallel()
	for form, update := range map[string]string{
		"elements": `steps: [
			{forEach: "${filter(state.members, # not in inputs.members)}", world: post: {what: "remove", with: "${each.value}", safe: true}, retry: attempts: 1},
			{forEach: "${filter(inputs.members, # not in state.members)}", world: post: {what: "add", with: "${each.value}", safe: true}, retry: attempts: 1},
		]`,
		"a let": `{
			let: gone: "${filter(state.members, # not in inputs.members)}"
			steps: [
				{forEach: "${inputs.members}", world: post: {what: "add", with: "${each.value}", safe: true}, retry: attempts: 1},
				{forEach: "${gone}", world: post: {what: "remove", with: "${each.value}", safe: true}, retry: attempts: 1},
			]
		}`,
		"one request": `{retry: attempts: 1, world: post: {what: "both", with: {add: "${inputs.members}", remove: "${filter(state.members, # not in inputs.members)}"}, safe: true}}`,
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { removals(t, rt, update) })
		})
	}
}

func removals(t *testing.T, rt *rapid.T, update string) {
	var mu sync.Mutex
	group := map[string]bool{}
	fault := func() string { return "" }
	w := newWorld()
	change := func(do func(call *actions.Call)) func(context.Context, *actions.Call) actions.Outcome {
		return func(_ context.Context, call *actions.Call) actions.Outcome {
			mu.Lock()
			defer mu.Unlock()
			switch fault() {
			case "refused":
				return refused("no")
			case "lost before":
				return lost()
			case "lost after":
				do(call)
				return lost()
			}
			do(call)
			return yields("ok", true)
		}
	}
	add := func(list any) {
		for _, m := range list.([]any) {
			group[m.(string)] = true
		}
	}
	remove := func(list any) {
		for _, m := range list.([]any) {
			delete(group, m.(string))
		}
	}
	w.hooks["add"] = change(func(call *actions.Call) { add([]any{call.Args["with"]}) })
	w.hooks["remove"] = change(func(call *actions.Call) { remove([]any{call.Args["with"]}) })
	w.hooks["both"] = change(func(call *actions.Call) {
		both := call.Args["with"].(map[string]any)
		add(both["add"])
		remove(both["remove"])
	})
	w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
		mu.Lock()
		defer mu.Unlock()
		members := []any{}
		for m := range group {
			members = append(members, m)
		}
		return actions.Succeed(map[string]any{"status": int64(200), "body": map[string]any{"members": members}})
	}
	s := newScene(t, w, `inputs: members: [...string] @set()
	id: "x"
	create: {forEach: "${inputs.members}", world: post: {what: "add", with: "${each.value}", safe: true}}
	update: `+update+`
	read: world: ask: what: "get"
	delete: {forEach: "${state.members}", world: post: {what: "remove", with: "${each.value}", safe: true}}`)
	program := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 3, rapid.ID)
	list := func(members []string) property.Map {
		values := []property.Value{}
		for _, m := range members {
			values = append(values, property.New(m))
		}
		return property.NewMap(map[string]property.Value{"members": property.New(values)})
	}
	state := s.e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: list(program.Draw(rt, "created"))}).State
	var history []string
	for n := range rapid.IntRange(2, 5).Draw(rt, "updates") {
		wanted := program.Draw(rt, fmt.Sprint("members ", n))
		left := rapid.IntRange(0, 3).Draw(rt, fmt.Sprint("requests before the fault of ", n))
		kind := rapid.SampledFrom([]string{"", "refused", "lost before", "lost after"}).Draw(rt, fmt.Sprint("fault ", n))
		fault = func() string {
			if left--; left < 0 {
				return kind
			}
			return ""
		}
		out := s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *state, Inputs: list(wanted)})
		fault = func() string { return "" }
		history = append(history, fmt.Sprintf("%v: %v", wanted, out.Err))
		if out.State != nil {
			state = out.State
		}
		if out.Err != nil {
			continue
		}
		var has []string
		for m := range group {
			has = append(has, m)
		}
		slices.Sort(has)
		slices.Sort(wanted)
		if !slices.Equal(has, wanted) {
			rt.Fatalf("the group has %q, and the program %q, after %q", has, wanted, history)
		}
	}
	if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *state}); err != nil || len(group) > 0 {
		rt.Fatalf("a delete leaves %v (%v), after %q", group, err, history)
	}
}
