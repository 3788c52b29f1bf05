package engine_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// tagged is a server of a thing, its parent, its members and something else, each with an ETag of its own. It changes the
// thing and its members only under their current ETags.
type tagged struct {
	mu       sync.Mutex
	versions map[string]int // by path
	untagged bool           // responses to changes have no ETag
	refused  []string
}

func (s *tagged) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := r.URL.Path
	if path == "/things" {
		path = "/parent/things/7"
	}
	tag := func() string { return strconv.Quote(path + " " + strconv.Itoa(s.versions[path])) }
	if r.Method != http.MethodGet && r.URL.Path != "/things" {
		if own := r.Header.Get("If-Match"); own != tag() {
			s.refused = append(s.refused, r.Method+" "+path+" with "+own)
			http.Error(w, "{}", http.StatusPreconditionFailed)
			return
		}
		s.versions[path]++
	}
	if r.Method == http.MethodGet || !s.untagged {
		w.Header().Set("ETag", tag())
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "7", "name": "a", "size": 1})
}

// TestETagsOfOthers: whatever else an operation requests, before or after the object, and by whichever way a resource
// comes into the state, each change is sent under the ETag of what is at its address.
func TestETagsOfOthers(t *testing.T) {
	t.Parallel()
	const (
		thing   = `{http: path: "/parent/things/${id}"}`
		parent  = `{http: path: "/parent"}`
		members = `{http: path: "/parent/things/${id}/members"}`
		other   = `{http: path: "/other"}`
		change  = `{http: {method: "PUT", path: "/parent/things/${id}", json: "${inputs}", ifMatch: true}}`
		part    = `{http: {method: "PUT", path: "/parent/things/${id}/members", json: "${inputs}", ifMatch: true}}`
		remove  = `{http: {method: "DELETE", path: "/parent/things/${id}", ifMatch: true}}`
	)
	steps := func(list ...string) string { return "steps: [" + strings.Join(list, ", ") + "]" }
	reads := map[string]string{
		"alone": steps(thing), "after its parent": steps(parent, thing), "before its members": steps(thing, members), "before another": steps(thing, other),
	}
	updates := map[string]string{
		"alone": steps(change), "after its parent": steps(parent, change), "after a read": steps(thing, change), "after its members": steps(members, change), "after another": steps(other, change),
		"before its members": steps(change, members), "twice": steps(change, change), "and after a parent again": steps(change, parent, change),
	}
	for read, readSteps := range reads {
		for update, updateSteps := range updates {
			if read == "before its members" && update == "alone" {
				updateSteps = steps(change, part) // both are known
			}
			for _, way := range []string{"created", "refreshed", "imported"} {
				for _, untagged := range []bool{false, true} {
					if untagged && strings.Count(updateSteps, change) > 1 {
						continue // the second change has no ETag
					}
					if !untagged && way == "created" && strings.Contains(updateSteps, part) {
						continue // nothing has shown the ETag of the members: the update is refused until a refresh
					}
					name := strings.Join([]string{"read " + read, "update " + update, way, map[bool]string{true: "untagged", false: "tagged"}[untagged]}, ", ")
					runCase(t, name, func(t *testing.T) {
						t.Parallel()
						s := &tagged{versions: map[string]int{}, untagged: untagged}
						server := httptest.NewServer(s)
						defer server.Close()
						w := newWorld()
						w.journal = t.TempDir()
						e, _ := w.engineWith(t, `config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: {`+readSteps+`, return: {name: "${inputs.name}", size: "${inputs.size}"}}
	update: {`+updateSteps+`}
	delete: {`+strings.ReplaceAll(updateSteps, change, remove)+`}
	import: "${inputs.name}/${inputs.size}/${id}"
}`, object("endpoint", property.New(server.URL)))
						state := engine.State{ID: "a/1/7"}
						reason := engine.Import
						if way != "imported" {
							made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", 1)})
							if made.Err != nil {
								t.Fatal(made.Err)
							}
							state, reason = *made.State, engine.Refresh
						}
						if way != "created" {
							out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: reason, State: state})
							if out.Err != nil || out.State == nil {
								t.Fatalf("%+v", out)
							}
							state = *out.State
						}
						for size := 2; size < 4; size++ {
							out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("name", "a", "size", size)})
							if out.Err != nil {
								t.Fatal(out.Err, s.refused)
							}
							state = *out.State
						}
						if strings.Count(updateSteps, change) > 1 {
							return // a thing cannot be deleted twice
						}
						if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
							t.Error(err, s.refused)
						}
					})
				}
			}
		}
	}
}
