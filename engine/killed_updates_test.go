package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestKilledUpdatesAreListedOnce: an update whose provider is killed, before or after its request is sent and once or
// several times, is one entry for a reader of the journal, and none once it is done.
func TestKilledUpdatesAreListedOnce(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"key: true, ", "safe: true, ", "once: true, ", ""} {
		for _, find := range []string{"", `find: world: look: {what: "find", with: "${inputs.name}"}`} {
			for _, at := range []string{"first", "last"} {
				for kills := 1; kills <= 3; kills++ {
					t.Run(fmt.Sprintf("%s%s, %d kills at %s", sent, find, kills, at), func(t *testing.T) {
						t.Parallel()
						w := newWorld().on("make", yields("id", "7")).on("first", yields("id", "7")).on("find", yields("id", "7"))
						w.journal = t.TempDir()
						spec := `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${result.id}"
	consistency: "0s"
	create: {world: post: {key: true, what: "make", with: "${inputs.name}"}, return: {}}
	` + find + `
	read: {world: look: {what: "get", with: "${id}"}, return: {name: "a", size: 1}}
	update: {steps: [{world: post: {` + sent + `what: "first", with: "${inputs.size}"}}, {world: post: {` + sent + `what: "last", with: "${inputs.size}"}}], return: {}}
	delete: world: do: {what: "remove", with: "${id}"}
}`
						e, _ := w.engine(t, spec)
						state := created(t, e, "Thing", object("name", "a", "size", 1))
						all := func(journal.Subject) bool { return true }
						update := func() engine.Result {
							e, _ = w.engine(t, spec)
							return e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("name", "a", "size", 2)})
						}
						for n := range kills {
							k := &killer{T: t, w: w}
							w.hooks[at] = func(context.Context, *actions.Call) actions.Outcome {
								k.die()
								return yields()
							}
							k.run(func() { update() })
							e, _ = w.engine(t, spec)
							if open := e.Unsettled(all); len(open) != 1 {
								t.Errorf("after %d kills, %d entries: %+v", n+1, len(open), open)
							}
						}
						delete(w.hooks, at)
						if out := update(); out.Err != nil {
							t.Error(out.Err)
						}
						if open := e.Unsettled(all); len(open) > 0 {
							t.Errorf("afterwards: %+v", open)
						}
					})
				}
			}
		}
	}
}
