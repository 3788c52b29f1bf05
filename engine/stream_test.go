package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// imageServer makes an image while it streams its progress. It stops the stream after the number of
// lines in the image's name, if there is one.
type imageServer struct {
	mu    sync.Mutex
	posts int
	made  map[string]bool
}

func (s *imageServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/images/"), "id-")
	switch {
	case r.Method == "GET" && !s.made[name]:
		http.NotFound(w, r)
	case r.Method == "GET":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id": "id-%s", "name": %q}`, name, name)
	case r.Method == "POST":
		s.posts++
		cut := -1
		_, _ = fmt.Sscanf(name, "cut-%d", &cut)
		refused := strings.HasPrefix(name, "refused")
		for i, line := range []string{`{"percent": 10}`, `{"percent": 50}`, fmt.Sprintf(`{"percent": 100, "id": "id-%s"}`, name), `{"percent": -1}`} {
			if i == cut {
				s.made[name] = true
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			if refused && i == 1 {
				line = `{"percent": 50, "error": "no space"}`
			}
			fmt.Fprintln(w, line)
		}
		s.made[name] = !refused
	}
}

// TestStreamOfACreate has a create whose response is a stream: it ends with the event that `until`
// accepts, or with one that refuses it. If the stream is cut, the effect is unknown: what was made is
// found, and not made again.
func TestStreamOfACreate(t *testing.T) {
	t.Parallel()
	images := &imageServer{made: map[string]bool{}}
	server := httptest.NewServer(images)
	t.Cleanup(server.Close)
	w := newWorld()
	w.journal = t.TempDir()
	e, _ := w.engineWith(t, `
config: endpoint: string
http: baseURL: "${config.endpoint}"
#Progress: {percent: int, id?: string, error?: string}
resources: Image: {
	inputs: name: string @replace()
	id: "${body.id}"
	consistency: "0s"
	create: {
		http: {method: "POST", path: "/images/${inputs.name}", stream: "lines", returns: #Progress}
		refused:  "${body.error}"
		progress: "${body.percent}%"
		until:    "${body.id != null}"
	}
	find: {http: path: "/images/${inputs.name}", return: {percent: 100, id: "${body.id}"}}
	read: {http: path: "/images/${id}", return: name: "${body.name}"}
	delete: http: {method: "DELETE", path: "/images/${id}"}
}`, object("endpoint", property.New(server.URL)))
	create := func(name string) engine.Result {
		at := engine.Ref{Type: "Image", Name: name, Key: "urn:" + name}
		return e.Create(t.Context(), engine.CreateRequest{Ref: at, Inputs: object("name", name)})
	}
	for _, tc := range []struct {
		name, id, err string
		posts         int
	}{
		{"whole", "id-whole", "", 1},
		{"refused", "", "no space", 1},
		{"cut-1", "id-cut-1", "", 1}, // what was made is found
		{"cut-3", "id-cut-3", "", 1}, // the connection breaks after the event that ends the stream
	} {
		images.posts = 0
		out := create(tc.name)
		id := ""
		if out.State != nil {
			id = out.State.ID
		}
		if id != tc.id || images.posts != tc.posts || (out.Err == nil) != (tc.err == "") || out.Err != nil && !strings.Contains(out.Err.Error(), tc.err) {
			t.Errorf("%s: id %q after %d posts, want %q after %d; error %v, want %q", tc.name, id, images.posts, tc.id, tc.posts, out.Err, tc.err)
		}
	}
}
