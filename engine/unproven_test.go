package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// namingAPI makes objects that it calls by a name of its own. It is safe for concurrent use.
type namingAPI struct {
	mu      sync.Mutex
	names   string // "given", "slug" or "number"
	empty   bool   // whether it responds to a POST without a body
	objects map[string]map[string]any
	posts   int
	gets    int
}

func (a *namingAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := path.Base(r.URL.Path)
	object := map[string]any{}
	if r.Method == http.MethodPost || r.Method == http.MethodPut {
		if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
			respond(w, http.StatusBadRequest, nil)
			return
		}
	}
	switch r.Method {
	case http.MethodPost:
		a.posts++
		key, named := object["name"].(string)
		if !named {
			key = name
		}
		switch a.names {
		case "slug":
			key = strings.ToLower(key)
		case "number":
			key = fmt.Sprint(100 + a.posts)
		}
		object["id"] = key
		a.objects[key] = object
		if a.empty {
			w.WriteHeader(http.StatusCreated)
			return
		}
		respond(w, http.StatusCreated, object)
	case http.MethodPut:
		a.objects[name] = object
		respond(w, http.StatusOK, object)
	case http.MethodGet:
		a.gets++
		if a.objects[name] == nil {
			respond(w, http.StatusNotFound, nil)
			return
		}
		respond(w, http.StatusOK, a.objects[name])
	case http.MethodDelete:
		if a.objects[name] == nil {
			respond(w, http.StatusNotFound, nil)
			return
		}
		delete(a.objects, name)
		w.WriteHeader(http.StatusNoContent)
	}
}

// TestObjectsUnderOtherNames: if the program chooses the id and the service another one, the create fails, and nothing
// creates a second object; whatever the service responds with, and however the spec says it. What is lost is said.
func TestObjectsUnderOtherNames(t *testing.T) {
	t.Parallel()
	forms := map[string]string{
		"rest":    `rest: {path: "/things", id: "${inputs.name}"}`,
		"outputs": `outputs: {size?: int}` + "\n" + `rest: {path: "/things", id: "${inputs.name}"}`,
		"own": `id: "${inputs.name}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}`,
		"mixed": `id: "${config.endpoint}-${inputs.name}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${inputs.name}"
	delete: http: {method: "DELETE", path: "/things/${inputs.name}"}`,
		"steps": `id: "${inputs.name}"
	create: steps: [{http: {method: "POST", path: "/things", json: "${inputs}"}}, {http: {method: "POST", path: "/things/x/check", json: name: "x"}}]
	read: http: path: "/things/${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}`,
	}
	for form, text := range forms {
		for _, names := range []string{"given", "slug", "number"} {
			for _, empty := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s %v", form, names, empty), func(t *testing.T) {
					t.Parallel()
					api := &namingAPI{names: names, empty: empty, objects: map[string]map[string]any{}}
					book := t.TempDir()
					e := petEngineWith(t, api, text, book)
					log := &messages{}
					req := engine.CreateRequest{Ref: ref("Pet"), Inputs: object("name", "My")}
					made := e.Create(t.Context(), req)
					if made.State == nil || (made.Err == nil) != (names == "given") {
						t.Fatalf("%+v", made)
					}
					if names == "given" {
						return
					}
					posts := api.posts
					again := e.Update(t.Context(), engine.UpdateRequest{Ref: req.Ref, State: *made.State, Inputs: req.Inputs})
					if again.Err == nil || api.posts != posts {
						t.Errorf("%d more requests to create: %+v", api.posts-posts, again)
					}
					if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: req.Ref, State: *made.State, Log: log}); err != nil || len(log.texts) == 0 {
						t.Errorf("a delete says %q: %v", log.texts, err)
					}
					log = &messages{}
					if out := e.Read(t.Context(), engine.ReadRequest{Ref: req.Ref, State: *made.State, Reason: engine.Refresh, Log: log}); !out.Gone || len(log.texts) == 0 {
						t.Errorf("a refresh says %q: %+v", log.texts, out)
					}
					listed := slices.DeleteFunc(intents(t, book), func(i journal.Intent) bool { return i.Status != journal.Failed })
					if len(listed) != 1 || listed[0].ID != made.State.ID || listed[0].Error == "" {
						t.Fatalf("what may be left is listed as %+v", listed)
					}
					api.names, api.empty = "given", false // another object, which read finds
					if made := e.Create(t.Context(), engine.CreateRequest{Ref: req.Ref, Inputs: object("name", "Other")}); made.Err != nil {
						t.Errorf("the next create: %v", made.Err)
					}
					if still := intents(t, book); !slices.ContainsFunc(still, func(i journal.Intent) bool { return i.Key == listed[0].Key }) {
						t.Errorf("after the next create: %+v", still)
					}
				})
			}
		}
	}
}

// TestAddressedObjectsAreNotReadAgain: a create that is sent to the address of its object, or whose id the response
// gives, needs no read to know the object.
func TestAddressedObjectsAreNotReadAgain(t *testing.T) {
	t.Parallel()
	for form, gets := range map[string]int{
		`rest: {path: "/things", id: "${inputs.name}", create: "POST /things/${inputs.name}"}`: 1, // find
		`rest: {path: "/things", id: "${inputs.name}", create: "PUT"}`:                         1,
		`rest: {path: "/things", id: "${inputs.name}"}`:                                        2,
		`rest: {path: "/things", idempotencyKey: true}`:                                        0,
	} {
		api := &namingAPI{names: "given", objects: map[string]map[string]any{}}
		e := petEngine(t, api, form)
		if made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("name", "My")}); made.Err != nil || api.gets != gets {
			t.Errorf("%s: %d requests, want %d: %v", form, api.gets, gets, made.Err)
		}
	}
}
