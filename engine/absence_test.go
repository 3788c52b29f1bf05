package engine_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

// fixedAPI responds to all requests but those to create as its fields say, and records the others.
type fixedAPI struct {
	mu      sync.Mutex
	status  int
	header  map[string]string
	body    string
	changes []string
}

func (a *fixedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/search") {
		a.changes = append(a.changes, "POST")
		respond(w, http.StatusCreated, map[string]any{"id": "7", "name": "a"})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for name, v := range a.header {
		w.Header().Set(name, v)
	}
	w.WriteHeader(cmp.Or(a.status, http.StatusOK))
	_, _ = w.Write([]byte(a.body))
}

// engine returns an engine with the resource Pet, whose text is a part of a spec.
func (a *fixedAPI) engine(t *testing.T, pet string) *engine.Engine {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`
name: "pets"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Pet: {
	inputs: name: string @replace()
	consistency: "0s"
	` + pet + `
}`)})
	if len(diags) > 0 {
		t.Fatalf("%s\n%+v", pet, diags)
	}
	program, diags := engine.Compile(doc.Provider, builtin.Families())
	if diags.HasErrors() {
		t.Fatalf("%s\n%+v", pet, diags)
	}
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// lives returns what becomes of a pet in three situations: a create of a new one ("made" or "refused"), a refresh
// ("gone", "there" or "error") and a delete ("done" or "error"). errs has the errors.
func (a *fixedAPI) lives(t *testing.T, pet string) (create, refresh, remove string, errs []error) {
	t.Helper()
	e := a.engine(t, pet)
	state := engine.State{ID: "7", Inputs: object("name", "a"), Outputs: object("name", "a")}
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("name", "a")})
	create = "refused"
	if slices.Contains(a.changes, "POST") {
		create = "made"
	}
	read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: state, Reason: engine.Refresh})
	refresh = "there"
	if read.Err != nil {
		refresh = "error"
	} else if read.Gone {
		refresh = "gone"
	}
	err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: state})
	remove = "done"
	if err != nil {
		remove = "error"
	}
	return create, refresh, remove, []error{out.Err, read.Err, err}
}

// TestPagesAreNoAbsence: a 404 that is a page neither lets a refresh forget an object, nor a create make another one, nor
// a delete count as done; unless the author says that the API responds so.
func TestPagesAreNoAbsence(t *testing.T) {
	const own = `id: "${result.body.id}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}"}
	`
	for _, tc := range []struct{ pet, page, json string }{
		{`rest: {path: "/pets", find: "GET /pets/named/${inputs.name}"}`, "refused error error", "made gone done"},
		{`rest: {path: "/pets", find: "GET /pets/named/${inputs.name}", gone: "${status == 404}"}`, "made gone done", "made gone done"},
		{`rest: {path: "/pets", id: "${inputs.name}"}`, "refused error error", "made gone done"},
		{`rest: {path: "/pets", id: "${inputs.name}", gone: "${status == 404}"}`, "made gone done", "made gone done"},
		{own + `find: http: path: "/pets/${inputs.name}"
	read: http: path: "/pets/${id}"
	delete: http: {method: "DELETE", path: "/pets/${id}"}`, "refused error error", "made gone done"},
		{own + `find: {http: path: "/pets/${inputs.name}", gone: "${status == 404}"}
	read: {http: path: "/pets/${id}", gone: "${status == 404}"}
	delete: {http: {method: "DELETE", path: "/pets/${id}"}, gone: "${status == 404}"}`, "made gone done", "made gone done"},
		{own + `find: http: {path: "/pets/${inputs.name}", response: "text"}
	read: http: {path: "/pets/${id}", response: "text"}
	delete: http: {method: "DELETE", path: "/pets/${id}", response: "text"}`, "made gone done", "made gone done"},
		{own + `find: {http: {path: "/pets/${inputs.name}", expect: [404]}, return: "${status == 404 ? null : body}"}
	read: {http: {path: "/pets/${id}", expect: [404]}, return: "${status == 404 ? null : body}"}
	delete: http: {method: "DELETE", path: "/pets/${id}", expect: [404]}`, "made gone done", "made gone done"},
	} {
		for kind, want := range map[string]string{"text/html": tc.page, "application/json": tc.json} {
			body := `{"error": "no such pet"}`
			if kind == "text/html" {
				body = "<!doctype html><title>404 of a proxy</title>"
			}
			api := &fixedAPI{status: 404, header: map[string]string{"Content-Type": kind}, body: body}
			create, refresh, remove, errs := api.lives(t, tc.pet)
			if got := fmt.Sprint(create, " ", refresh, " ", remove); got != want {
				t.Errorf("%s, %s: %s, want %s (%v)", tc.pet, kind, got, want, errs)
			}
			for _, err := range errs {
				if err != nil && !strings.Contains(err.Error(), "404 of a proxy; this is an HTML page") {
					t.Error(err)
				}
			}
		}
	}
}
