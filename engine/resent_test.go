package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
)

// TestRefusedAfterALook: find does not find what the first attempt of a create may have made, and the
// second attempt is refused. The server may refuse it because of the first, which find does not
// recognize, such as a name that the server has normalised. So the entry stays, and once find sees
// the object, it is adopted. A refusal that the server did not give says nothing.
func TestRefusedAfterALook(t *testing.T) {
	const spec = `inputs: name: string
	id: "${result.id}"
	consistency: "0s"
	create: world: post: what: "make"
	find: world: look: what: "find"
	delete: world: do: what: "remove"`
	const retried = `inputs: name: string
	id: "${result.id}"
	consistency: "0s"
	create: {world: post: what: "make", retry: {on: ["connection"], attempts: 2, backoff: "1ms"}}
	find: world: look: what: "find"
	delete: world: do: what: "remove"`
	firsts := []struct {
		name, spec string
		runs       int
		make       func(w *world, second actions.Outcome)
	}{
		{"a lost response", spec, 2, func(w *world, second actions.Outcome) { w.on("make", lost(), second) }},
		{"a killed provider", spec, 2, func(w *world, second actions.Outcome) {
			killed := false
			w.hooks["make"] = func(context.Context, *actions.Call) actions.Outcome {
				if !killed {
					killed = true
					panic("killed")
				}
				return second
			}
		}},
		{"a retry", retried, 1, func(w *world, second actions.Outcome) {
			w.on("make", actions.Outcome{Status: actions.Unknown, Err: errLost, Class: "connection", Again: true}, second)
		}},
	}
	taken := errors.New("the name is taken")
	seconds := []struct {
		name   string
		second actions.Outcome
		want   []journal.Status
	}{
		{"refused by the server", actions.Outcome{Status: actions.Refused, Err: taken, Class: "409"}, []journal.Status{journal.Unknown}},
		{"gone, says the server", actions.Outcome{Status: actions.Gone, Err: taken, Class: "404"}, []journal.Status{journal.Unknown}},
		{"not sent", actions.Refuse(taken), nil},
		{"no connection", actions.Outcome{Status: actions.Refused, Err: taken, Class: "connection"}, nil},
	}
	for _, first := range firsts {
		for _, tc := range seconds {
			t.Run(first.name+", "+tc.name, func(t *testing.T) {
				w := newWorld().on("find", gone("it"))
				first.make(w, tc.second)
				s := newScene(t, w, first.spec)
				for range first.runs {
					func() {
						defer func() { _ = recover() }()
						out := s.create("name", "a")
						if out.Err == nil || out.State != nil {
							t.Errorf("%+v", out)
							return
						}
						for _, i := range intents(t, w.journal) {
							if strings.Count(out.Err.Error(), i.Key) > 1 {
								t.Errorf("the error names the entry twice: %v", out.Err)
							}
						}
					}()
				}
				if diff := cmp.Diff(tc.want, s.statuses()); diff != "" {
					t.Errorf("in the journal (-want +got):\n%s", diff)
				}
				if tc.want == nil {
					return
				}
				w.on("find", yields("id", "7"))
				if out := s.create("name", "a"); out.Err != nil || out.State.ID != "7" {
					t.Errorf("what find finds now is not adopted: %+v", out)
				}
			})
		}
	}
}
