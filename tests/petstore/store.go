// Package petstore is the server of examples/rest-api.cue: a pet store in
// memory, on loopback, that keeps a record of what it is asked.
package petstore

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Token is the only bearer token that the store accepts.
const Token = "paws-and-claws"

// Store is a server that runs. It is safe for concurrent use.
type Store struct {
	// URL is where it answers: PETSTORE_ENDPOINT.
	URL    string
	server *httptest.Server

	mu         sync.Mutex
	next       int
	pets       map[int]map[string]any
	clusters   map[string]map[string]any
	operations map[string]*operation
	keys       map[string]map[string]any // answers, by idempotency key
	requests   []string                  // that change something, since the last call of Writes
	all        []string                  // every request since the start
	broken     bool                      // operations fail
}

// Open starts a store without pets.
func Open() *Store {
	s := &Store{
		next: 100, pets: map[int]map[string]any{}, clusters: map[string]map[string]any{},
		operations: map[string]*operation{}, keys: map[string]map[string]any{},
	}
	s.server = httptest.NewServer(s.routes())
	s.URL = s.server.URL
	return s
}

// Close stops it, and waits for requests that are under way.
func (s *Store) Close() { s.server.Close() }

// Env is what the provider needs to find the store, and be let in.
func (s *Store) Env() []string {
	return []string{"PETSTORE_ENDPOINT=" + s.URL, "PETSTORE_TOKEN=" + Token, "PETSTORE_POLL_EVERY=10ms"}
}

// Pet is a copy of a pet, nil where there is none.
func (s *Store) Pet(id int) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copied(s.pets[id])
}

// Pets are the numbers of all pets, sorted.
func (s *Store) Pets() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []int
	for id := range s.pets {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Clusters are the names of all clusters, sorted.
func (s *Store) Clusters() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, c := range s.clusters {
		names = append(names, fmt.Sprint(c["name"]))
	}
	slices.Sort(names)
	return names
}

// Add puts a pet in by another way than the API, and gives its number.
func (s *Store) Add(pet map[string]any) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(pet)
}

// Change changes a pet behind everybody's back; null takes a member away.
func (s *Store) Change(id int, changes map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	merge(s.pets[id], changes)
}

// Remove takes a pet away behind everybody's back.
func (s *Store) Remove(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pets, id)
}

// Break makes the operations of the store fail, or not any more.
func (s *Store) Break(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

// Writes are the requests since the last call that were to change something,
// with their bodies: `POST /pets {"name":"Rex"}`.
func (s *Store) Writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.requests
	s.requests = nil
	return out
}

// Requests are all requests since the start, with their bodies, and whether they had an
// idempotency key.
func (s *Store) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

func (s *Store) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"user": "keeper"})
	})
	mux.HandleFunc("POST /pets", s.createPet)
	mux.HandleFunc("GET /pets", func(w http.ResponseWriter, _ *http.Request) {
		pets := []any{}
		for _, id := range slices.Sorted(maps.Keys(s.pets)) {
			pets = append(pets, s.pets[id])
		}
		answer(w, http.StatusOK, pets)
	})
	mux.HandleFunc("GET /pets/{id}", s.withPet(func(w http.ResponseWriter, _ *http.Request, id int) {
		answer(w, http.StatusOK, s.pets[id])
	}))
	mux.HandleFunc("PATCH /pets/{id}", s.withPet(s.changePet))
	mux.HandleFunc("DELETE /pets/{id}", s.withPet(func(w http.ResponseWriter, _ *http.Request, id int) {
		delete(s.pets, id)
		w.WriteHeader(http.StatusNoContent)
	}))
	s.clusterRoutes(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+Token {
			refuse(w, http.StatusUnauthorized, "this token opens no door")
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			refuse(w, http.StatusBadRequest, "the body cannot be read")
			return
		}
		line := strings.TrimSpace(r.Method + " " + r.URL.Path + " " + string(body))
		if r.Method != http.MethodGet {
			s.requests = append(s.requests, line)
		}
		s.all = append(s.all, fmt.Sprintf("%s (%s, key: %t)", line, r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key") != ""))
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		mux.ServeHTTP(w, r)
	})
}

func (s *Store) createPet(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	pet, err := decode(r)
	switch {
	case key != "" && s.keys[key] != nil:
		answer(w, http.StatusCreated, s.keys[key])
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
	case pet["name"] == "" || pet["name"] == nil:
		refuse(w, http.StatusUnprocessableEntity, "a pet needs a name")
	default:
		made := s.pets[s.add(pet)]
		s.keys[key] = copied(made)
		answer(w, http.StatusCreated, made)
	}
}

func (s *Store) changePet(w http.ResponseWriter, r *http.Request, id int) {
	changes, err := decode(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	merge(s.pets[id], changes)
	answer(w, http.StatusOK, s.pets[id])
}

func (s *Store) add(pet map[string]any) int {
	s.next++
	pet = copied(pet)
	pet["id"], pet["status"] = s.next, "available"
	s.pets[s.next] = pet
	return s.next
}

func (s *Store) withPet(f func(http.ResponseWriter, *http.Request, int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || s.pets[id] == nil {
			refuse(w, http.StatusNotFound, "no such pet")
			return
		}
		f(w, r, id)
	}
}

// merge is RFC 7396, as far as a store needs it: one level.
func merge(into, changes map[string]any) {
	for name, value := range changes {
		if value == nil {
			delete(into, name)
		} else {
			into[name] = value
		}
	}
}

func copied(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := map[string]any{}
	merge(out, m)
	return out
}

func decode(r *http.Request) (map[string]any, error) {
	var v map[string]any
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		return nil, fmt.Errorf("the body is no JSON object: %w", err)
	}
	return v, nil
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The other side may have gone; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{"message": message})
}
