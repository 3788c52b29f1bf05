package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// interruptedWait is a create or an update that ends with a wait, and is killed, or whose wait fails. What comes of it is
// known only at the end of the wait.
type interruptedWait struct {
	verb  string // create or update
	wait  string // object (of the object's status), job (that the response names), judged (only fail), own (the request itself is repeated)
	sent  string // how the request is sent: key, find, once, safe, bare
	stops string // request (killed before the response), wait (killed in the wait), fails (the wait fails)
	shows bool   // whether read shows what was sent before it is done
	then  string // what the next run has: up, or refresh and then up
	ends  string // what comes of it in the end: ready or failed
	reads bool   // whether read waits until it is ready, too
}

func (k interruptedWait) String() string {
	read := ""
	if k.reads {
		read = ", read waits"
	}
	return fmt.Sprintf("%s, wait %s, sent %s, stops in %s, shown %t, %s, ends %s%s", k.verb, k.wait, k.sent, k.stops, k.shows, k.then, k.ends, read)
}

// losesJob reports whether only the response that was lost named the job.
func (k interruptedWait) losesJob() bool {
	return k.verb == "create" && k.wait == "job" && k.sent == "find" && k.stops == "request"
}

// interruptedWaits returns all of them.
func interruptedWaits() (all []interruptedWait) {
	for _, verb := range []string{"create", "update"} {
		for _, wait := range []string{"object", "job", "judged", "own"} {
			for _, sent := range []string{"key", "find", "once", "safe", "bare"} {
				if wait == "own" && sent != "safe" || verb == "create" && sent != "key" && sent != "find" {
					continue // others are not repeated; a create without proof may be done twice
				}
				if verb == "create" && wait == "own" {
					continue // the create is repeated under its key
				}
				for _, stops := range []string{"request", "wait", "fails"} {
					for _, then := range []string{"up", "refresh, up"} {
						if verb == "create" && (stops == "fails" || then != "up") {
							continue // that is not killed; no state can be refreshed
						}
						for _, ends := range []string{"ready", "failed"} {
							for _, shows := range []bool{true, false} {
								k := interruptedWait{verb, wait, sent, stops, shows, then, ends, false}
								if all = append(all, k); k.losesJob() {
									k.reads = true
									all = append(all, k)
								}
							}
						}
					}
				}
			}
		}
	}
	return all
}

func (k interruptedWait) spec() string {
	how, find := map[string]string{"key": "key: true, ", "once": "once: true, ", "safe": "safe: true, "}[k.sent], ""
	if k.sent == "find" {
		find = `find: world: look: {what: "find", with: "${inputs.name}"}`
	}
	wait := map[string]string{
		"object": `, {world: look: {what: "poll", with: "${id}"}, until: "${result.status != 'pending'}", fail: "${result.status == 'failed' ? 'it failed' : null}", every: "1ms"}`,
		"job":    `, {world: look: {what: "poll", with: "${steps.request.job}"}, until: "${result.status != 'pending'}", fail: "${result.status == 'failed' ? 'it failed' : null}", every: "1ms"}`,
		"judged": `, {world: look: {what: "end", with: "${id}"}, fail: "${result.status == 'failed' ? 'it failed' : null}"}`,
	}[k.wait]
	own := ""
	if k.wait == "own" {
		own = `, until: "${result.status != 'pending'}", fail: "${result.status == 'failed' ? 'it failed' : null}", every: "1ms"`
	}
	steps := func(what, with string) string {
		return fmt.Sprintf(`{steps: [{as: "request", world: post: {%swhat: %q, with: %q}%s}%s], return: {}}`, how, what, with, own, wait)
	}
	waits := ""
	if k.reads {
		waits = `, until: "${result.status != 'pending'}", fail: "${result.status == 'failed' ? 'it failed' : null}", every: "1ms"`
	}
	make, change := steps("make", "${inputs}"), steps("change", "${changes}")
	if k.verb == "update" {
		make = `{world: post: {key: true, what: "make", with: "${inputs}"}, return: {}}`
	}
	return `resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${` + map[string]string{"update": "result.id", "create": "steps.request.id"}[k.verb] + `}"
	consistency: "0s"
	create: ` + make + `
	` + find + `
	read: {world: look: {what: "get", with: "${id}"}` + waits + `}
	update: ` + change + `
	delete: world: do: {what: "remove", with: "${id}"}
}`
}

// waitingServer has one object, whose status is known some requests after it was changed.
type waitingServer struct {
	interruptedWait
	*world
	killer        *killer
	made, changed int
	keys          map[string]bool
	size, was     any    // what was sent, and what was there before
	status, ends  string // the status, and the one that it has at its end
	asked, polls  int
	empty         bool // an update without a change was sent
}

// send begins what a request asks for.
func (s *waitingServer) send(call *actions.Call, stops bool) actions.Outcome {
	if s.status != "pending" || s.wait != "own" {
		if with, ok := call.Args["with"].(map[string]any); ok && with["size"] != nil {
			s.was, s.size = s.size, with["size"]
		} else {
			s.empty = true
		}
		s.status, s.asked = "pending", 0
	} else {
		if stops && s.stops == "wait" {
			s.killer.die()
		}
		s.ask()
	}
	if stops && s.stops == "request" {
		s.killer.die()
	}
	return yields("id", "7", "job", fmt.Sprint("job ", s.changed), "status", s.status)
}

// ask counts a question for the status.
func (s *waitingServer) ask() {
	if s.asked++; s.asked > 2 {
		s.status = s.ends
	}
}

// install lets the world be the server.
func (s *waitingServer) install() {
	w := s.world
	w.hooks["make"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if s.made == 0 || !s.keys[call.Key] {
			s.made++
		}
		s.keys[call.Key] = true
		if s.verb == "update" {
			s.size, s.status = call.Args["with"].(map[string]any)["size"], "ready"
			return yields("id", "7")
		}
		if s.made == 1 && s.status != "" {
			return yields("id", "7", "job", "job 0", "status", s.status)
		}
		return s.send(call, true)
	}
	w.hooks["change"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		s.changed++
		return s.send(call, s.verb == "update")
	}
	w.hooks["poll"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if s.stops == "wait" {
			s.killer.die()
		}
		if call.Args["with"] == nil {
			s.killer.T.Error("asked for the status of nothing")
		}
		s.polls++
		s.ask()
		return yields("status", s.status, "id", "7", "name", "a", "size", s.size)
	}
	w.hooks["end"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		if s.stops == "wait" {
			s.killer.die()
		}
		s.status = s.ends
		return yields("status", s.status)
	}
	w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
		size := s.size
		if !s.shows && s.status == "pending" && s.was != nil {
			size = s.was
		}
		if s.reads {
			s.ask()
		}
		return yields("id", "7", "name", "a", "size", size, "status", s.status)
	}
	w.hooks["find"] = func(context.Context, *actions.Call) actions.Outcome {
		if s.made == 0 {
			return gone("it")
		}
		return yields("id", "7", "name", "a", "size", s.size)
	}
}

func (k interruptedWait) play(t *testing.T) {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	s := &waitingServer{interruptedWait: k, world: w, killer: &killer{T: t, w: w}, keys: map[string]bool{}, ends: k.ends}
	s.install()
	e, _ := w.engine(t, k.spec())
	inputs := object("name", "a", "size", 1)
	var state *engine.State
	up := func() error {
		var out engine.Result
		if state == nil {
			out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
		} else {
			out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *state, Inputs: inputs})
		}
		if out.State != nil {
			state = out.State
		}
		return out.Err
	}
	if k.verb == "update" {
		if err := up(); err != nil {
			t.Fatal(err)
		}
		inputs = object("name", "a", "size", 2)
	}
	if k.stops == "fails" {
		s.ends = "failed"
		if err := up(); err == nil {
			t.Fatal("a wait that fails is reported as done")
		}
		if s.ends = k.ends; k.ends == "ready" {
			s.status = "ready"
		}
	} else {
		s.killer.run(func() { _ = up() })
	}
	e, _ = w.engine(t, k.spec())
	if k.then != "up" {
		seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *state, Reason: engine.Refresh})
		if seen.Err != nil {
			t.Fatal(seen.Err)
		}
		state = seen.State
	}
	s.empty = false
	sent := s.changed
	err := up()
	if k.stops == "fails" && k.wait != "own" && s.changed != sent {
		t.Error("what was done is sent again")
	}
	if k.losesJob() && !k.reads {
		err = s.settleByHand(t, e, state, err, up)
	}
	if k.ends == "ready" && (err != nil || s.status != "ready") {
		t.Errorf("it is %s, and the result is %v", s.status, err)
	}
	if k.ends == "failed" && err == nil {
		t.Errorf("it is recorded as done, and is %s", s.status)
	}
	if s.made != 1 {
		t.Errorf("it was made %d times", s.made)
	}
	if s.empty {
		t.Error("an update that changes nothing was sent")
	}
}

// settleByHand requires that a create whose wait cannot be asked for fails, keeps the object, and sends nothing, however often it is run. Then
// it does what the error says: the object is imported once it is ready, and made anew if it is not.
func (s *waitingServer) settleByHand(t *testing.T, e *engine.Engine, state *engine.State, err error, up func() error) error {
	t.Helper()
	for range 2 {
		if err == nil || state == nil || state.ID != "7" || state.Private.Failed == nil {
			t.Fatalf("it is not kept as half made: %+v, %v", state, err)
		}
		diff, failed := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *state, New: state.Inputs})
		if failed != nil || !diff.Force || slices.ContainsFunc(diff.Changes, func(c engine.Change) bool { return c.Replace }) {
			t.Errorf("the next up would replace it, or not look again: %+v, %v", diff, failed)
		}
		err = up()
	}
	if s.polls > 0 || s.changed > 0 {
		t.Errorf("%d polls and %d updates were sent", s.polls, s.changed)
	}
	if s.status = s.ends; s.status == "failed" {
		return err
	}
	seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}, Reason: engine.Import})
	if seen.Err != nil {
		return seen.Err
	}
	return e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *seen.State, Inputs: state.Inputs}).Err
}

// TestInterruptedWaits: a create or an update that was killed in its wait, or before it, or whose wait failed, is not done
// before the wait is: whatever read shows by then. Nothing is made twice, and no update is sent that changes nothing.
func TestInterruptedWaits(t *testing.T) {
	t.Parallel()
	for _, k := range interruptedWaits() {
		runCase(t, k.String(), func(t *testing.T) {
			t.Parallel()
			k.play(t)
		})
	}
}
