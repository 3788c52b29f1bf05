package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// versions is a server of one thing, which changes it only under its current ETag.
// Before its first response it loses `lose` of those to a POST, with the effect done,
// and answers `blind` searches with an error after that.
type versions struct {
	mu               sync.Mutex
	thing            map[string]any
	revision         int
	lose, blind      int
	unmatched, wrong int
}

func (v *versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	tag := fmt.Sprintf(`"r%d"`, v.revision)
	switch r.Method {
	case http.MethodPost, http.MethodPut:
		switch match := r.Header.Get("If-Match"); {
		case r.Method == http.MethodPut && match == "":
			v.unmatched++
		case r.Method == http.MethodPut && match != tag:
			v.wrong++
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		_ = json.NewDecoder(r.Body).Decode(&v.thing)
		v.revision++
		if r.Method == http.MethodPost && v.lose > 0 {
			v.lose--
			panic(http.ErrAbortHandler)
		}
	case http.MethodGet:
		if v.thing == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if r.URL.Path == "/named/a" && v.blind > 0 {
			v.blind--
			w.WriteHeader(http.StatusForbidden)
			return
		}
	}
	if r.URL.Path != "/named/a" { // a search has no version
		w.Header().Set("ETag", fmt.Sprintf(`"r%d"`, v.revision))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "7", "name": v.thing["name"], "size": v.thing["size"]})
}

// TestEveryWayToAResourceHasItsETag: by whichever way a resource comes into the state,
// its first update is sent under the ETag of its current version.
func TestEveryWayToAResourceHasItsETag(t *testing.T) {
	type scene struct {
		*engine.Engine
		*testing.T
	}
	create := func(s scene, size int) engine.Result {
		return s.Create(s.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", size)})
	}
	for name, tc := range map[string]struct {
		lose, blind int
		make        func(scene) engine.Result
	}{
		"answered":              {0, 0, func(s scene) engine.Result { return create(s, 1) }},
		"found in the same run": {1, 0, func(s scene) engine.Result { return create(s, 1) }},
		"found by the next run": {1, 1, func(s scene) engine.Result { create(s, 1); return create(s, 1) }},
		"found for other inputs": {1, 1, func(s scene) engine.Result {
			create(s, 1)
			out := create(s, 2)
			out.Err = nil // that it was made with the inputs of before
			return out
		}},
		"imported": {0, 0, func(s scene) engine.Result {
			create(s, 1)
			return s.Read(s.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: "7"}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			v := &versions{lose: tc.lose, blind: tc.blind}
			server := httptest.NewServer(v)
			defer server.Close()
			w := newWorld()
			w.journal = t.TempDir()
			e, _ := w.engineWith(t, `config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${result.body.id}"
	consistency: "0s"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	find: http: path: "/named/${inputs.name}"
	read: http: path: "/things/${id}"
	update: http: {method: "PUT", path: "/things/${id}", json: "${inputs}", ifMatch: true}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`, object("endpoint", property.New(server.URL)))
			made := tc.make(scene{e, t})
			if made.Err != nil || made.State == nil {
				t.Fatalf("%+v", made)
			}
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "a", "size", 3)})
			if out.Err != nil || v.unmatched > 0 || v.wrong > 0 {
				t.Errorf("%v; without If-Match: %d, with another version's: %d", out.Err, v.unmatched, v.wrong)
			}
		})
	}
}
