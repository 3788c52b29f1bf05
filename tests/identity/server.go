package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// server has what testdata/names.cue is about, and notes what it was asked to
// change.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	things  map[string]map[string]any
	moved   map[string]string // from an address to the next
	asked   []string
	refuse  string // a change that is refused, once
	counter int
}

func start(t *testing.T) *server {
	s := &server{things: map[string]map[string]any{}, moved: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// changes are what was asked, and forgets it.
func (s *server) changes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodGet {
		ask := r.Method + " " + r.URL.Path
		s.asked = append(s.asked, ask)
		if s.refuse == ask {
			s.refuse = ""
			http.Error(w, `{"message": "not now"}`, http.StatusForbidden)
			return
		}
	}
	var body map[string]any
	_ = json.Unmarshal(raw, &body)
	path := r.URL.Path
	for s.moved[path] != "" {
		path = s.moved[path]
	}
	switch {
	case r.Method == http.MethodGet:
		s.answer(w, s.things[path])
	case path == "/things":
		s.counter++
		body["number"] = s.counter
		s.put(w, body, fmt.Sprintf("/things/%v/%v", body["owner"], body["title"]), fmt.Sprintf("/numbers/%d", s.counter))
	case path == "/pages":
		s.counter++
		body["address"] = fmt.Sprintf("p%d", s.counter)
		s.put(w, body, fmt.Sprintf("/pages/%v", body["address"]))
	case path == "/blobs":
		sum := sha256.Sum256([]byte(fmt.Sprint(body["text"])))
		body["digest"] = hex.EncodeToString(sum[:4])
		s.put(w, body, fmt.Sprintf("/blobs/%v", body["digest"]))
	case r.Method == http.MethodPut:
		s.put(w, map[string]any{"content": string(raw), "title": path[strings.LastIndex(path, "/")+1:]}, path)
	case r.Method == http.MethodPatch && s.things[path] != nil:
		for k, v := range body {
			s.things[path][k] = v
		}
		s.answer(w, s.things[path])
	case r.Method == http.MethodDelete && s.things[path] != nil:
		gone := s.things[path]
		for at, thing := range s.things {
			if fmt.Sprint(thing) == fmt.Sprint(gone) {
				delete(s.things, at)
			}
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) put(w http.ResponseWriter, thing map[string]any, at ...string) {
	for _, path := range at {
		s.things[path] = thing
	}
	s.answer(w, thing)
}

func (s *server) answer(w http.ResponseWriter, thing map[string]any) {
	if thing == nil {
		http.Error(w, `{"message": "there is none"}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(thing)
}

// move gives a page another address.
func (s *server) move(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page := s.things["/pages/"+from]
	delete(s.things, "/pages/"+from)
	page["address"] = to
	s.things["/pages/"+to] = page
	s.moved["/pages/"+from] = "/pages/" + to
}

// left is how many addresses lead to something.
func (s *server) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.things)
}

// post is a request that a user made before.
func post(t *testing.T, path, body string) *http.Request {
	return httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
}

// discard is a response that nobody reads.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
