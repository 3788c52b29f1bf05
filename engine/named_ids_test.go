package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run/recorded"
)

// namedUpdate is an update without find that ends after its first step, whose response names another id.
type namedUpdate struct {
	id    string // the template of the id
	sent  string // how certain the first step is
	moves bool   // whether the server gives the object the id of the response, which otherwise is that of a job
	ends  string // how the second step ends
	down  bool   // whether read fails at that time
	next  string // what is done then
}

func (u namedUpdate) spec() string {
	return `resources: Thing: {
	inputs: {name: string, size: int}
	id: "` + u.id + `"
	consistency: "0s"
	create: {steps: [{as: "make", world: post: {key: true, what: "make", with: "${inputs.name}"}}], return: {}}
	read: world: look: {what: "get", with: "${id}"}
	update: {steps: [
		{as: "make", world: post: {` + u.sent + `what: "change", with: "${inputs.name} ${inputs.size}"}},
		{as: "wait", world: look: {what: "wait"}, fail: "${result.error}"},
	], return: {}}
	delete: world: do: {what: "remove", with: "${id}"}
}`
}

// TestIDsNamedByUpdatesThatFail: the id that the response to a step of an update names is not lost with the update. It is
// listed until read has told whether it is that of the object, and the next operation finds the object.
func TestIDsNamedByUpdatesThatFail(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"${steps.make.id}", "${result.id}", "${inputs.name}"} {
		for _, sent := range []string{"", "key: true, ", "safe: true, "} {
			for _, ends := range []string{"fails", "is refused", "is lost", "is stopped", "is late", "is killed"} {
				for _, next := range []string{"refresh", "update", "delete"} {
					for bits := range 4 {
						u := namedUpdate{id, sent, bits&1 == 0 || id == "${inputs.name}", ends, bits&2 != 0, next}
						t.Run(fmt.Sprintf("%s, %s, moves %t, the wait %s, down %t, %s", id, sent, u.moves, ends, u.down, next), func(t *testing.T) {
							t.Parallel()
							u.play(t)
						})
					}
				}
			}
		}
	}
}

func (u namedUpdate) play(t *testing.T) {
	w, now, size, down, removed := newWorld(), "a", 1, false, ""
	w.journal = t.TempDir()
	w.on("make", yields("id", "a"))
	w.hooks["change"] = func(context.Context, *actions.Call) actions.Outcome {
		size = 2
		if !u.moves {
			return yields("id", "job 1")
		}
		now = "b"
		return yields("id", now)
	}
	w.hooks["get"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		switch {
		case down:
			return failed("no service")
		case call.Args["with"] != now:
			return gone("it")
		case u.id == "${inputs.name}":
			return yields("name", now, "size", size)
		}
		return yields("name", "a", "size", size)
	}
	w.hooks["remove"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		removed, _ = call.Args["with"].(string)
		return yields()
	}
	e, _ := w.engine(t, u.spec())
	state := created(t, e, "Thing", object("name", "a", "size", 1))
	news := object("name", "a", "size", 2)
	if u.id == "${inputs.name}" {
		news = object("name", "b", "size", 2)
	}
	down = u.down
	state = u.end(t, w, engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: news})
	down = false

	all := func(journal.Subject) bool { return true }
	e, _ = w.engine(t, u.spec())
	unknown := u.down || u.ends == "is killed"
	if open := e.Unsettled(all); (len(open) > 0) != unknown {
		t.Errorf("after the update, %d are open: %+v", len(open), open)
	}
	if known := recorded.CurrentID(state) == now; !unknown && !known {
		t.Errorf("the state has the id %q, and the object %q", recorded.CurrentID(state), now)
	}
	switch u.next {
	case "refresh":
		out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Refresh, State: state})
		if out.Err != nil || out.Gone || out.State == nil || recorded.CurrentID(*out.State) != now {
			t.Fatalf("the refresh: %+v", out)
		}
		if open := e.Unsettled(all); len(open) > 0 && u.ends != "is killed" {
			t.Errorf("after the refresh, these are open: %+v", open)
		}
		state = *out.State
		fallthrough
	case "update":
		out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: news})
		if out.Err != nil || out.State == nil || recorded.CurrentID(*out.State) != now {
			t.Errorf("the next update: %+v", out)
		}
	case "delete":
		if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil || removed != now {
			t.Errorf("delete: %v, removed %q, and the object is %q", err, removed, now)
		}
	}
	if open := e.Unsettled(all); len(open) > 0 {
		t.Errorf("at last, these are open: %+v", open)
	}
}

// end runs the update, whose second step ends it, and returns the state that the host has then.
func (u namedUpdate) end(t *testing.T, w *world, req engine.UpdateRequest) engine.State {
	t.Helper()
	e, _ := w.engine(t, u.spec())
	c, k := cancellable(t, time.Minute), &killer{T: t, w: w}
	ctx, late := context.WithCancelCause(c.ctx)
	outcome, known := map[string]actions.Outcome{"fails": yields("error", "no machines left"), "is refused": refused("no")}[u.ends]
	if !known {
		outcome = actions.Outcome{Status: actions.Unknown, Err: errLost}
	}
	w.hooks["wait"] = func(context.Context, *actions.Call) actions.Outcome {
		switch u.ends {
		case "is stopped":
			c.stop(actions.ErrStopped)
		case "is late":
			late(context.DeadlineExceeded)
		case "is killed":
			k.die()
		}
		return outcome
	}
	defer late(context.Canceled)
	defer func() { w.hooks["wait"] = func(context.Context, *actions.Call) actions.Outcome { return yields() } }()
	if u.ends == "is killed" {
		k.run(func() { e.Update(ctx, req) })
		return req.State
	}
	out := e.Update(ctx, req)
	if out.Err == nil || out.State == nil {
		t.Fatalf("the update: %+v", out)
	}
	return *out.State
}
