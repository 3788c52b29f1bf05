package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// Cases that a review found, one for each way in which a verdict could be lost
// between one place and the next.

// scene is an engine of a spec, and what is done to one resource of it.
type scene struct {
	*testing.T
	w *world
	e *engine.Engine
}

func newScene(t *testing.T, w *world, resource string) *scene {
	w.journal = t.TempDir()
	e, _ := w.engine(t, "resources: Thing: {\n"+resource+"\n}")
	return &scene{T: t, w: w, e: e}
}

func (s *scene) create(inputs ...any) engine.Result {
	return s.e.Create(s.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object(inputs...)})
}

func (s *scene) update(state *engine.State, inputs ...any) engine.Result {
	s.Helper()
	if state == nil {
		s.Fatal("there is no state to update")
	}
	return s.e.Update(s.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *state, Inputs: object(inputs...)})
}

// calls compares what was called since the last time.
func (s *scene) calls(want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, s.w.log()); diff != "" {
		s.Errorf("calls (-want +got):\n%s", diff)
	}
}

// statuses are those in the journal.
func (s *scene) statuses() []journal.Status {
	s.Helper()
	var out []journal.Status
	for _, i := range intents(s.T, s.w.journal) {
		out = append(out, i.Status)
	}
	return out
}

// diesBeforeHanding makes the journal what it is where the provider died after the
// response, and before it gave the host a state.
func (s *scene) diesBeforeHanding() {
	s.Helper()
	for _, i := range intents(s.T, s.w.journal) {
		i.Status = journal.Answered
		if err := journal.Open(s.w.journal).Put(i, false); err != nil {
			s.Fatal(err)
		}
	}
}

// busy is a refusal that asks to come back.
func busy() actions.Outcome {
	return actions.Outcome{Status: actions.Refused, Err: errLost, Again: true, RetryAfter: time.Millisecond}
}

// TestRefusedAgainAfterALostUpdate: that find finds the resource does not say that
// its update was done.
func TestRefusedAgainAfterALostUpdate(t *testing.T) {
	w := newWorld().on("make", yields("id", "7")).on("put", lost(), busy(), yields()).
		on("find", gone("it"), yields("id", "7")).on("read", yields("name", "a", "size", 1))
	s := newScene(t, w, `inputs: {name: string, size: int}
	id: "${result.id}"
	consistency: "0s"
	create: world: post: what: "make"
	find: world: look: what: "find"
	read: world: look: what: "read"
	update: world: post: {what: "put", with: "${inputs.size}"}
	delete: world: do: what: "remove"`)
	made := s.create("name", "a", "size", 1)
	half := s.update(made.State, "name", "a", "size", 2)
	if half.Err == nil {
		t.Fatal("the update was lost")
	}
	w.log()
	whole := s.update(half.State, "name", "a", "size", 2)
	puts := slices.DeleteFunc(w.log(), func(call string) bool { return call != "put 2" })
	if whole.Err != nil || len(puts) != 2 {
		t.Errorf("%d PUTs: %+v", len(puts), whole)
	}
}

// TestConditionalCreateWithoutFind: a refusal that asks to come back, after a lost
// attempt, is retried without a look where nothing can look.
func TestConditionalCreateWithoutFind(t *testing.T) {
	w := newWorld().on("make", lost(), busy(), yields("id", "7"))
	s := newScene(t, w, `inputs: name: string
	id: "${inputs.name}"
	create: world: post: {what: "make", once: true}
	delete: world: do: what: "remove"`)
	s.create("name", "a")
	if out := s.create("name", "a"); out.Err != nil {
		t.Error(out.Err)
	}
	s.calls("make", "make", "make")
}

// TestPanicLeavesNothingUnderWay: after a bug in an action the intent is open.
func TestPanicLeavesNothingUnderWay(t *testing.T) {
	w := newWorld()
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome { panic("a bug") }
	s := newScene(t, w, strings.TrimSuffix(strings.TrimPrefix(keyed, "resources: Thing: {"), "}"))
	func() {
		defer func() { _ = recover() }()
		s.create("name", "a")
	}()
	if list := intents(t, w.journal); len(list) != 1 || !list[0].Open() {
		t.Errorf("%+v", list)
	}
}

// TestFailedUpdateMovesNothing: an update that the server failed gives no right to
// what somebody else makes under the new name.
func TestFailedUpdateMovesNothing(t *testing.T) {
	w := newWorld().on("make", yields("id", "a")).on("find", gone("it")).on("read", yields("name", "a")).on("rename", yields("error", "no quota"))
	s := newScene(t, w, `inputs: name: string
	id: "${inputs.name}"
	consistency: "0s"
	create: world: post: what: "make"
	find: world: look: what: "find"
	read: world: look: what: "read"
	update: {world: post: what: "rename", fail: "${result.error ?? ''}"}
	delete: world: do: {what: "remove", with: "${id}"}`)
	made := s.create("name", "a")
	half := s.update(made.State, "name", "b")
	w.on("find", yields("id", "b"))
	w.log()
	state := *made.State
	if half.State != nil {
		state = *half.State
	}
	if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
		t.Fatal(err)
	}
	s.calls("remove a")
}

// TestGroupRetryKeepsKeys: all steps run again under the keys that they had.
func TestGroupRetryKeepsKeys(t *testing.T) {
	w := newWorld().on("two", classed(refused("busy"), "409"), yields())
	var keys []string
	w.hooks["one"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		keys = append(keys, call.Key)
		return yields("id", "1")
	}
	s := newScene(t, w, `inputs: name: string
	id: "${steps.one.id}"
	create: {retry: {on: [409], backoff: "1ms"}, steps: [{as: "one", world: post: {what: "one", key: true}}, {world: post: {what: "two", key: true}}]}
	delete: world: do: what: "remove"`)
	if out := s.create("name", "a"); out.Err != nil {
		t.Fatal(out.Err)
	}
	if len(keys) != 2 || keys[0] != keys[1] {
		t.Errorf("keys: %v", keys)
	}
}

// TestRefusalStaysForgotten: a create that is reported because its id is not known
// does not open what was refused.
func TestRefusalStaysForgotten(t *testing.T) {
	w := newWorld().on("one", yields("id", "1")).on("two", refused("no")).on("find", gone("it")).on("undo", refused("locked"))
	s := newScene(t, w, `inputs: name: string
	id: "${result.id}"
	consistency: "0s"
	create: steps: [{as: "one", world: post: what: "one", onFailure: [{world: do: what: "undo"}]}, {as: "two", world: post: what: "two"}]
	find: world: look: what: "find"
	delete: world: do: what: "remove"`)
	s.create("name", "a")
	w.on("find", yields("id", "theirs"))
	if out := s.create("name", "a"); out.State != nil {
		t.Errorf("adopted: %+v", out.State)
	}
}

// TestUndoneElementsAreMadeAgain: all elements of a forEach that was undone.
func TestUndoneElementsAreMadeAgain(t *testing.T) {
	w := newWorld().on("base", yields("id", "7"))
	broken := true
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if call.Args["with"] == "b" && broken {
			return refused("no")
		}
		return yields()
	}
	s := newScene(t, w, `inputs: names: [...string]
	id: "${steps.base.id}"
	create: steps: [
		{as: "base", world: post: what: "base"},
		{forEach: "${inputs.names}", world: post: {what: "make", with: "${each.value}"}, onFailure: [{world: do: what: "unmake"}]},
	]
	delete: world: do: what: "remove"`)
	half := s.create("names", []any{"a", "b"})
	s.calls("base", "make a", "make b", "unmake")
	broken = false
	if out := s.update(half.State, "names", []any{"a", "b"}); out.Err != nil {
		t.Fatal(out.Err)
	}
	s.calls("make a", "make b")
}

// TestStepsBehindAGapStayDone: what was finished behind a step that was undone is
// not done again, however often that step fails.
func TestStepsBehindAGapStayDone(t *testing.T) {
	w := newWorld().on("a", yields("id", "7"), refused("no"), yields("id", "7")).on("b", yields("id", "8")).on("c", refused("no"), yields())
	s := newScene(t, w, `inputs: name: string
	id: "${inputs.name}"
	create: steps: [
		{as: "a", world: do: what: "a", onFailure: [{world: do: what: "undo a"}]},
		{world: post: {what: "b", key: true}},
		{world: do: what: "c"},
	]
	delete: world: do: what: "remove"`)
	first := s.create("name", "x")
	s.calls("a", "b", "c", "undo a")
	second := s.update(first.State, "name", "x")
	s.calls("a")
	state := second.State
	if state == nil {
		state = first.State
	}
	if third := s.update(state, "name", "x"); third.Err != nil {
		t.Fatal(third.Err)
	}
	s.calls("a", "c")
}

// TestUndoThatFoundNothing: what may still come of a lost step stays listed, though
// its undo found nothing.
func TestUndoThatFoundNothing(t *testing.T) {
	w := newWorld().on("make", lost()).on("find", gone("it")).on("unmake", gone("it"))
	s := newScene(t, w, `inputs: name: string
	id: "${result.id}"
	create: steps: [{world: post: what: "make", onFailure: [{world: do: what: "unmake"}]}]
	find: world: look: what: "find"
	delete: world: do: what: "remove"`)
	if out := s.create("name", "a"); out.State != nil || strings.Contains(out.Err.Error(), "what it had done was undone") {
		t.Errorf("%+v", out)
	}
	if diff := cmp.Diff([]journal.Status{journal.Unknown}, s.statuses()); diff != "" {
		t.Errorf("in the journal (-want +got):\n%s", diff)
	}
}

// TestDeleteEndsIntents: what is created under the name after a delete has keys of
// its own.
func TestDeleteEndsIntents(t *testing.T) {
	w := newWorld().on("base", yields("id", "7")).on("two", lost())
	s := newScene(t, w, `inputs: name: string
	id: "${inputs.name}"
	create: steps: [{as: "base", world: post: {what: "base", key: true}}, {retry: {attempts: 1}, world: post: {what: "two", key: true}}]
	delete: world: do: what: "remove"`)
	half := s.create("name", "a")
	if half.State == nil {
		t.Fatal(half.Err)
	}
	if err := s.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *half.State}); err != nil {
		t.Fatal(err)
	}
	if list := s.statuses(); len(list) != 0 {
		t.Errorf("in the journal: %v", list)
	}
}

// TestSentAgainMayStayUnseen: a request that is sent again after a look has as much
// time to appear as the first.
func TestSentAgainMayStayUnseen(t *testing.T) {
	const consistency = 400 * time.Millisecond
	w := newWorld().on("make", lost()).on("find", gone("it"))
	s := newScene(t, w, `inputs: name: string
	id: "${result.id}"
	consistency: "400ms"
	create: world: post: what: "make"
	find: world: look: what: "find"
	delete: world: do: what: "remove"`)
	s.create("name", "a")
	time.Sleep(consistency + 50*time.Millisecond)
	w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome { panic("killed") }
	func() {
		defer func() { _ = recover() }()
		s.create("name", "a")
	}()
	w.hooks["make"] = nil
	w.on("make", yields("id", "2"))
	began := time.Now()
	if out := s.create("name", "a"); out.Err != nil {
		t.Fatal(out.Err)
	}
	if took := time.Since(began); took < consistency/2 {
		t.Errorf("it was sent again after %s", took)
	}
}

// TestOtherInputsAndAnotherObject: what has the name of what an earlier create made,
// and another id, is somebody else's.
func TestOtherInputsAndAnotherObject(t *testing.T) {
	w := newWorld().on("make", yields("id", "17")).on("find", gone("it"), yields("id", "18"))
	s := newScene(t, w, `inputs: {name: string, size: int}
	id: "${result.id}"
	consistency: "0s"
	create: world: post: what: "make"
	find: world: look: what: "find"
	delete: world: do: what: "remove"`)
	s.create("name", "a", "size", 1)
	if out := s.create("name", "a", "size", 2); out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), "exists already") {
		t.Errorf("%+v", out)
	}
}
