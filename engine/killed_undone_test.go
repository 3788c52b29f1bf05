package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// killedUndone is a create that failed after it had made its object, and whose provider is killed while the object is
// undone. Then the response to the request of the next create is lost, or that is killed, too.
type killedUndone struct {
	kind   string // how the object is found again: find, blind (find without read), key, blind key (key without read)
	fails  string // what fails: wait (a step without an effect), part (one with an effect)
	undone string // when it is killed: before the effect of the undo, after it; or not at all
	next   string // the next request for the object is lost, unseen (lost, and find sees its object in the next run only), or its provider is killed before or after
	then   string // the runs after that have the same, or other inputs
}

func (k killedUndone) String() string {
	return fmt.Sprintf("%s, %s failed, killed %s the undo, the next request %s, then %s", k.kind, k.fails, k.undone, k.next, k.then)
}

// killedUndones returns all of them.
func killedUndones() (all []killedUndone) {
	for _, kind := range []string{"find", "blind", "key", "blind key"} {
		for _, fails := range []string{"wait", "part"} {
			for _, undone := range []string{"before", "after", "without"} {
				for _, next := range []string{"lost", "unseen", "killed before", "killed after"} {
					for _, then := range []string{"the same", "other inputs"} {
						all = append(all, killedUndone{kind, fails, undone, next, then})
					}
				}
			}
		}
	}
	return all
}

func (k killedUndone) isKeyed() bool { return strings.Contains(k.kind, "key") }

func (k killedUndone) spec() string {
	key, find, read := "", `find: world: look: {what: "find", with: "${inputs.name}"}`, `read: world: look: {what: "get", with: "${id}"}`
	if strings.Contains(k.kind, "blind") {
		read = ""
	}
	if k.isKeyed() {
		key, find = "key: true, ", ""
	}
	last := `{world: look: {what: "last", with: "${steps.main.id}"}, fail: "${result.fails}"}`
	if k.fails == "part" {
		last = `{world: post: {what: "last", with: "${steps.main.id}"}}`
	}
	return `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${steps.main.id}"
	consistency: "0s"
	create: steps: [
		{as: "main", world: post: {` + key + `what: "make", with: "${inputs.name} ${inputs.size}"}, onFailure: [{world: do: {what: "remove", with: "${result.id}"}}]},
		` + last + `,
	]
	` + find + `
	` + read + `
	update: world: do: {what: "change", with: "${inputs.size}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`
}

// undoneServer is the server of a killedUndone.
type undoneServer struct {
	killedUndone
	dying *killer
	// live are the objects that exist, by id, and hidden those that find does not see. keys are the ids by key.
	live, hidden map[string]bool
	keys         map[string]string
	made         int
	failing      bool // the step after the one that makes the object fails
	sending      bool // the next request for an object is the one that is lost, or killed
}

func (s *undoneServer) make(_ context.Context, call *actions.Call) actions.Outcome {
	lost := s.sending
	s.sending = false
	if lost && s.next == "killed before" {
		s.dying.die()
	}
	id := s.keys[call.Key]
	if id == "" {
		s.made++
		id = strconv.Itoa(s.made)
		s.live[id] = true
		if s.isKeyed() {
			s.keys[call.Key] = id
		}
	}
	switch {
	case lost && s.next == "killed after":
		s.dying.die()
	case lost:
		s.hidden[id] = s.next == "unseen"
		return actions.Outcome{Status: actions.Unknown, Err: errLost}
	}
	return yields("id", id)
}

func (s *undoneServer) find(context.Context, *actions.Call) actions.Outcome {
	for _, id := range slices.Sorted(maps.Keys(s.live)) {
		if !s.hidden[id] {
			return yields("id", id, "name", "a")
		}
	}
	return gone("it")
}

func (s *undoneServer) get(_ context.Context, call *actions.Call) actions.Outcome {
	if !s.live[fmt.Sprint(call.Args["with"])] {
		return gone("it")
	}
	return yields("name", "a")
}

func (s *undoneServer) last(context.Context, *actions.Call) actions.Outcome {
	switch {
	case s.failing && s.fails == "wait":
		return yields("fails", "not yet")
	case s.failing:
		return refused("not yet")
	}
	return yields("fails", nil)
}

func (s *undoneServer) remove(_ context.Context, call *actions.Call) actions.Outcome {
	if s.failing && s.undone == "before" {
		s.dying.die()
	}
	id := fmt.Sprint(call.Args["with"])
	there := s.live[id]
	delete(s.live, id)
	if s.failing && s.undone == "after" {
		s.dying.die()
	}
	if !there {
		return gone("it")
	}
	return yields()
}

// play runs the create until its provider is killed, and then again. It acts as Pulumi does until something is recorded.
func (k killedUndone) play(t *testing.T) {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	s := &undoneServer{killedUndone: k, live: map[string]bool{}, hidden: map[string]bool{}, keys: map[string]string{}, failing: true}
	w.hooks = map[string]func(context.Context, *actions.Call) actions.Outcome{
		"make": s.make, "find": s.find, "get": s.get, "last": s.last, "remove": s.remove,
	}
	inputs := object("name", "a", "size", 1)
	begin := func() *engine.Engine {
		e, _ := w.engine(t, k.spec())
		return e
	}
	create := func() engine.Result {
		return begin().Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	}
	s.dying = &killer{T: t, w: w}
	if k.undone == "without" {
		create()
	} else {
		s.dying.run(func() { create() })
	}

	s.dying, s.failing, s.sending = &killer{T: t, w: w}, false, true
	var state *engine.State
	if s.dying.survives(func() { state = create().State }) {
		w.journal = s.dying.then
	}
	s.sending = false
	clear(s.hidden)
	if k.then == "other inputs" {
		inputs = object("name", "a", "size", 2)
	}
	e := begin()
	if state == nil {
		var runs int
		var err error
		if state, runs, err = (killedCreate{}).converge(t, e, inputs); err != nil || runs > 1 && k.then == "the same" {
			t.Errorf("after %d runs: %v", runs, err)
		}
	}
	if state == nil || len(s.live) != 1 || !s.live[state.ID] {
		t.Fatalf("there are %v, recorded is %+v", slices.Collect(maps.Keys(s.live)), state)
	}
	if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *state, New: inputs}); err != nil {
		t.Fatal(err)
	}
	if left := intents(t, w.journal); len(left) > 0 {
		t.Errorf("it is recorded, and the journal still has %+v", left)
	}
}

// TestKilledUndone: what an entry of the journal keeps of an object that was undone, such as its id, does not stand in the way
// of the object that the next create makes: that is recorded, and is the only one.
func TestKilledUndone(t *testing.T) {
	t.Parallel()
	for _, k := range killedUndones() {
		runCase(t, k.String(), func(t *testing.T) {
			t.Parallel()
			k.play(t)
		})
	}
}

// madeThenWaits is a resource that find finds, and whose create waits once it has made the object.
const madeThenWaits = `inputs: name: string @replace()
	id: "${steps.main.id}"
	consistency: "0s"
	create: steps: [{as: "main", world: post: {what: "make", with: "${inputs.name}"}}, {world: look: what: "wait"}]
	find: world: look: what: "find"
	read: world: look: {what: "get", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}`

// TestUnseenByFind: an object that an earlier create was told of and that still exists is not made a second time, although find
// does not find it.
func TestUnseenByFind(t *testing.T) {
	t.Parallel()
	k, start := killedScene(t, madeThenWaits)
	k.w.on("find", gone("it")).on("make", yields("id", "7")).on("get", yields("name", "a"), yields("name", "a"), gone("it"))
	k.w.hooks["wait"] = func(context.Context, *actions.Call) actions.Outcome {
		k.die()
		return yields()
	}
	k.run(func() { start().create("name", "a") })
	k.w.log()
	for range 2 {
		s := start()
		if out := s.create("name", "a"); out.Err == nil || out.State != nil || len(intents(t, k.w.journal)) != 1 {
			t.Errorf("%+v", out)
		}
		s.calls("find", "get 7")
	}
	s := start()
	if out := s.create("name", "a"); out.Err != nil {
		t.Errorf("it is gone: %v", out.Err)
	}
	s.calls("find", "get 7", "make a", "wait")
}

// TestLostAfterAnEarlierObjectIsGone: somebody has deleted the object that a create was told of before it was killed. The
// create is sent again and killed once more, after the server has made another object. The next run takes that one over.
func TestLostAfterAnEarlierObjectIsGone(t *testing.T) {
	t.Parallel()
	k, start := killedScene(t, madeThenWaits)
	k.w.hooks["get"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if call.Args["with"] == "7" {
			return gone("it")
		}
		return yields("name", "a")
	}
	made := 0
	k.w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		if made < 2 {
			return gone("it")
		}
		return yields("id", "8")
	}
	k.w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
		if made++; made == 2 {
			k.die()
		}
		return yields("id", "7")
	}
	waits := 0
	k.w.hooks["wait"] = func(context.Context, *actions.Call) actions.Outcome {
		if waits++; waits == 1 {
			k.die()
		}
		return yields()
	}
	for range 2 {
		k.dead = false
		k.run(func() { start().create("name", "a") })
	}
	s := start()
	if out := s.create("name", "a"); out.Err != nil || out.State == nil || out.State.ID != "8" {
		t.Errorf("%+v", out)
	}
	if made != 2 {
		t.Errorf("it was made %d times", made)
	}
}
