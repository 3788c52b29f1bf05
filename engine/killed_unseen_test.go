package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// killedUnseen is a create of three steps, of which one ends with a success that nobody has seen, and whose provider is
// killed afterwards, in whichever run, or fails.
type killedUnseen struct {
	kind    string // where the id comes from: response, inputs, find (response, with a find), late (the second step)
	at      int    // the step that is spoiled
	spoiled string // unfit (its response does not fit `returns`), idle (it says that it found nothing to change), or lost (it has none)
	effect  bool   // whether it had its effect nevertheless
	moment  string // never, refused (the next step, once), before or lost (it is killed there), read (killed while it is read), handed (after the reply)
}

func (k killedUnseen) String() string {
	return fmt.Sprintf("%s, step %d %s, effect %t, then %s", k.kind, k.at, k.spoiled, k.effect, k.moment)
}

func (k killedUnseen) spec() string {
	id, first, undo, find := `"${steps.s0.body.id}"`, "", "", ""
	switch k.kind {
	case "inputs":
		id, first = `"${inputs.name}"`, "safe: true, "
	case "find":
		find = `find: {world: look: {what: "find", with: "${inputs.name}"}, return: {id: "${result.id}", n: 1}}`
	case "late":
		id, undo = `"${steps.s1.body.id}"`, `, onFailure: [{world: do: {what: "remove", with: "${inputs.name}"}}]`
	}
	of := `"${inputs.name}"`
	if k.kind == "response" {
		of = `"${steps.s0.body.id}"`
	}
	var steps []string
	for n := range 3 {
		with := of
		if n == 0 {
			with = `"${inputs.name}"`
		}
		steps = append(steps, fmt.Sprintf(`{as: "s%d", world: post: {%[2]swhat: "make%[1]d", with: %[3]s, returns: #Made}%[4]s}`, n, first, with, undo))
		first, undo = "", ""
	}
	return `#Made: {id: string, n: int}
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: ` + id + `
	consistency: "0s"
	create: {steps: [` + strings.Join(steps, ", ") + `], return: {}}
	` + find + `
	read: world: look: {what: "get", with: "${id}"}
	update: world: do: {what: "change", with: "${inputs.size}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`
}

// maker returns the step that makes the object.
func (k killedUnseen) maker() int {
	if k.kind == "late" {
		return 1
	}
	return 0
}

// unseenServer is the server of a killedUnseen.
type unseenServer struct {
	killedUnseen
	*killer
	made    [3]int // how many objects of each step exist
	spoils  bool   // whether the spoiled step is still to come
	refuses bool
	blind   bool // whether a request was lost by the kill
	runs    bool // whether a create or an update runs
}

// exists reports whether the object exists.
func (s *unseenServer) exists() bool { return s.made[s.maker()] > 0 }

func (s *unseenServer) make(n int) actions.Outcome {
	after := !s.spoils && n > s.at
	if after && s.refuses {
		s.refuses = false
		return refused("not now")
	}
	if after && s.moment == "before" {
		s.die()
	}
	spoiled := s.spoils && n == s.at
	if !spoiled || s.effect {
		if !(n == 0 && s.kind == "inputs" && s.made[0] > 0) {
			s.made[n]++
		}
	}
	if after && s.moment == "lost" && !s.dead {
		s.blind = true
		s.die()
	}
	out := yields("body", map[string]any{"id": fmt.Sprint(n + 7), "n": int64(1)})
	if s.spoils = s.spoils && !spoiled; spoiled {
		switch s.spoiled {
		case "unfit":
			body := map[string]any{"id": fmt.Sprint(n + 7), "n": "many"}
			if s.kind == "late" {
				delete(body, "id")
			}
			out = yields("body", body)
		case "lost":
			out = lost()
		case "idle":
			out.Idle = &actions.Idle{Err: errors.New("it affected nothing")}
		}
	}
	return out
}

func (k killedUnseen) play(t *testing.T) {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	s := &unseenServer{killedUnseen: k, killer: &killer{T: t, w: w}, spoils: true, refuses: k.moment == "refused"}
	for n := range 3 {
		w.hooks[fmt.Sprint("make", n)] = func(context.Context, *actions.Call) actions.Outcome { return s.make(n) }
	}
	w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		if !s.exists() {
			return gone("it")
		}
		return yields("id", "7")
	}
	w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
		if s.moment == "read" && !s.spoils && s.runs {
			s.die()
		}
		if !s.exists() {
			return gone("it")
		}
		return yields("name", "a", "size", 1)
	}
	w.hooks["remove"] = func(context.Context, *actions.Call) actions.Outcome {
		s.made[0] = 0
		return yields()
	}
	var state *engine.State
	var err error
	inputs, log := object("name", "a", "size", 1), []string{}
	for range 8 {
		e, _ := w.engine(t, k.spec())
		var out engine.Result
		s.runs = true
		killed := s.survives(func() {
			if state == nil {
				out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
			} else {
				out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *state, Inputs: inputs})
			}
			if s.moment == "handed" && !s.spoils {
				s.die()
			}
		})
		s.runs = false
		log = append(log, fmt.Sprintf("killed %t, %v: %v", killed, w.log(), out.Err))
		if killed {
			continue
		}
		if out.State != nil {
			state = out.State
		}
		if err = out.Err; err == nil {
			break
		}
		if state == nil {
			continue
		}
		read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Refresh, State: *state})
		if w.log(); read.Gone {
			state, s.made = nil, [3]int{} // what is left of it is nobody's
		}
	}
	listed := intents(t, w.journal)
	defer func() {
		if t.Failed() {
			t.Errorf("made %v, recorded %t, listed %d, runs:\n%s", s.made, state != nil, len(listed), strings.Join(log, "\n"))
		}
	}()
	for n, made := range s.made {
		again := s.blind && n == k.at+1 || k.spoiled == "lost" && n == k.at // as the documentation says
		if made > 1 && !again && (k.effect || k.at != k.maker()) {          // else these are parts of nothing
			t.Errorf("there are %[2]d objects of step %[1]d", n, made)
		}
		if err == nil && made == 0 && n != k.at {
			t.Errorf("it succeeded without step %d", n)
		}
	}
	if err == nil && (state == nil || !s.exists()) {
		t.Error("a success that nobody has seen")
	}
	if state == nil && s.made[0] > 0 && len(listed) == 0 {
		t.Error("what was made is neither recorded nor listed")
	}
}

// survives calls f, and reports whether the provider was killed in it. The world then has the copy of the journal.
func (k *killer) survives(f func()) (killed bool) {
	before := k.dead
	defer func() {
		if bug := recover(); bug != nil && bug != errKilled {
			panic(bug)
		}
		if killed = k.dead && !before; killed {
			k.w.journal = k.then
		}
	}()
	f()
	return false
}

// TestKilledCreatesThatNobodyHasSeen: a create of several steps of which one ends with a success that nobody has seen, and
// that is killed or fails afterwards, is no success before read has found the object, and makes nothing twice.
func TestKilledCreatesThatNobodyHasSeen(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"response", "inputs", "find", "late"} {
		for at := range 3 {
			for _, spoiled := range []string{"unfit", "idle", "lost"} {
				for _, effect := range []bool{true, false} {
					for _, moment := range []string{"never", "refused", "before", "lost", "read", "handed"} {
						k := killedUnseen{kind, at, spoiled, effect, moment}
						runCase(t, k.String(), func(t *testing.T) {
							t.Parallel()
							k.play(t)
						})
					}
				}
			}
		}
	}
}

// TestUpdatesWithIdleStepsThatFailLater: an update of which one step found nothing to change, and a later one fails, is no
// success of the next run unless read shows what was sent.
func TestUpdatesWithIdleStepsThatFailLater(t *testing.T) {
	t.Parallel()
	for _, effect := range []bool{true, false} {
		for _, heals := range []bool{true, false} {
			t.Run(fmt.Sprintf("effect %t, heals %t", effect, heals), func(t *testing.T) {
				t.Parallel()
				w, size := newWorld(), "1"
				s := newScene(t, w, `inputs: size: string
	id: "it"
	create: world: do: what: "make"
	read: world: look: {what: "get", with: "${id}"}
	update: steps: [
		{world: do: what: "first"},
		{world: do: {what: "put", with: "${inputs.size}"}},
		{world: do: what: "last"},
	]
	delete: world: do: {what: "remove", with: "${id}"}`)
				w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome { return yields("size", size) }
				healed := false
				w.hooks["put"] = func(_ context.Context, call *actions.Call) actions.Outcome {
					if effect || healed {
						size = fmt.Sprint(call.Args["with"])
					}
					out := yields()
					if !healed {
						out.Idle = &actions.Idle{Err: errors.New("it affected nothing")}
					}
					return out
				}
				w.on("last", refused("not now"), yields())
				state := s.create("size", "1").State
				for range 3 {
					out := s.update(state, "size", "2")
					if out.State != nil {
						state = out.State
					}
					if out.Err == nil {
						if size != "2" {
							t.Errorf("it succeeded, and the size is %s", size)
						}
						return
					}
					healed = heals
				}
				if effect || heals {
					t.Error("it does not succeed")
				}
			})
		}
	}
}
