package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// A server that can only list is searched: what `return` finds is adopted, and
// null is nothing, so that the create is sent again.
func TestFindByList(t *testing.T) {
	other := map[string]any{"name": "b", "id": "6"}
	ours := map[string]any{"name": "a", "id": "7"}
	const one = `{world: look: {what: "find"}, return: "${find(result.items, #.name == inputs.name)}"}`
	const two = `{steps: [
		{as: "all", world: look: {what: "find"}},
		{if: "${result.items != null}", world: look: {what: "more", with: "${len(steps.all.items)}"}},
	], return: "${find(steps.all.items, #.name == inputs.name)}"}`
	cases := []struct {
		name, find string
		items      []any
		want       []string
	}{
		{"among others", one, []any{other, ours}, []string{"find", "make a", "find", "find"}},
		{"none like it", one, []any{other}, []string{"find", "make a", "find", "find", "make a"}},
		{"none at all", one, []any{}, []string{"find", "make a", "find", "find", "make a"}},
		{"in two steps", two, []any{other, ours}, []string{"find", "more 0", "make a", "find", "more 0", "find", "more 2"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld().
				on("make", actions.Outcome{Status: actions.Unknown, Err: errLost}, yields("id", "7")).
				on("find", yields("items", []any{}), yields("items", []any{}), yields("items", tc.items))
			w.journal = t.TempDir()
			e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	consistency: "0s"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: `+tc.find+`
	delete: world: do: what: "remove"
}`)
			create := func() engine.Result {
				return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
			}
			if out := create(); !errors.Is(out.Err, errLost) {
				t.Fatalf("%+v", out)
			}
			if out := create(); out.Err != nil || out.State.ID != "7" {
				t.Fatalf("%+v", out)
			}
			if diff := cmp.Diff(tc.want, w.log()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What `find` names of its own does not reach the create's other steps.
func TestFindKeepsItsNames(t *testing.T) {
	w := newWorld().
		on("make", actions.Outcome{Status: actions.Unknown, Err: errLost}).
		on("find", gone("it"), gone("it"), yields("id", "7")).on("look", yields("id", "wrong"))
	w.journal = t.TempDir()
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string
	id: "${steps.made.id}"
	create: steps: [
		{as: "look", world: look: {what: "look"}},
		{as: "made", world: post: {what: "make", with: "${inputs.name}"}},
		{world: do: {what: "tag", with: "${steps.look.id} ${steps.made.id}"}},
	]
	find: steps: [{as: "look", world: look: {what: "find"}}]
	delete: world: do: what: "remove"
}`)
	create := func() engine.Result {
		return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	}
	create()
	if out := create(); out.Err != nil || out.State.ID != "7" {
		t.Fatalf("%+v", out)
	}
	want := []string{"look", "find", "make a", "find", "look", "find", "tag wrong 7"}
	if diff := cmp.Diff(want, w.log()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A `find` that changes something would do it whenever an answer was lost.
func TestFindHasNoEffect(t *testing.T) {
	_, diags := newWorld().compile(t, `resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	create: world: post: {what: "make"}
	find: world: do: what: "find"
	delete: world: do: what: "remove"
}`)
	var codes []string
	for _, d := range diags {
		codes = append(codes, d.Code)
	}
	if diff := cmp.Diff([]string{"function-effect"}, codes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
