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

	"github.com/declprov/declprov/engine"
)

// untaggedDelete is the delete of what a create has left that failed, with `ifMatch: true`.
type untaggedDelete struct {
	// undone is true if the create was undone as far as its object goes.
	undone bool
	// tagged is true if the responses to changes have an ETag, and not those to reads only.
	tagged bool
	// gone is true if somebody else has removed the object since.
	gone bool
	// refreshed is true if a refresh comes before the delete.
	refreshed bool
	// steps are what the delete does: one request, or a read and a request.
	steps string
}

func (d untaggedDelete) String() string {
	return fmt.Sprintf("undone %v, tagged %v, gone %v, refreshed %v, %s", d.undone, d.tagged, d.gone, d.refreshed, d.steps)
}

// taggedService has one object, and requests for a part of it that are refused.
type taggedService struct {
	mu      sync.Mutex
	there   bool
	tagged  bool
	removes []string // what If-Match was in the requests to remove it
}

func (s *taggedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if s.tagged || r.Method == http.MethodGet {
		w.Header().Set("ETag", `"1"`)
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/part"):
		w.WriteHeader(http.StatusForbidden)
	case r.Method == http.MethodPost:
		s.there = true
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "7"})
	case !s.there:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodDelete:
		s.there, s.removes = false, append(s.removes, r.Header.Get("If-Match"))
		w.WriteHeader(http.StatusNoContent)
	default:
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "7", "name": "a"})
	}
}

func (d untaggedDelete) spec() string {
	undo := ""
	if d.undone {
		undo = `, onFailure: [{http: {method: "DELETE", path: "/things/${steps.it.body.id}"}}]`
	}
	before := ""
	if d.steps == "look remove" {
		before = `{http: path: "/parents/1", if: false}, `
	}
	return `config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: name: string
	id: "${steps.it.body.id}"
	create: {steps: [
		{as: "it", http: {method: "POST", path: "/things", json: "${inputs}"}` + undo + `},
		{http: {method: "PUT", path: "/notes/${inputs.name}"}},
		{http: {method: "PUT", path: "/things/${steps.it.body.id}/part"}},
	], return: "${null}"}
	read: http: path: "/things/${id}"
	update: http: {method: "PATCH", path: "/things/${id}", json: "${changes}", ifMatch: true}
	delete: steps: [` + before + `{http: {method: "DELETE", path: "/things/${id}", ifMatch: true}}]
}`
}

func (d untaggedDelete) play(t *testing.T) {
	s := &taggedService{tagged: d.tagged}
	mux := http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("/notes/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	server := httptest.NewServer(mux)
	defer server.Close()
	w := newWorld()
	w.journal = t.TempDir()
	e, _ := w.engineWith(t, d.spec(), object("endpoint", property.New(server.URL)))
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if out.State == nil || out.Err == nil {
		t.Fatalf("the create leaves no state: %+v", out)
	}
	state := *out.State
	s.mu.Lock()
	s.there, s.removes = s.there && !d.gone, nil
	there := s.there
	s.mu.Unlock()
	if d.refreshed {
		read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		switch {
		case read.Err != nil:
			t.Fatal(read.Err)
		case read.Gone:
			return
		}
		state = *read.State
	}
	err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state})
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !there && (err != nil || len(s.removes) > 0):
		t.Errorf("nothing is there, and the delete says %v", err)
	case there && !d.refreshed && (err == nil || !strings.Contains(err.Error(), "pulumi refresh") || !s.there):
		t.Errorf("nothing has shown its ETag since the last request of the create, and the delete says %v", err)
	case there && d.refreshed && (err != nil || s.there || s.removes[0] != `"1"`):
		t.Errorf("the delete says %v; If-Match %q", err, s.removes)
	}
}

// TestUntaggedDeletes: what is gone can be deleted, also if the delete would send an ETag that no read can show. What is there is deleted with
// the ETag of the last read only.
func TestUntaggedDeletes(t *testing.T) {
	t.Parallel()
	for _, undone := range []bool{false, true} {
		for _, tagged := range []bool{false, true} {
			for _, gone := range []bool{false, true} {
				for _, refreshed := range []bool{false, true} {
					for _, steps := range []string{"remove", "look remove"} {
						d := untaggedDelete{undone, tagged, gone, refreshed, steps}
						t.Run(d.String(), func(t *testing.T) {
							t.Parallel()
							d.play(t)
						})
					}
				}
			}
		}
	}
}
