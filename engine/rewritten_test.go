package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

// rewritingAPI keeps notes, and rewrites what it is sent.
type rewritingAPI struct {
	mu      sync.Mutex
	rewrite func(note map[string]any)
	created func(w http.ResponseWriter, note map[string]any)
	notes   map[string]map[string]any
	posts   int
}

func (a *rewritingAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/notes"), "/")
	switch {
	case r.Method == http.MethodPost, r.Method == http.MethodPut:
		note := map[string]any{}
		if err := json.NewDecoder(r.Body).Decode(&note); err != nil {
			respond(w, http.StatusBadRequest, nil)
			return
		}
		a.rewrite(note)
		if r.Method == http.MethodPost {
			a.posts++
			id = fmt.Sprint(6 + a.posts)
			defer a.created(w, note)
		}
		note["id"], a.notes[id] = id, note
	case r.Method == http.MethodDelete:
		delete(a.notes, id)
	case id == "":
		list := []any{}
		for _, note := range a.notes {
			list = append(list, note)
		}
		respond(w, http.StatusOK, list)
	case a.notes[id] == nil:
		respond(w, http.StatusNotFound, nil)
	default:
		respond(w, http.StatusOK, a.notes[id])
	}
}

// open returns an engine for a spec with one resource that talks to the API, and its journal.
func (a *rewritingAPI) open(t *testing.T, resource string) (e *engine.Engine, journal string) {
	t.Helper()
	a.notes = map[string]map[string]any{}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(`
name: "notes"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	consistency: "0s"
	` + resource + `
}`)})
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	program, diags := engine.Compile(doc.Provider, builtin.Families())
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	journal = t.TempDir()
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	return e, journal
}

// TestCreatedObjectsThatTheServerRewrites: the create succeeds, its response does not contain the id, and read shows
// another value than was sent. There was nothing before, so the object is recorded, as if the response had contained it.
func TestCreatedObjectsThatTheServerRewrites(t *testing.T) {
	responses := map[string]func(w http.ResponseWriter, note map[string]any){
		"204":         func(w http.ResponseWriter, _ map[string]any) { w.WriteHeader(http.StatusNoContent) },
		"201, empty":  func(w http.ResponseWriter, _ map[string]any) { w.WriteHeader(http.StatusCreated) },
		"202, {}":     func(w http.ResponseWriter, _ map[string]any) { respond(w, http.StatusAccepted, map[string]any{}) },
		"200, a flag": func(w http.ResponseWriter, _ map[string]any) { respond(w, http.StatusOK, map[string]any{"ok": true}) },
		"201, a part": func(w http.ResponseWriter, note map[string]any) {
			respond(w, http.StatusCreated, map[string]any{"name": note["name"]})
		},
	}
	rewrites := map[string]func(note map[string]any){
		"nothing":       func(map[string]any) {},
		"trimmed":       func(note map[string]any) { note["text"] = strings.TrimSpace(note["text"].(string)) },
		"lower case":    func(note map[string]any) { note["text"] = strings.ToLower(note["text"].(string)) },
		"masked":        func(note map[string]any) { note["text"] = "***" },
		"truncated":     func(note map[string]any) { note["text"] = "" },
		"another shape": func(note map[string]any) { note["text"] = []any{map[string]any{"line": note["text"]}} },
		"a default":     func(note map[string]any) { note["size"] = 5 },
		"another value": func(note map[string]any) { note["size"], note["text"] = 9, "b" },
	}
	specs := map[string]string{
		"rest":             `rest: {path: "/notes", unique: "name"}`,
		"without body":     `rest: {path: "/notes", unique: "name", response: "none"}`,
		"read of the list": `rest: {path: "/notes", unique: "name", response: "none", read: "list"}`,
		"own find": `id: "${result.body.id}"
	create: http: {method: "POST", path: "/notes", json: "${inputs}"}
	find: {http: {method: "GET", path: "/notes"}, return: "${find(body, #.name == inputs.name)}"}
	read: http: {method: "GET", path: "/notes/${id}"}
	delete: http: {method: "DELETE", path: "/notes/${id}"}`,
	}
	for as, respondTo := range responses {
		for what, rewrite := range rewrites {
			for how, written := range specs {
				runCase(t, how+", "+as+", "+what, func(t *testing.T) {
					t.Parallel()
					a := &rewritingAPI{rewrite: rewrite, created: respondTo}
					e, journal := a.open(t, "inputs: {name: string, text: string, size?: int}\n\t"+written)
					inputs := check(t, e, "Thing", object("name", "a", "text", " X "))
					out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
					if out.Err != nil || out.State == nil || out.State.ID != "7" {
						t.Fatalf("%+v", out)
					}
					if text := out.State.Inputs.Get("text"); !text.Equals(property.New(" X ")) {
						t.Errorf("what the program wrote is not recorded: %v", text)
					}
					for _, i := range intents(t, journal) {
						if i.Open() {
							t.Errorf("an entry is open: %+v", i)
						}
					}
					if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
						t.Error(err)
					}
					if len(a.notes) != 0 || a.posts != 1 {
						t.Errorf("%d requests to create, %d objects are left", a.posts, len(a.notes))
					}
				})
			}
		}
	}
}

// TestObjectsThatMayBeOfSomebodyElse: find does not look by the inputs, or read shows another value of one by which it
// looks. Then what it finds may be of somebody else: it stays in the journal, and the message names its id and the entry.
func TestObjectsThatMayBeOfSomebodyElse(t *testing.T) {
	const rest = `id: "${result.body.id}"
	create: http: {method: "POST", path: "/notes", json: "${inputs}"}
	read: http: {method: "GET", path: "/notes/${id}"}
	delete: http: {method: "DELETE", path: "/notes/${id}"}
	find: {http: {method: "GET", path: "/notes"}, return: `
	for name, tc := range map[string]struct {
		find, member string
		shows        any
	}{
		"the latest":                       {`"${len(body) > 0 ? body[0] : null}"`, "text", "b"},
		"the latest, of another shape":     {`"${len(body) > 0 ? body[0] : null}"`, "text", []any{"x"}},
		"by a beginning of the name":       {`"${find(body, #.name startsWith inputs.name)}"`, "name", "a of somebody else"},
		"by the name, which read reshapes": {`"${find(body, #.name == inputs.name || len(#.name) == 1)}"`, "name", []any{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &rewritingAPI{
				rewrite: func(note map[string]any) { note[tc.member] = tc.shows },
				created: func(w http.ResponseWriter, _ map[string]any) { w.WriteHeader(http.StatusNoContent) },
			}
			e, journal := a.open(t, "inputs: {name: string, text: string}\n\t"+rest+tc.find+"}")
			inputs := check(t, e, "Thing", object("name", "a", "text", "x"))
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
			if out.Err == nil || out.State != nil {
				t.Fatalf("%+v", out)
			}
			list := intents(t, journal)
			if len(list) != 1 || !list[0].Open() {
				t.Fatalf("the create is not open: %+v", list)
			}
			for _, part := range []string{`"7"`, list[0].Key, tc.member} {
				if !strings.Contains(out.Err.Error(), part) {
					t.Errorf("the error does not name %s: %v", part, out.Err)
				}
			}
		})
	}
}
