package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec/expr"
)

// TestUndoHitsNothingUnproved: that an earlier step was done proves nothing about one
// that goes by a name: what is there under the name may be somebody else's.
func TestUndoHitsNothingUnproved(t *testing.T) {
	for name, tc := range map[string]struct {
		with  string
		calls []string
	}{
		"by a name":     {"${inputs.name}", []string{"quota a", "make a"}},
		"by a response": {"${steps.quota.id}", []string{"quota a", "make 1", "undo 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().on("quota", yields("id", "1")).on("make", actions.Outcome{Status: actions.Unknown, Err: errLost})
			s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	create: steps: [
		{as: "quota", world: post: {what: "quota", with: "${inputs.name}", key: true}},
		{world: post: {what: "make", with: "`+tc.with+`", once: true}, onFailure: [{world: do: {what: "undo", with: "`+tc.with+`"}}]},
	]
	delete: world: do: {what: "remove", with: "${id}"}`)
			if out := s.create("name", "a"); out.Err == nil {
				t.Fatalf("%+v", out)
			}
			s.calls(tc.calls...)
		})
	}
}

// TestGoneAfterAFailure: a step that failed halfway, and finds nothing when it is tried
// again, may have left something: it stays on the list.
func TestGoneAfterAFailure(t *testing.T) {
	w := newWorld().on("make", failed("half of it"), gone("it"))
	s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	create: {world: post: {what: "make", with: "${inputs.name}", safe: true}, retry: {attempts: 2, backoff: "1ms"}}
	delete: world: do: {what: "remove", with: "${id}"}`)
	if out := s.create("name", "a"); out.Err == nil {
		t.Fatalf("%+v", out)
	}
	if got := s.statuses(); !slices.Contains(got, journal.Failed) {
		t.Errorf("in the journal: %v", got)
	}
}

// TestAnUpdateIsOfOneObject: the update of an object that the state has forgotten is
// not taken for that of the one that was made since: it has another key.
func TestAnUpdateIsOfOneObject(t *testing.T) {
	w := newWorld().on("make", yields("id", "1"), yields("id", "2"))
	w.journal = t.TempDir()
	var keys []string
	w.hooks["change"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if keys = append(keys, call.Key); len(keys) == 1 {
			return actions.Outcome{Status: actions.Unknown, Err: errLost}
		}
		return yields()
	}
	s := newScene(t, w, `inputs: {name: string, size: int}
	id: "${result.id}"
	create: world: post: {what: "make", with: "${inputs.name}"}
	update: world: post: {what: "change", with: "${id}", key: true}
	delete: world: do: {what: "remove", with: "${id}"}`)
	for range 2 {
		made := s.create("name", "a", "size", 1)
		if made.Err != nil {
			t.Fatal(made.Err)
		}
		s.update(made.State, "name", "a", "size", 2)
	}
	if len(keys) != 2 || keys[0] == keys[1] {
		t.Errorf("the keys of two updates of two objects: %q", keys)
	}
}

// TestFindDuringUndo: what find looks for while a create is undone may be missing, as
// at any other time.
func TestFindDuringUndo(t *testing.T) {
	w := newWorld().on("find", gone("it")).on("make", actions.Outcome{Status: actions.Unknown, Err: errLost})
	s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	consistency: "0s"
	create: {world: post: {what: "make", with: "${inputs.name}"}, onFailure: [{world: do: {what: "undo", with: "${inputs.name}"}}]}
	find: steps: [{as: "named", world: look: {what: "find", with: "${inputs.name}"}}, {world: look: {what: "get", with: "of ${steps.named.id}"}}]
	delete: world: do: {what: "remove", with: "${id}"}`)
	out := s.create("name", "a")
	if out.Err == nil {
		t.Fatalf("%+v", out)
	}
	if errors.As(out.Err, new(*expr.EvalError)) {
		t.Errorf("find goes on behind what it did not find: %v", out.Err)
	}
}

// TestPartsOfAnEarlierRunAreListed: a create that a run began which died is taken over,
// and undone: what that run may have made for it stays on the list, whatever the next
// create makes.
func TestPartsOfAnEarlierRunAreListed(t *testing.T) {
	w := newWorld().on("make", yields("id", "1"), yields("id", "2")).on("part", yields(), refused("no"), yields())
	w.on("find", gone("it")).on("read", yields("name", "a"))
	died := false
	w.hooks["label"] = func(context.Context, *actions.Call) actions.Outcome {
		if !died {
			died = true
			panic("it dies")
		}
		return yields()
	}
	s := newScene(t, w, `inputs: name: string @replace()
	id: "${steps.it.id}"
	consistency: "0s"
	create: steps: [
		{as: "it", world: do: {what: "make", with: "${inputs.name}"}, onFailure: [{world: do: {what: "undo", with: "${steps.it.id}"}}]},
		{world: do: {what: "part", with: "${steps.it.id}"}, retry: attempts: 1},
		{world: post: {what: "label", with: "${steps.it.id}", safe: true}, retry: attempts: 1},
	]
	find: world: look: {what: "find", with: "${inputs.name}"}
	read: world: look: {what: "read", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
	func() {
		defer func() { _ = recover() }()
		s.create("name", "a")
	}()
	if second := s.create("name", "a"); second.Err == nil {
		t.Fatalf("%+v", second)
	}
	if third := s.create("name", "a"); third.Err != nil {
		t.Fatal(third.Err)
	}
	listed := slices.ContainsFunc(intents(t, s.w.journal), func(i journal.Intent) bool { return i.Step == 2 && i.Status == journal.Failed })
	if !listed {
		t.Errorf("in the journal: %v", s.statuses())
	}
}

// TestWhatWasNotReadMayBeThere: that something is not on the pages that were read proves
// nothing where there are more.
func TestWhatWasNotReadMayBeThere(t *testing.T) {
	cut := actions.Outcome{Status: actions.Done, Result: []any{}, Partial: &actions.Partial{Why: "there is more", Listed: true}}
	w := newWorld().on("make", yields("id", "1")).on("find", cut).on("read", cut)
	const spec = `inputs: name: string @replace()
	id: "${result.id}"
	consistency: "0s"
	create: world: post: {what: "make", with: "${inputs.name}"}
	find: {steps: [{as: "all", world: look: what: "find"}], return: "${first(filter(steps.all, #.name == inputs.name))}"}
	delete: world: do: {what: "remove", with: "${id}"}
	read: {steps: [{as: "all", world: look: what: "read"}], return: "${first(filter(steps.all, #.id == id))}"}`
	s := newScene(t, w, spec)
	if out := s.create("name", "a"); out.Err == nil {
		t.Errorf("%+v", out)
	}
	s.calls("find")
	state := engine.State{ID: "1", Inputs: object("name", "a"), Outputs: object("name", "a")}
	if out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh}); out.Err == nil || out.Gone {
		t.Errorf("%+v", out)
	}
	// An empty list that is whole is another matter.
	w.on("find", actions.Succeed([]any{})).on("read", actions.Succeed([]any{}))
	if out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh}); !out.Gone {
		t.Errorf("%+v", out)
	}
}

// TestOnlyTheStepThatLooksCounts: what another step of a read has left out on purpose says
// nothing of what is gone.
func TestOnlyTheStepThatLooksCounts(t *testing.T) {
	cut := actions.Outcome{Status: actions.Done, Result: []any{}, Partial: &actions.Partial{Why: "there is more", Listed: true}}
	w := newWorld().on("tags", cut).on("read", gone("it"))
	s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	create: world: post: {what: "make", with: "${inputs.name}"}
	read: {steps: [{as: "tags", world: look: what: "tags"}, {as: "it", gone: "${result == null}", world: look: what: "read"}], return: "${{name: steps.it.name}}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
	state := engine.State{ID: "a", Inputs: object("name", "a"), Outputs: object("name", "a")}
	for _, read := range []actions.Outcome{gone("it"), actions.Succeed(nil)} {
		w.on("read", read)
		out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if read.Status == actions.Done && !out.Gone {
			t.Errorf("%+v", out)
		}
	}
}

// TestADeleteLooksThroughAllPages: what a delete was to look for and remove may be on the
// pages that it has left out.
func TestADeleteLooksThroughAllPages(t *testing.T) {
	for cut, fails := range map[*actions.Partial]bool{{Why: "there is more", Listed: true}: true, {Why: "it may not be the answer"}: false, nil: false} {
		w := newWorld().on("list", actions.Outcome{Status: actions.Done, Result: []any{}, Partial: cut})
		s := newScene(t, w, `inputs: name: string @replace()
	id: "${inputs.name}"
	create: world: post: {what: "make", with: "${inputs.name}"}
	delete: steps: [{as: "all", world: look: what: "list"}, {forEach: "${filter(steps.all, # == id)}", world: do: {what: "remove", with: "${each.value}"}}]`)
		state := engine.State{ID: "a", Inputs: object("name", "a"), Outputs: object("name", "a")}
		if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); (err != nil) != fails {
			t.Errorf("cut %v: %v", cut, err)
		}
	}
}

// TestALoopOfAnyInADelete: vet does not know what a loop over an untyped answer goes over.
func TestALoopOfAnyInADelete(t *testing.T) {
	prog, diags := newWorld().compile(t, `http: baseURL: "http://127.0.0.1:1"
resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/things/${inputs.name}"}
	delete: steps: [{as: "p", http: path: "/things/${id}"}, {as: "q", forEach: "${steps.p.body.parts}", http: {method: "DELETE", path: "/parts/${each.value}"}}, {http: {method: "DELETE", path: "/things/${id}"}}]
}`)
	if diags.HasErrors() || prog == nil {
		t.Errorf("%+v", diags)
	}
}

// TestWithoutTheJournalsKey: a key that cannot be read is told before anything is sent.
func TestWithoutTheJournalsKey(t *testing.T) {
	w := newWorld()
	w.journal = t.TempDir()
	if err := os.WriteFile(filepath.Join(w.journal, "key"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, _ := w.engine(t, `resources: Thing: {
	inputs: name: string @replace()
	id: "${inputs.name}"
	create: world: post: {what: "make", with: "${inputs.name}", key: true}
	delete: world: do: {what: "remove", with: "${id}"}
}`)
	s := &scene{T: t, w: w, e: e}
	if out := s.create("name", "a"); out.Err == nil || !strings.Contains(out.Err.Error(), w.journal) {
		t.Errorf("%+v", out)
	}
	s.calls()
}
