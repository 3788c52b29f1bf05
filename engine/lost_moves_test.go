package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestLostUpdatesThatGiveAnotherID: the API gives an object another id with every update, and the response to one is lost. The inputs
// that find looks by stay the same. The object is found under its new id, changed and deleted there: none is left, and none is made twice.
func TestLostUpdatesThatGiveAnotherID(t *testing.T) {
	t.Parallel()
	for _, update := range []string{`"PATCH"`, `"POST"`} {
		for _, again := range []int{0, 1, 2} {
			t.Run(fmt.Sprintf("update: %s, %d updates after it", update, again), func(t *testing.T) {
				t.Parallel()
				api := &renumbering{objects: map[string]map[string]any{"foreign": {"id": "foreign", "name": "b", "size": 2.0}}}
				server := httptest.NewServer(api)
				defer server.Close()
				e, _ := newWorld().engine(t, `name: "test"
version: "1.0.0"
http: {baseURL: "`+server.URL+`", retry: attempts: 1}
resources: Thing: {
	inputs: {name: string, size: int}
	rest: {path: "/things", id: "id", unique: "name", update: `+update+`}
}`)
				state := created(t, e, "Thing", object("name", "a", "size", 1))
				api.lose(1)
				for size := range again + 1 {
					out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("name", "a", "size", 2+size)})
					if out.State != nil {
						state = *out.State
					}
					if size > 0 && out.Err != nil {
						t.Fatal(out.Err)
					}
				}
				if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
					t.Error(err)
				}
				if left := api.names(); !slices.Equal(left, []string{"b"}) {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}

// renumbering is an API that gives an object another id with every update.
type renumbering struct {
	mu      sync.Mutex
	objects map[string]map[string]any
	made    int
	losing  int // how many responses to updates are lost
}

func (a *renumbering) lose(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.losing = n
}

// names returns the names of all objects.
func (a *renumbering) names() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	for _, o := range a.objects {
		names = append(names, o["name"].(string))
	}
	return names
}

func (a *renumbering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id, _ := strings.CutPrefix(r.URL.Path, "/things/")
	sent := map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&sent) // a GET has none
	old, there := a.objects[id]
	var out any = old
	switch {
	case r.URL.Path == "/things" && r.Method == http.MethodGet:
		out = slices.Collect(maps.Values(a.objects))
	case r.URL.Path == "/things":
		out = a.put(sent)
	case !there:
		http.NotFound(w, r)
		return
	case r.Method == http.MethodDelete:
		delete(a.objects, id)
		out = nil
	case r.Method != http.MethodGet:
		delete(a.objects, id)
		maps.Copy(old, sent)
		out = a.put(old)
		if a.losing > 0 {
			a.losing--
			panic(http.ErrAbortHandler)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // the client may be gone
}

// put stores an object under a new id.
func (a *renumbering) put(object map[string]any) map[string]any {
	a.made++
	id := fmt.Sprint("n", a.made)
	object["id"] = id
	a.objects[id] = object
	return object
}
