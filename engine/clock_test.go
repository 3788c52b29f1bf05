package engine_test

import (
	"testing"
	"time"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// TestClockThatWasAhead records the times of a create with a clock that is ahead by hours. Later runs wait
// for no longer than `consistency`.
func TestClockThatWasAhead(t *testing.T) {
	t.Parallel()
	spec := `resources: Thing: {
	inputs: name: string
	id: "${result.id}"
	consistency: "50ms"
	create: {world: post: {what: "make", with: "${inputs.name}"}, retry: attempts: 1}
	find: world: look: what: "find"
	read: world: look: what: "read"
	delete: world: do: what: "remove"
}`
	ahead := time.Now().Add(5 * time.Hour)
	state := engine.State{ID: "7", Inputs: object("name", "a"), Outputs: object("name", "a")}
	state.Private.VisibleBy = ahead
	calls := map[string]func(t *testing.T, w *world, e *engine.Engine) error{
		"refresh": func(t *testing.T, _ *world, e *engine.Engine) error {
			t.Helper()
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state})
			if !out.Gone {
				t.Errorf("%+v", out)
			}
			return out.Err
		},
		"delete": func(t *testing.T, _ *world, e *engine.Engine) error {
			t.Helper()
			return e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state})
		},
		"create again": func(t *testing.T, w *world, e *engine.Engine) error {
			t.Helper()
			w.on("make", lost(), yields("id", "7"))
			if out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")}); out.Err == nil {
				t.Errorf("%+v", out)
			}
			for _, i := range intents(t, w.journal) {
				i.Began, i.Sent = ahead, ahead
				if err := journal.Open(w.journal).Put(i, false); err != nil {
					t.Fatal(err)
				}
			}
			return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")}).Err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld().on("find", gone("it")).on("read", gone("it"))
			w.journal = t.TempDir()
			e, _ := w.engine(t, spec)
			done := make(chan error, 1)
			go func() { done <- call(t, w, e) }()
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Error("it waits for the clock of then")
			}
		})
	}
}
