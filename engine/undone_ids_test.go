package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestUndoneObjectsAreReplaced: a create whose object was undone, or begun to be, is replaced if the object would have another id:
// Pulumi gives what it updates no other one, and programs would go on with that of before. It continues if the inputs give the id.
func TestUndoneObjectsAreReplaced(t *testing.T) {
	t.Parallel()
	for id, replaced := range map[string]bool{"${steps.it.id}": true, "${inputs.name}": false} {
		for undo, outcome := range map[string]bool{"works": true, "fails": false} {
			t.Run(fmt.Sprint(id, ", undo ", undo), func(t *testing.T) {
				t.Parallel()
				w := newWorld().on("first", yields("id", "1")).on("make", yields("id", "7"), yields("id", "8")).on("part", refused("no"), yields()).on("undo", failed("no"), yields()).on("get", yields("name", "a"))
				if outcome {
					w.on("undo", yields())
				}
				s := newScene(t, w, `inputs: name: string @replace()
	id: "`+id+`"
	consistency: "0s"
	create: steps: [
		{as: "it", world: post: {what: "make", with: "${inputs.name}", key: true}, onFailure: [{world: do: {what: "undo", with: "${result.id}"}}, {world: do: what: "rest"}]},
		{as: "first", world: post: {what: "first", safe: true}},
		{world: post: {what: "part", key: true}},
	]
	read: world: look: {what: "get", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
				out := s.create("name", "a")
				if out.Err == nil || out.State == nil {
					t.Fatalf("%+v", out)
				}
				diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *out.State, New: object("name", "a")})
				replace := slices.ContainsFunc(diff.Changes, func(c engine.Change) bool { return c.Replace })
				if err != nil || replace != replaced || replace != diff.DeleteBeforeReplace {
					t.Errorf("%v: it is replaced: %t, before: %t, want %t", err, replace, diff.DeleteBeforeReplace, replaced)
				}
			})
		}
	}
}
