package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec"
)

// settingsServer has one object of settings, at the path /p/7/settings. PATCH and POST set members, PUT replaces all of them, and
// DELETE resets them.
type settingsServer struct {
	mu       sync.Mutex
	settings map[string]any
	log      []string
	// within is the member that contains the settings in bodies, and silent leaves responses to writes empty. lost loses the next
	// response to a write, and refuses refuses it.
	within                string
	silent, lost, refuses bool
}

// atFirst are the settings of a server that nobody has changed.
func atFirst() map[string]any {
	return map[string]any{"title": "Site", "zones": 10.0, "posts": map[string]any{"size": 3.0}}
}

func (s *settingsServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	s.log = append(s.log, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(text)))
	sent := map[string]any{}
	_ = json.Unmarshal(text, &sent)
	if inner, ok := sent[s.within].(map[string]any); ok {
		sent = inner
	}
	writes := r.Method != http.MethodGet
	switch {
	case !strings.HasPrefix(r.URL.Path, "/p/7"):
		http.NotFound(w, r)
		return
	case writes && s.refuses:
		respond(w, http.StatusBadRequest, map[string]any{})
		return
	case r.Method == http.MethodPut:
		s.settings = atFirst()
		maps.Copy(s.settings, sent)
	case r.Method == http.MethodDelete:
		s.settings = atFirst()
	default:
		maps.Copy(s.settings, sent)
	}
	switch {
	case writes && s.lost:
		s.lost = false
		panic(http.ErrAbortHandler)
	case writes && s.silent:
		w.WriteHeader(http.StatusNoContent)
	case s.within != "":
		respond(w, http.StatusOK, map[string]any{s.within: s.settings})
	default:
		respond(w, http.StatusOK, s.settings)
	}
}

// requests returns the log, and empties it.
func (s *settingsServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// set changes settings behind the back of the provider.
func (s *settingsServer) set(name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings[name] = v
}

// singletonCase is a form of an API for settings.
type singletonCase struct {
	name, options, id      string
	within                 string
	silent                 bool
	create, update, delete []string
	kept                   any // the zones that the server has in the end
}

// singletonCases are the forms of APIs for settings.
func singletonCases() []singletonCase {
	const at = "/p/7/settings"
	const own, parent = `path: "/p/7/settings"`, `path: "/p/${inputs.project}/settings"`
	read := "GET " + at
	return []singletonCase{
		{name: "patch", options: own, id: "settings", create: []string{`PATCH ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, kept: 6.0},
		{name: "put", options: own + `, update: "PUT", patch: "all"`, id: "settings", create: []string{`PUT ` + at + ` {"zones":5}`}, update: []string{`PUT ` + at + ` {"zones":6}`}, kept: 6.0},
		{name: "post", options: own + `, create: "POST"`, id: "settings", create: []string{`POST ` + at + ` {"zones":5}`}, update: []string{`POST ` + at + ` {"zones":6}`}, kept: 6.0},
		{
			name: "silent", options: own + `, response: "none"`, id: "settings", silent: true,
			create: []string{`PATCH ` + at + ` {"zones":5}`, read}, update: []string{`PATCH ` + at + ` {"zones":6}`, read}, kept: 6.0,
		},
		{
			name: "empty", options: own, id: "settings", silent: true,
			create: []string{`PATCH ` + at + ` {"zones":5}`, read}, update: []string{`PATCH ` + at + ` {"zones":6}`, read}, kept: 6.0,
		},
		{name: "parent", options: parent, id: "7", create: []string{`PATCH ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, kept: 6.0},
		{
			name: "parent first", options: parent + `, parent: "/p/${inputs.project}", delete: "DELETE"`, id: "7",
			create: []string{`PATCH ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, delete: []string{"GET /p/7", "DELETE " + at}, kept: 10.0,
		},
		{
			name: "other names of parents", options: `path: "/p/${of}/settings", under: of: "${inputs.project}"`, id: "7",
			create: []string{`PATCH ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, kept: 6.0,
		},
		{
			name: "own requests", options: parent + `, update: "POST /p/${id}/set", read: "GET /p/7/all?of=${id}", delete: "POST /p/${id}/reset"`, id: "7",
			create: []string{`POST /p/7/set {"zones":5}`, "GET /p/7/all?of=7"}, update: []string{`POST /p/7/set {"zones":6}`}, delete: []string{"POST /p/7/reset"}, kept: 6.0,
		},
		{
			name: "two requests", options: own + `, create: "PUT", update: "PATCH", patch: "changes"`, id: "settings",
			create: []string{`PUT ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, kept: 6.0,
		},
		{
			name: "reset", options: parent + `, reset: {zones: 10, "posts": {size: "${int(id) - 4}"}}`, id: "7",
			create: []string{`PATCH ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, delete: []string{`PATCH ` + at + ` {"posts":{"size":3},"zones":10}`}, kept: 10.0,
		},
		{
			name: "within", options: own + `, wrap: "s", unwrap: "s", body: kind: "k", update: "PUT", patch: "all", reset: zones: "${4 + 4}", query: all: "1"`, id: "settings", within: "s",
			create: []string{`PUT ` + at + `?all=1 {"s":{"kind":"k","zones":5}}`}, update: []string{`PUT ` + at + `?all=1 {"s":{"kind":"k","zones":6}}`},
			delete: []string{`PUT ` + at + `?all=1 {"s":{"kind":"k","zones":8}}`}, kept: 8.0,
		},
		{
			name: "merge", options: own + `, patch: "merge", reset: zones: null`, id: "settings",
			create: []string{`PATCH ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, delete: []string{`PATCH ` + at + ` {"zones":null}`}, kept: nil,
		},
		{
			name: "wait", options: own + `, wait: {until: "${body.zones != null}", every: "1ms"}`, id: "settings",
			create: []string{`PATCH ` + at + ` {"zones":5}`, read}, update: []string{`PATCH ` + at + ` {"zones":6}`, read}, kept: 6.0,
		},
		{
			name: "wait for a reset", options: own + `, wait: {until: "${body.zones != null}", every: "1ms"}, reset: zones: 8`, id: "settings",
			create: []string{`PATCH ` + at + ` {"zones":5}`, read}, update: []string{`PATCH ` + at + ` {"zones":6}`, read}, delete: []string{`PATCH ` + at + ` {"zones":8}`, read}, kept: 8.0,
		},
		{
			name: "wait for a delete", options: own + `, wait: {until: "${body.zones != null}", every: "1ms"}, delete: "DELETE"`, id: "settings",
			create: []string{`PATCH ` + at + ` {"zones":5}`, read}, update: []string{`PATCH ` + at + ` {"zones":6}`, read}, delete: []string{"DELETE " + at, read}, kept: 10.0,
		},
		{
			name: "declared type", options: own + `, returns: #Settings`, id: "settings",
			create: []string{`PATCH ` + at + ` {"zones":5}`}, update: []string{`PATCH ` + at + ` {"zones":6}`}, kept: 6.0,
		},
		{
			name: "a path in capitals with a query", options: `path: "/p/7/Settings?of=${inputs.project}"`, id: "7",
			create: []string{`PATCH /p/7/Settings?of=7 {"zones":5}`}, update: []string{`PATCH /p/7/Settings?of=7 {"zones":6}`}, kept: 6.0,
		},
	}
}

// inputs returns inputs of the resource, with the parent if its path has one.
func (c singletonCase) inputs(kv ...any) property.Map {
	if c.id == "7" {
		kv = append(kv, "project", "7")
	}
	return object(kv...)
}

// forms runs a test with a server and an engine for each form of a spec.
func (c singletonCase) forms(t *testing.T, run func(t *testing.T, s *settingsServer, e *engine.Engine)) {
	t.Helper()
	parent := ""
	if c.id == "7" {
		parent = "project: string @replace(), "
	}
	short, expanded := restForms(t, fmt.Sprintf(`
name: "things"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
#Settings: {title?: string, zones?: int, size?: int @wire(posts.size)}
resources: Settings: {
	inputs: {%stitle?: string, zones: int, size?: int @wire(posts.size)}
	rest: {singleton: true, %s}
}`, parent, c.options))
	for form, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
		t.Run(c.name+"/"+form, func(t *testing.T) {
			t.Parallel()
			s := &settingsServer{settings: atFirst(), within: c.within, silent: c.silent}
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			program, diags := engine.Compile(text, builtin.Families())
			if len(diags) > 0 {
				t.Fatalf("%+v", diags)
			}
			e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			run(t, s, e)
		})
	}
}

// changesOf returns the properties that a diff of a state and inputs changes.
func changesOf(t *testing.T, e *engine.Engine, state engine.State, inputs property.Map) []string {
	t.Helper()
	diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Settings"), State: state, New: inputs})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range diff.Changes {
		names = append(names, c.Path)
	}
	return names
}

// refreshed returns the state of a resource after a refresh.
func refreshed(t *testing.T, e *engine.Engine, state engine.State, reason engine.ReadReason) engine.State {
	t.Helper()
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Settings"), State: state, Reason: reason})
	if out.Err != nil || out.Gone {
		t.Fatalf("gone: %v, %v", out.Gone, out.Err)
	}
	return *out.State
}

// TestSingletons plays the life of settings that always exist: a create updates them, what the program does not set keeps the
// value of the server and changes nothing, and a delete leaves them, or resets them.
func TestSingletons(t *testing.T) {
	t.Parallel()
	for _, c := range singletonCases() {
		c.forms(t, func(t *testing.T, s *settingsServer, e *engine.Engine) {
			sent := func(what string, want []string) {
				t.Helper()
				if diff := cmp.Diff(want, s.requests()); diff != "" {
					t.Errorf("requests of %s (-want +got):\n%s", what, diff)
				}
			}
			imported := refreshed(t, e, engine.State{ID: c.id}, engine.Import)
			if changes := changesOf(t, e, imported, c.inputs("zones", 10)); changes != nil {
				t.Errorf("changes after an import: %v", changes)
			}
			s.requests()
			inputs := c.inputs("zones", 5)
			state := created(t, e, "Settings", inputs)
			sent("the create", c.create)
			if title := state.Outputs.Get("title"); state.ID != c.id || !title.IsString() || title.AsString() != "Site" {
				t.Errorf("id %s, outputs %v", state.ID, state.Outputs)
			}
			state = refreshed(t, e, state, engine.Refresh)
			if changes := changesOf(t, e, state, inputs); changes != nil {
				t.Errorf("changes after the create: %v", changes)
			}
			s.set("title", "Other")
			state = refreshed(t, e, state, engine.Refresh)
			if changes := changesOf(t, e, state, inputs); changes != nil || state.Outputs.Get("title").AsString() != "Other" {
				t.Errorf("changes after others have changed what the program does not set: %v, %v", changes, state.Outputs)
			}
			s.set("zones", 9)
			drifted := refreshed(t, e, state, engine.Refresh)
			if diff := cmp.Diff([]string{"zones"}, changesOf(t, e, drifted, inputs)); diff != "" {
				t.Errorf("changes after others have changed what the program sets: %s", diff)
			}
			s.requests()
			updated := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Settings"), State: drifted, Inputs: c.inputs("zones", 6)})
			if updated.Err != nil {
				t.Fatal(updated.Err)
			}
			sent("the update", c.update)
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Settings"), State: *updated.State}); err != nil {
				t.Fatal(err)
			}
			sent("the delete", c.delete)
			if diff := cmp.Diff(fmt.Sprint(c.kept), fmt.Sprint(s.settings["zones"])); diff != "" {
				t.Errorf("zones in the end: %s", diff)
			}
		})
	}
}

// TestFailedSingletons: a create whose response was lost is sent again; one that is refused changes nothing afterwards; and two
// resources of a program cannot have the same settings.
func TestFailedSingletons(t *testing.T) {
	t.Parallel()
	for _, c := range singletonCases() {
		c.forms(t, func(t *testing.T, s *settingsServer, e *engine.Engine) {
			inputs := check(t, e, "Settings", c.inputs("zones", 5))
			s.refuses = true
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Settings"), Inputs: inputs})
			if diff := cmp.Diff(c.create[:1], s.requests()); diff != "" || out.Err == nil || out.State != nil {
				t.Fatalf("a create that is refused: %v, %v, %s", out.State, out.Err, diff)
			}
			s.refuses, s.lost = false, true
			out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Settings"), Inputs: inputs})
			if out.Err != nil { // the next run sends it again
				out = e.Create(t.Context(), engine.CreateRequest{Ref: ref("Settings"), Inputs: inputs})
			}
			requests := s.requests()
			if len(requests) < 2 || out.Err != nil || out.State.ID != c.id {
				t.Fatalf("a create whose response is lost: %v, %v", out.Err, requests)
			}
			if diff := cmp.Diff([]string{c.create[0], c.create[0]}, requests[:2]); diff != "" {
				t.Errorf("a create whose response is lost: %s", diff)
			}
			other := ref("Settings")
			other.Name, other.Key = "other", "urn:other"
			second := e.Create(t.Context(), engine.CreateRequest{Ref: other, Inputs: inputs})
			if requests := s.requests(); second.Err == nil || second.State != nil || requests != nil {
				t.Errorf("a second resource for the same settings: %v, %v, %v", second.State, second.Err, requests)
			}
		})
	}
}

// TestSingletonsLeaveNothingOpen tests that the journal forgets how settings were made, once they are no longer managed, and
// once a later create has replaced what an earlier one had made of them.
func TestSingletonsLeaveNothingOpen(t *testing.T) {
	t.Parallel()
	for options, others := range map[string]int{ // and how many entries of other creates stay
		`path: "/p/${inputs.project}/settings"`:                     0,
		`path: "/p/${inputs.project}/settings", reset: {zones: 1}`:  0,
		`path: "/p/7/settings"`:                                     0,
		`path: "/p/7/settings", update: "PUT"`:                      0,
		`path: "/p/7/settings", reset: {zones: 1}`:                  0,
		`path: "/p/7/settings", query: of: "${inputs.zones}"`:       1, // which are about another object
		`path: "/p/7/settings", create: "PUT /p/7/${inputs.zones}"`: 1,
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&settingsServer{settings: atFirst()})
			t.Cleanup(server.Close)
			short, _ := restForms(t, fmt.Sprintf(`
name: "things"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Settings: {
	inputs: {project: *"7" | string @replace(), zones: int @replace()}
	rest: {singleton: true, %s}
}`, options))
			program, diags := engine.Compile(short, builtin.Families())
			if len(diags) > 0 && (others == 0 || diags[0].Code != finding.CodeImportIncomplete) {
				t.Fatalf("%+v", diags)
			}
			dir := t.TempDir()
			create := func(zones int) engine.Result { // in another process each time
				e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: dir})
				if err != nil {
					t.Fatal(err)
				}
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Settings"), Inputs: check(t, e, "Settings", object("zones", zones))})
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				return out
			}
			create(5) // the host is killed before it records this
			out := create(6)
			if got := intents(t, dir); len(got) != 1+others {
				t.Errorf("got the entries %+v, want that of the second create and %d others", got, others)
			}
			e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: dir})
			if err == nil {
				err = e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Settings"), State: *out.State})
			}
			if got := intents(t, dir); err != nil || len(got) != 0 {
				t.Errorf("after the delete: %v, %+v", err, got)
			}
		})
	}
}
