package petstore

import (
	"fmt"
	"net/http"
)

// operation is work that takes the store a few looks to finish.
type operation struct {
	id     string
	left   int // looks until it is done; negative after it has failed
	finish func()
}

// looks is how often an operation is asked for before it is done.
const looks = 3

func (s *Store) clusterRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /clusters", s.createCluster)
	mux.HandleFunc("GET /clusters/{id}", s.withCluster(func(w http.ResponseWriter, _ *http.Request, c map[string]any) {
		answer(w, http.StatusOK, c)
	}))
	mux.HandleFunc("PATCH /clusters/{id}", s.withCluster(s.resizeCluster))
	mux.HandleFunc("DELETE /clusters/{id}", s.withCluster(func(w http.ResponseWriter, _ *http.Request, c map[string]any) {
		op := s.start(func() { delete(s.clusters, c["id"].(string)) })
		answer(w, http.StatusAccepted, map[string]any{"operation": map[string]any{"id": op.id}})
	}))
	mux.HandleFunc("GET /operations/{id}", s.look)
}

// createCluster answers a repeated key with what the first request got.
func (s *Store) createCluster(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if before := s.keys[key]; key != "" && before != nil {
		answer(w, http.StatusAccepted, before)
		return
	}
	c, err := decode(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.next++
	id := fmt.Sprintf("cl-%d", s.next)
	c["id"], c["state"], c["address"] = id, "creating", fmt.Sprintf("%s.clusters.example.com", id)
	s.clusters[id] = c
	op := s.start(func() { c["state"] = "running" })
	said := map[string]any{"cluster": copied(c), "operation": map[string]any{"id": op.id}}
	s.keys[key] = said
	answer(w, http.StatusAccepted, said)
}

func (s *Store) resizeCluster(w http.ResponseWriter, r *http.Request, c map[string]any) {
	changes, err := decode(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	c["state"] = "resizing"
	op := s.start(func() {
		merge(c, changes)
		c["state"] = "running"
	})
	answer(w, http.StatusAccepted, map[string]any{"cluster": copied(c), "operation": map[string]any{"id": op.id}})
}

// RemoveCluster takes a cluster away behind everybody's back.
func (s *Store) RemoveCluster(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clusters, id)
}

func (s *Store) start(finish func()) *operation {
	s.next++
	op := &operation{id: fmt.Sprintf("op-%d", s.next), left: looks, finish: finish}
	s.operations[op.id] = op
	return op
}

// look answers how far an operation is; each look brings it on.
func (s *Store) look(w http.ResponseWriter, r *http.Request) {
	op := s.operations[r.PathValue("id")]
	if op == nil {
		refuse(w, http.StatusNotFound, "no such operation")
		return
	}
	if s.broken {
		op.left = -1
	}
	if op.left < 0 {
		answer(w, http.StatusOK, map[string]any{"done": true, "error": map[string]any{"message": "out of kennels"}})
		return
	}
	if op.left > 0 {
		op.left--
		if op.left == 0 {
			op.finish()
		}
	}
	answer(w, http.StatusOK, map[string]any{
		"done": op.left == 0, "phase": "moving furniture", "percent": 100 * (looks - op.left) / looks,
	})
}

func (s *Store) withCluster(f func(http.ResponseWriter, *http.Request, map[string]any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := s.clusters[r.PathValue("id")]
		if c == nil {
			refuse(w, http.StatusNotFound, "no such cluster")
			return
		}
		f(w, r, c)
	}
}
