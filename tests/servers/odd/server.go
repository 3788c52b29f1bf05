// Package odd tests that a spec alone can serve APIs with the habits that make
// providers hard to write: testdata/odd.cue has a resource for each.
package odd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// server is an API with habits, on loopback. It is safe for concurrent use.
type server struct {
	URL string

	mu       sync.Mutex
	next     int
	things   map[string]map[string]any // by path: /notes/a
	requests []string                  // what was asked to change something
}

func start(t *testing.T) *server {
	t.Helper()
	s := &server{things: map[string]map[string]any{}}
	mux := http.NewServeMux()
	s.notes(mux)
	s.jobs(mux)
	s.documents(mux)
	s.accounts(mux)
	s.uploads(mux)
	s.offers(mux)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			say(w, http.StatusBadRequest, map[string]any{"message": "the body cannot be read"})
			return
		}
		if r.Method != http.MethodGet {
			s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body)))
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// changes are the requests since the last call that were no GET, with their
// bodies.
func (s *server) changes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.requests
	s.requests = nil
	return out
}

// alter changes a thing behind everybody's back; null removes it.
func (s *server) alter(path string, changes map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if changes == nil {
		delete(s.things, path)
		return
	}
	for name, value := range changes {
		s.things[path][name] = value
	}
}

// thing is what is at a path, nil where nothing is.
func (s *server) thing(path string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.things[path]
}

func (s *server) number(prefix string) string {
	s.next++
	return fmt.Sprintf("%s%d", prefix, s.next)
}

// show answers with what is at the request's path.
func (s *server) show(w http.ResponseWriter, r *http.Request) {
	thing := s.things[r.URL.Path]
	if thing == nil {
		say(w, http.StatusNotFound, map[string]any{"message": "nothing here"})
		return
	}
	say(w, http.StatusOK, thing)
}

// remove takes away what is at the request's path.
func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	if s.things[r.URL.Path] == nil {
		say(w, http.StatusNotFound, map[string]any{"message": "nothing here"})
		return
	}
	delete(s.things, r.URL.Path)
	w.WriteHeader(http.StatusNoContent)
}

// search answers with the things of a kind that have a member of that value.
func (s *server) search(w http.ResponseWriter, r *http.Request) {
	items := []any{}
	for path, thing := range s.things {
		for name, values := range r.URL.Query() {
			if strings.HasPrefix(path, r.URL.Path+"/") && thing[name] == values[0] {
				items = append(items, thing)
			}
		}
	}
	say(w, http.StatusOK, map[string]any{"items": items})
}

// object is the JSON object of a request; what is none is empty.
func object(r *http.Request) map[string]any {
	v := map[string]any{}
	if json.NewDecoder(r.Body).Decode(&v) != nil {
		return map[string]any{}
	}
	return v
}

func say(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The other side may have gone; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(body)
}
