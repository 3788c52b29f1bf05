// Package signing has the values that Pulumi treats specially (its signature keys, and
// markers of unknown values), and a server that returns them.
package signing

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
)

// Markers are all texts that stand for unknown values.
var Markers = []string{
	"04da6b54-80e4-46f7-96ec-b56ff0331ba9", "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
	"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", "030794c1-ac77-496b-92df-f27374a8bd58", "e48ece36-62e2-4504-bad9-02848725956a",
	"dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
}

// Payloads returns values that Pulumi would interpret as special, by kind. canary is a file
// and url a URL that must not be read.
func Payloads(canary, url string) map[string]any {
	out := map[string]any{
		"asset of a file":    map[string]any{sig.Key: sig.AssetSig, "path": canary},
		"asset of a URL":     map[string]any{sig.Key: sig.AssetSig, "uri": url},
		"asset of a text":    map[string]any{sig.Key: sig.AssetSig, "text": "x", "hash": "0"},
		"archive of a file":  map[string]any{sig.Key: sig.ArchiveSig, "path": canary},
		"archive of assets":  map[string]any{sig.Key: sig.ArchiveSig, "assets": map[string]any{"a": map[string]any{sig.Key: sig.AssetSig, "path": canary}}},
		"secret":             map[string]any{sig.Key: sig.Secret, "value": "x"},
		"resource reference": map[string]any{sig.Key: sig.ResourceReference, "urn": "urn:pulumi:dev::p::signed:index:Thing::other", "id": "1"},
		"output":             map[string]any{sig.Key: sig.OutputValue, "value": "x", "secret": true, "dependencies": []any{}},
		"unknown output":     map[string]any{sig.Key: sig.OutputValue},
		"bytes":              map[string]any{sig.Key: sig.ByteString, "value": "eA=="},
		"no signature":       map[string]any{sig.Key: "x"},
		"no text":            map[string]any{sig.Key: 1},
		"null":               map[string]any{sig.Key: nil},
		"a marker's name":    map[string]any{Markers[0]: 1},
	}
	for i, m := range Markers {
		out[fmt.Sprintf("marker %d", i)] = m
	}
	return out
}

// Wrap nests a value in lists and maps, alternately, to a depth.
func Wrap(v any, depth int) any {
	for i := range depth {
		if i%2 == 0 {
			v = map[string]any{"a": 1, "k": v}
		} else {
			v = []any{"a", v}
		}
	}
	return v
}

// Places returns a value in each output that has room for it.
func Places(v any) map[string]any {
	return map[string]any{
		"data": v, "open": map[string]any{"x": v}, "members": map[string]any{"x": v}, "list": []any{v}, "texts": map[string]any{"x": v},
		"names": []any{v}, "text": v, "union": v, "either": map[string]any{"kind": "a", "value": v},
		"closed": map[string]any{"inside": 1, "deep": map[string]any{"x": []any{map[string]any{"value": v}}}},
		"asset":  v, "archive": v, "hidden": v,
	}
}

// Server is a server whose responses contain the configured members.
type Server struct {
	*httptest.Server
	mu sync.Mutex
	// said are the members of responses, by method and name. things are the existing objects.
	said          map[string]map[string]any
	things        map[string]bool
	made, touched int
}

// New starts a server.
func New(t *testing.T) *Server {
	t.Helper()
	s := &Server{said: map[string]map[string]any{}, things: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Say adds the members to the responses to these methods.
func (s *Server) Say(name string, members map[string]any, methods ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, method := range methods {
		s.said[method+" "+name] = members
	}
}

// ServeHTTP responds with the configured members.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	name := parts[len(parts)-1]
	if parts[0] == "canary" {
		s.touched++
	}
	if len(parts) == 3 {
		name = parts[1]
	}
	method := r.Method
	switch {
	case r.Method == "POST":
		var made struct{ Name string }
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &made)
		name = made.Name
		s.made++
		s.things[name] = true
	case r.Method == "DELETE":
		delete(s.things, name)
	case parts[0] == "lists":
		method = "LIST"
	case len(parts) == 3:
		method = "ASK"
	}
	answer := map[string]any{"id": name, "serial": "s-" + name, "name": name}
	for k, v := range s.said[method+" "+name] {
		answer[k] = v
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// CountThings returns the number of existing objects.
func (s *Server) CountThings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.things)
}

// CountMade returns how many objects were ever created.
func (s *Server) CountMade() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

// CountTouched returns the number of requests that must not be sent.
func (s *Server) CountTouched() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.touched
}
