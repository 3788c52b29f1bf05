package styles

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// broker emulates RabbitMQ's HTTP API, for queues and policies of the virtual host "/".
type broker struct {
	mu      sync.Mutex
	objects map[string]map[string]any // by path: "queues/%2F/jobs"
}

func startBroker(t *testing.T) []style {
	t.Helper()
	b := &broker{objects: map[string]map[string]any{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return []style{{
		page: "message-broker", provider: "rabbit", resource: "Queue",
		env:     []string{"RABBIT_ENDPOINT=" + server.URL, "RABBIT_USER=ada", "RABBIT_PASSWORD=pass:word"},
		created: "name: jobs/new, maxLength: 10", updated: "name: jobs/new, ttl: 5000", replaced: "name: jobs/new, kind: classic",
		had: [3][]string{
			{"policies/%2F/queue-jobs%2Fnew map[max-length:10]", "queues/%2F/jobs%2Fnew map[x-queue-type:quorum]"},
			{"policies/%2F/queue-jobs%2Fnew map[message-ttl:5000]", "queues/%2F/jobs%2Fnew map[x-queue-type:quorum]"},
			{"queues/%2F/jobs%2Fnew map[x-queue-type:classic]"},
		},
		things: func(*testing.T) (out []string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			for _, path := range slices.Sorted(maps.Keys(b.objects)) {
				o := b.objects[path]
				out = append(out, fmt.Sprint(path, " ", o[map[bool]string{true: "arguments", false: "definition"}[strings.HasPrefix(path, "queues/")]]))
			}
			return out
		},
		drift: func(*testing.T) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.objects["policies/%2F/queue-jobs%2Fnew"]["definition"] = map[string]any{"max-length": 99}
		},
	}}
}

func (b *broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/")
	object := b.objects[path]
	if user, password, _ := r.BasicAuth(); user != "ada" || password != "pass:word" {
		respond(w, http.StatusUnauthorized, map[string]any{"error": "not_authorized", "reason": "Login failed"})
		return
	}
	switch {
	case r.Method == http.MethodPut:
		var sent map[string]any
		if json.NewDecoder(r.Body).Decode(&sent) != nil {
			respond(w, http.StatusBadRequest, map[string]any{"error": "bad_request", "reason": "not_json"})
			return
		}
		if definition, ok := sent["definition"].(map[string]any); ok && len(definition) == 0 {
			respond(w, http.StatusBadRequest, map[string]any{"error": "bad_request", "reason": "Validation failed\n\nno policy provided\n"})
			return
		}
		sent["name"] = path[strings.LastIndex(path, "/")+1:]
		switch {
		case object == nil:
			w.WriteHeader(http.StatusCreated)
		case strings.HasPrefix(path, "queues/") && !reflect.DeepEqual(object, sent):
			respond(w, http.StatusBadRequest, map[string]any{"error": "bad_request", "reason": "inequivalent arg 'x-queue-type'"})
			return
		default:
			w.WriteHeader(http.StatusNoContent)
		}
		b.objects[path] = sent
	case object == nil:
		respond(w, http.StatusNotFound, map[string]any{"error": "Object Not Found", "reason": "Not Found"})
	case r.Method == http.MethodDelete:
		delete(b.objects, path)
		w.WriteHeader(http.StatusNoContent)
	default:
		respond(w, http.StatusOK, object)
	}
}
