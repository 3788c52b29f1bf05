package engine_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// killedCreate is a create whose provider is killed, as with SIGKILL: what follows begins with the journal as it was
// at that moment, in another process.
type killedCreate struct {
	kind   string // how its first step is found again: bare, find, key, once, inputs (a PUT to an address of the inputs), late
	steps  int    // how many steps with an effect it has
	at     int    // the step at which it is killed
	moment string // before its effect, lost (after the effect, before the response), told (after the last response), handed (after the reply)
	then   string // what the next run has: the same, other inputs, another spec
}

func (k killedCreate) String() string {
	return fmt.Sprintf("%s, %d steps, killed at %d %s, then %s", k.kind, k.steps, k.at, k.moment, k.then)
}

// madeObject is an object on the server of a killedCreate.
type madeObject struct {
	id     string
	step   int
	of     string // the id of what the first step made
	lost   bool   // made by a request without a response
	exists bool
}

// killedCreates returns all of them.
func killedCreates() (all []killedCreate) {
	for _, kind := range []string{"bare", "find", "key", "once", "inputs", "late"} {
		for steps := 1; steps <= 3; steps++ {
			if kind == "late" && steps == 1 {
				continue
			}
			for _, then := range []string{"the same", "other inputs", "another spec"} {
				for at := range steps {
					all = append(all, killedCreate{kind, steps, at, "before", then}, killedCreate{kind, steps, at, "lost", then})
				}
				all = append(all, killedCreate{kind, steps, steps - 1, "told", then}, killedCreate{kind, steps, steps - 1, "handed", then})
			}
		}
	}
	return all
}

// mayRepeat reports whether the documentation says that an object may be made a second time and the first one
// is listed nowhere: by a request whose response was lost, if it has neither a key nor a find nor a fixed address; and
// after the response to a create of one such request.
func (k killedCreate) mayRepeat(o madeObject) bool {
	plain := o.step > 0 || k.kind == "bare" || k.kind == "late"
	return plain && o.step == k.at && (o.lost || k.steps == 1)
}

func (k killedCreate) spec(changed bool) string {
	id, first, undo, find := `"${steps.s0.id}"`, "", "", ""
	switch k.kind {
	case "find":
		find = `find: world: look: {what: "find", with: "${inputs.name}"}`
	case "key":
		first = "key: true, "
	case "once":
		first = "once: true, "
	case "inputs":
		id, first = `"${inputs.name}"`, "safe: true, "
	case "late":
		id, undo = `"${steps.s1.id}"`, `, onFailure: [{world: do: {what: "remove", with: "${result.id}"}}]`
	}
	steps := []string{`{as: "s0", world: post: {` + first + `what: "make0", with: "${inputs.name} ${inputs.size}"}` + undo + `}`}
	for n := 1; n < k.steps; n++ {
		steps = append(steps, fmt.Sprintf(`{as: "s%d", world: post: {what: "make%[1]d", with: "${steps.s0.id} ${inputs.size}"}}`, n))
	}
	if changed {
		steps = append(steps, `{as: "more", world: look: what: "nothing"}`)
	}
	return `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	outputs: serial: string
	id: ` + id + `
	consistency: "0s"
	create: {steps: [` + strings.Join(steps, ", ") + `], return: {}}
	` + find + `
	read: world: look: {what: "get", with: "${id}"}
	update: world: do: {what: "change", with: "${inputs.size}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`
}

// errKilled is what a hook panics with.
const errKilled = "killed"

// killer kills a provider: what follows has the journal as it is then, and an owner that is dead.
type killer struct {
	*testing.T
	w    *world
	then string // the folder with the copy of the journal
	dead bool
}

// die kills the provider, once.
func (k *killer) die() {
	if k.dead {
		return
	}
	k.dead, k.then = true, k.TempDir()
	if err := os.CopyFS(k.then, os.DirFS(k.w.journal)); err != nil {
		k.Fatal(err)
	}
	panic(errKilled)
}

// run calls f, in which die is called. The world has the copy of the journal afterwards.
func (k *killer) run(f func()) {
	k.Helper()
	defer func() {
		if bug := recover(); bug != nil && bug != errKilled {
			panic(bug)
		}
		if !k.dead {
			k.Fatal("it was not killed")
		}
		k.w.journal = k.then
	}()
	f()
}

// play runs the create, kills it, and then acts as Pulumi does until something is recorded, or nothing more happens.
func (k killedCreate) play(t *testing.T) {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	dying := &killer{T: t, w: w}
	die := dying.die
	var all []*madeObject
	keys := map[string]*madeObject{}
	main := func(id string) *madeObject { // the object of an id of the resource
		for _, o := range all {
			if o.exists && (o.id == id || k.kind == "inputs" && o.step == 0) {
				return o
			}
		}
		return nil
	}
	for n := range k.steps {
		w.hooks[fmt.Sprint("make", n)] = func(_ context.Context, call *actions.Call) actions.Outcome {
			dies := n == k.at && !dying.dead
			if dies && k.moment == "before" {
				die()
			}
			o := &madeObject{id: fmt.Sprint(len(all) + 100), step: n, lost: dies && k.moment == "lost", exists: true}
			o.of = o.id
			if n > 0 {
				o.of, _, _ = strings.Cut(fmt.Sprint(call.Args["with"]), " ")
			}
			switch there := main("a"); {
			case n == 0 && k.kind == "key" && keys[call.Key] != nil:
				o = keys[call.Key]
			case n == 0 && k.kind == "inputs" && there != nil:
				o = there
			case n == 0 && k.kind == "once" && slices.ContainsFunc(all, func(o *madeObject) bool { return o.step == 0 && o.exists }):
				return refused("it exists")
			default:
				all = append(all, o)
			}
			if n == 0 && k.kind == "key" {
				keys[call.Key] = o
			}
			if dies && k.moment == "lost" {
				die()
			}
			return yields("id", o.id)
		}
	}
	w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		for _, o := range all {
			if o.step == 0 && o.exists {
				return yields("id", o.id, "name", "a")
			}
		}
		return gone("it")
	}
	w.hooks["get"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if k.moment == "told" {
			die()
		}
		if main(fmt.Sprint(call.Args["with"])) == nil {
			return gone("it")
		}
		return yields("name", "a", "serial", "s")
	}
	w.hooks["remove"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if o := main(fmt.Sprint(call.Args["with"])); o != nil {
			for _, part := range all {
				part.exists = part.exists && part.of != o.of
			}
		}
		return yields()
	}
	inputs := object("name", "a", "size", 1)
	e, _ := w.engine(t, k.spec(false))
	dying.run(func() {
		e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
		if k.moment == "handed" {
			die()
		}
	})
	after := w.journal
	if k.then == "other inputs" {
		inputs = object("name", "a", "size", 2)
	}
	e, _ = w.engine(t, k.spec(k.then == "another spec"))
	unsettled := len(e.Unsettled(func(journal.Subject) bool { return true }))
	state, runs, err := k.converge(t, e, inputs)

	listed := intents(t, after)
	made := map[int]int{}
	for _, o := range all {
		if !o.exists || k.mayRepeat(*o) {
			continue
		}
		made[o.step]++
		isRecorded := state != nil && main(state.ID) != nil && o.of == main(state.ID).of
		if !isRecorded && len(listed) == 0 {
			t.Errorf("nothing lists %+v", *o)
		}
	}
	for step, n := range made {
		if n > 1 {
			t.Errorf("step %d has made %d objects", step, n)
		}
	}
	handed, between := k.moment == "handed", k.at > 0 && k.moment != "handed"
	if handed && (k.steps > 1 || k.kind != "bare") && k.kind != "inputs" && (k.steps > 1 || k.kind != "once") {
		if state != nil || err == nil || len(listed) == 0 || listed[0].ID == "" || main(listed[0].ID) == nil {
			t.Errorf("what was handed is not refused with its id: %+v, %v; in the journal %+v", state, err, listed)
		}
	}
	mustWork := between && (k.kind != "late" || k.at > 1 || k.then != "another spec")
	if mustWork && (state == nil || err != nil || runs > 1 && k.then == "the same") {
		t.Errorf("not done after %d runs: %+v, %v", runs, state, err)
	}
	if between && unsettled == 0 {
		t.Error("nothing is unsettled after the kill")
	}
	if known := k.steps > 1 || k.kind != "bare"; k.moment == "told" && known && unsettled != 1 {
		t.Errorf("what no state contains is listed %d times", unsettled)
	}
	if state != nil && err == nil {
		if _, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *state, New: inputs}); err != nil {
			t.Fatal(err)
		}
		for _, i := range intents(t, after) {
			if i.Token == state.Private.Token {
				t.Errorf("it is recorded, and the journal still has %+v", i)
			}
		}
	}
}

// converge acts as Pulumi does, run by run, until a run succeeds, or nothing is recorded.
func (k killedCreate) converge(t *testing.T, e *engine.Engine, inputs property.Map) (state *engine.State, runs int, err error) {
	t.Helper()
	for runs = 1; runs < 5; runs++ {
		var out engine.Result
		if state == nil {
			out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
		} else {
			diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *state, New: inputs})
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(diff.Changes, func(c engine.Change) bool { return c.Replace }) {
				if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *state}); err != nil {
					t.Fatal(err)
				}
				state = nil
				continue
			}
			out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *state, Inputs: inputs})
		}
		if out.State != nil {
			state = out.State
			state.Inputs = inputs // as Pulumi records it
		}
		if err = out.Err; err == nil || state == nil {
			return state, runs, err
		}
	}
	return state, runs, err
}

// TestKilledCreates kills the provider at every moment of creates of one to three steps, and runs the program again: with the
// same inputs, with others, and with another spec. No object is made twice, and none is left that nothing lists.
func TestKilledCreates(t *testing.T) {
	t.Parallel()
	for _, k := range killedCreates() {
		runCase(t, k.String(), func(t *testing.T) {
			t.Parallel()
			k.play(t)
		})
	}
}
