package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// unnamedUpdate is an update whose first step is done, and whose response may not contain the id, and whose second step fails.
type unnamedUpdate struct {
	id      string // the template of the id
	step    string // the name of the update's first step
	sent    string // how certain that step is
	names   bool   // whether the response to it contains the id
	find    bool
	moves   bool // whether the server gives the object another id
	outcome actions.Outcome
}

func (u unnamedUpdate) spec() string {
	find := ""
	if u.find {
		find = `find: {world: look: {what: "find", with: "${inputs.name}"}, return: {id: "${result.id}"}}`
	}
	return `resources: Thing: {
	inputs: {name: string, size: int}
	id: "` + u.id + `"
	consistency: "0s"
	create: {steps: [{as: "make", world: post: {key: true, what: "make", with: "${inputs.name}"}}], return: {}}
	` + find + `
	read: world: look: {what: "get", with: "${id}"}
	update: {steps: [
		{as: "` + u.step + `", world: post: {` + u.sent + `what: "change", with: "${inputs.name} ${inputs.size}"}},
		{as: "wait", world: look: {what: "wait", with: "${id}"}, fail: "${result.error}"},
	], return: {}}
	delete: world: do: {what: "remove", with: "${id}"}
}`
}

// TestUpdatesThatFailUnderAKnownID: an update that fails after a step whose response does not contain the id
// leaves nothing open if read or find tells the id. If the object has another id that nothing tells, it is listed.
func TestUpdatesThatFailUnderAKnownID(t *testing.T) {
	t.Parallel()
	outcomes := map[string]actions.Outcome{"fails": yields("error", "no machines left"), "is refused": refused("no"), "is lost": {Status: actions.Unknown, Err: errLost}}
	for _, id := range []string{"${steps.make.id}", "${result.id}", "${inputs.name}"} {
		for _, step := range []string{"make", "change", "start"} {
			for _, sent := range []string{"", "key: true, ", "safe: true, "} {
				for how, outcome := range outcomes {
					for bits := range 8 {
						u := unnamedUpdate{id, step, sent, bits&1 != 0, bits&2 != 0, bits&4 != 0, outcome}
						if u.moves && (id == "${inputs.name}" || sent == "safe: true, " || !u.find && (u.names || sent == "")) {
							continue // nothing says that such an update gives another id
						}
						t.Run(fmt.Sprintf("%s, step %s, %snames %t, find %t, moves %t, the wait %s", id, step, sent, u.names, u.find, u.moves, how), func(t *testing.T) {
							t.Parallel()
							u.play(t)
						})
					}
				}
			}
		}
	}
}

func (u unnamedUpdate) play(t *testing.T) {
	w, now, changes := newWorld(), "", 0
	w.journal = t.TempDir()
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
		now = "a"
		return yields("id", now)
	}
	w.hooks["change"] = func(context.Context, *actions.Call) actions.Outcome {
		changes++
		if u.moves {
			now = "b"
		}
		if u.names {
			return yields("id", now)
		}
		return yields()
	}
	w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		if now == "" {
			return gone("it")
		}
		return yields("id", now)
	}
	w.hooks["get"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if call.Args["with"] != now {
			return gone("it")
		}
		return yields("name", "a", "size", 1+changes)
	}
	w.on("wait", u.outcome, yields())
	e, _ := w.engine(t, u.spec())
	s := &scene{T: t, w: w, e: e}
	made := s.create("name", "a", "size", 1)
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	out := s.update(made.State, "name", "a", "size", 2)
	if out.State == nil {
		t.Fatalf("the state is lost: %v", out.Err)
	}
	open := 0
	for _, i := range intents(t, w.journal) {
		if i.Open() {
			open++
		}
	}
	if found := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Refresh, State: *out.State}); found.Err != nil || found.Gone != (open > 0) || open > 0 != (u.moves && !u.find && !u.names) {
		t.Errorf("%d are open, the refresh gives %+v, and the journal has %+v", open, found, intents(t, w.journal))
	}
	if open > 0 {
		return
	}
	if out = s.update(out.State, "name", "a", "size", 2); out.Err != nil || changes != 1 {
		t.Errorf("the next run: %v, with %d changes", out.Err, changes)
	}
	for _, i := range intents(t, w.journal) {
		if i.Status == journal.Unknown {
			t.Errorf("afterwards the journal has %+v", i)
		}
	}
}
