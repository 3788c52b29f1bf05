// Package mixed tests examples/mixed.cue: one resource of a command, a file and a
// request, and of what undoes them.
package mixed

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// inventory is the API that the example speaks to, in memory.
type inventory struct {
	url string

	mu       sync.Mutex
	next     int
	machines map[string]map[string]any
	keys     map[string]map[string]any // answers, by idempotency key
	asked    int
	// refuse makes deletes fail.
	refuse bool
}

func newInventory(t *testing.T) *inventory {
	t.Helper()
	i := &inventory{next: 41, machines: map[string]map[string]any{}, keys: map[string]map[string]any{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /machines", i.add)
	mux.HandleFunc("/machines/{number}", i.one)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	i.url = server.URL
	return i
}

func (i *inventory) add(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	if answer := i.keys[r.Header.Get("Idempotency-Key")]; answer != nil {
		reply(w, answer)
		return
	}
	machine := map[string]any{}
	if json.NewDecoder(r.Body).Decode(&machine) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	i.next++
	machine["number"] = i.next
	i.machines[fmt.Sprint(i.next)] = machine
	i.keys[r.Header.Get("Idempotency-Key")] = machine
	w.WriteHeader(http.StatusCreated)
	reply(w, machine)
}

func (i *inventory) one(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	machine := i.machines[r.PathValue("number")]
	switch {
	case machine == nil:
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Method == http.MethodDelete && i.refuse:
		w.WriteHeader(http.StatusConflict)
		return
	case r.Method == http.MethodDelete:
		delete(i.machines, r.PathValue("number"))
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method == http.MethodPatch:
		changes := map[string]any{}
		if json.NewDecoder(r.Body).Decode(&changes) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		maps.Copy(machine, changes)
	}
	reply(w, machine)
}

func reply(w http.ResponseWriter, machine map[string]any) {
	_ = json.NewEncoder(w).Encode(machine) // a client that is gone does not matter
}

// roles are what the machines are for, by name.
func (i *inventory) roles() map[string]string {
	i.mu.Lock()
	defer i.mu.Unlock()
	out := map[string]string{}
	for _, m := range i.machines {
		out[fmt.Sprint(m["name"])] = fmt.Sprint(m["role"])
	}
	return out
}

// set changes a machine, or the whole, behind everybody's back.
func (i *inventory) set(change func(map[string]map[string]any)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(i.machines)
}

// requests is how often anybody asked.
func (i *inventory) requests() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}
