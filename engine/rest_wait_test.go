package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

// TestWaitsThatFail: what a server has begun fails at its end, or never ends, in a create, an update or a delete. The run
// after that only asks again, except that a delete is sent again. Then everything succeeds, and nothing is there twice. The
// API gives the object another ETag when it is ready, and requires it.
func TestWaitsThatFail(t *testing.T) {
	t.Parallel()
	for _, unwrap := range []string{"", "data"} {
		for _, returns := range []string{"", "returns: #Pet, "} {
			for _, update := range []string{"PATCH", "PUT", "POST"} {
				for _, ends := range []string{"fails", "never"} {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", unwrap, returns, update, ends), func(t *testing.T) {
						t.Parallel()
						w := &waitWorld{api: &restAPI{restHabits: restHabits{id: []string{"id"}, update: update, async: true, guarded: true}}, ends: ends}
						if unwrap != "" {
							w.api.unwrap, w.api.items = []string{unwrap}, []string{unwrap}
						}
						w.play(t, returns)
					})
				}
			}
		}
	}
}

// waitWorld is an API that is broken at times.
type waitWorld struct {
	api  *restAPI
	ends string // what a broken API does: "fails" or "never"
	// patient waits as long as a slow machine needs, and hasty does not.
	patient, hasty *engine.Engine
}

// breaks lets what gives objects a status go wrong from now on, and returns the engine to use.
func (w *waitWorld) breaks(status string) *engine.Engine {
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	w.api.broken, w.api.stuck = status, "-"
	if status == "" {
		w.api.broken = "-"
	} else if w.ends == "never" {
		w.api.broken, w.api.stuck = "-", status
		return w.hasty
	}
	return w.patient
}

// sent returns the methods of the requests that change something.
func (w *waitWorld) sent() string {
	var methods []string
	for _, line := range w.api.requests() {
		if method, _, _ := strings.Cut(line, " "); method != "GET" {
			methods = append(methods, method)
		}
	}
	return strings.Join(methods, " ")
}

// configure serves the API, and configures the engines.
func (w *waitWorld) configure(t *testing.T, returns string) {
	t.Helper()
	member := "body"
	if w.api.unwrap != nil {
		returns += `unwrap: "data", `
		member = "body.data"
	}
	wait := "until: \"${" + member + ".status == 'available'}\", fail: \"${" + member + ".status == 'error' ? 'it failed' : null}\""
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`
name: "pets"
version: "1.0.0"
config: {endpoint: string, every: string, timeout: string}
http: baseURL: "${config.endpoint}"
#Pet: {id: string, name: string, kind: string, status: string}
resources: Pet: {
	inputs: {name: string @replace(), kind: string}
	outputs: status: string
	rest: {path: "/pets", unique: "name", ifMatch: true, update: "` + w.api.update + `", ` + returns + `wait: {` + wait + `, every: "${config.every}", timeout: "${config.timeout}"}}
}`)})
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	program, diags := engine.Compile(doc.Provider, builtin.Families())
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	server := w.api.serve()
	t.Cleanup(server.Close)
	options := engine.Options{Dir: t.TempDir(), Journal: t.TempDir()}
	configure := func(every, timeout string) *engine.Engine {
		e, err := program.Configure(t.Context(), object("endpoint", server.URL, "every", every, "timeout", timeout), options)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	w.patient, w.hasty = configure("1ms", "1m"), configure("50ms", "1s")
}

// play creates, changes and deletes an object, each first while the API is broken.
func (w *waitWorld) play(t *testing.T, returns string) {
	w.configure(t, returns)
	inputs := object("name", "Rex", "kind", "dog")
	made := w.breaks("pending").Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: inputs})
	if made.Err == nil {
		t.Fatalf("a create that did not end: %+v", made.State)
	}
	e := w.breaks("")
	if made.State == nil {
		t.Fatalf("nothing is kept: %v", made.Err)
	}
	resumed := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *made.State, Inputs: inputs})
	w.check(t, "create", resumed.State, resumed.Err, "POST")

	inputs = object("name", "Rex", "kind", "cat")
	changed := w.breaks("pending").Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *resumed.State, Inputs: inputs})
	if changed.Err == nil || changed.State == nil {
		t.Fatalf("an update that did not end: %+v", changed)
	}
	changed = w.breaks("").Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: *changed.State, Inputs: inputs})
	w.check(t, "update", changed.State, changed.Err, w.api.update)

	want := "DELETE"
	if w.ends == "never" { // a delete does not see whether the object has failed
		want = "" // it was done, and the next delete only waits for its end
		if err := w.breaks("deleting").Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: *changed.State}); err == nil {
			t.Fatal("a delete that did not end is reported as done")
		}
		w.sent()
	}
	err := w.breaks("").Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: *changed.State})
	if sent := w.sent(); err != nil || sent != want || len(w.api.objects) > 0 {
		t.Errorf("delete: %v, sent %s; left %v", err, sent, w.api.objects)
	}
}

// check checks what has come of the second attempt, and what both have sent.
func (w *waitWorld) check(t *testing.T, what string, state *engine.State, err error, want string) {
	t.Helper()
	if sent := w.sent(); err != nil || sent != want {
		t.Fatalf("%s: %v, sent %s, want %s", what, err, sent, want)
	}
	if status := state.Outputs.Get("status"); !status.Equals(property.New("available")) || state.Private.Failed != nil || len(w.api.objects) != 1 {
		t.Errorf("%s: status %v, state %+v, objects %v", what, status, state, w.api.objects)
	}
}
