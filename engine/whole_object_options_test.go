package engine_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec"
)

// wholeForms runs a test with a server and an engine for both forms of a spec with one resource Thing, which has a name, a size and a
// password that the server does not show.
func wholeForms(t *testing.T, name, rest string, s *wholeServer, run func(t *testing.T, s *wholeServer, e *engine.Engine)) {
	t.Helper()
	short, expanded := restForms(t, `
name: "things"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: {name: string @replace(), size: int, note?: string, password?: string @secret() @noRead()}
	`+rest+`
}`)
	for form, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
		t.Run(name+"/"+form, func(t *testing.T) {
			t.Parallel()
			own := &wholeServer{objects: maps.Clone(s.objects), hidden: s.hidden, within: s.within, refused: s.refused, tagged: s.tagged}
			server := httptest.NewServer(own)
			t.Cleanup(server.Close)
			own.journal, own.url, own.text = t.TempDir(), server.URL, text
			run(t, own, wholeEngine(t, t, text, server.URL, own.journal))
		})
	}
}

// wholeState is a recorded thing.
func wholeState() engine.State {
	inputs := object("name", "a", "size", 1, "note", "n", "password", "p")
	return engine.State{ID: "7", Inputs: inputs, Outputs: inputs}
}

// TestOptionsOfWholeObjects has a table of options, with the requests of an update, and of a delete with reset.
func TestOptionsOfWholeObjects(t *testing.T) {
	t.Parallel()
	const many = `idempotencyKey: true, list: "none"`
	thing := func() map[string]any {
		return map[string]any{"name": "a", "size": 1.0, "note": "n", "k": 1.0, "updated": "now"}
	}
	for name, c := range map[string]struct {
		rest, path    string
		server        *wholeServer
		update, reset []string
	}{
		"put": {
			rest: `{path: "/things", patch: "object", ` + many + `}`, path: "/things/7",
			update: []string{"GET /things/7", `PUT /things/7 {"k":1,"name":"a","password":"p","size":2,"updated":"now"}`},
		},
		"post": {
			rest: `{path: "/things", update: "POST", patch: "object", ` + many + `}`, path: "/things/7",
			update: []string{"GET /things/7", `POST /things/7 {"k":1,"name":"a","password":"p","size":2,"updated":"now"}`},
		},
		"in an envelope": {
			rest: `{path: "/things", patch: "object", wrap: "d", unwrap: "d", ` + many + `}`, path: "/things/7", server: &wholeServer{within: "d"},
			update: []string{"GET /things/7", `PUT /things/7 {"d":{"k":1,"name":"a","password":"p","size":2,"updated":"now"}}`},
		},
		"in an envelope of some": {
			rest: `{path: "/things", patch: "object", unwrap: "d?", ` + many + `}`, path: "/things/7",
			update: []string{"GET /things/7", `PUT /things/7 {"k":1,"name":"a","password":"p","size":2,"updated":"now"}`},
		},
		"without a member": {
			rest: `{path: "/things", patch: "object", omit: ["updated", "none.there"], ` + many + `}`, path: "/things/7", server: &wholeServer{refused: "updated"},
			update: []string{"GET /things/7", `PUT /things/7 {"k":1,"name":"a","password":"p","size":2}`},
		},
		"with members": {
			rest: `{path: "/things", patch: "object", body: {k: 5, note: "${inputs.note}", self: "${id}"}, ` + many + `}`, path: "/things/7",
			update: []string{"GET /things/7", `PUT /things/7 {"k":5,"name":"a","note":null,"password":"p","self":"7","size":2,"updated":"now"}`},
		},
		"with an ETag": {
			rest: `{path: "/things", patch: "object", ifMatch: true, ` + many + `}`, path: "/things/7", server: &wholeServer{tagged: true},
			update: []string{"GET /things/7", `PUT /things/7 {"k":1,"name":"a","password":"p","size":2,"updated":"now"} if 0`, "GET /things/7"}, // the next ETag
		},
		"elsewhere": {
			rest: `{path: "/things", read: "GET /thing?of=${id}", update: "PUT /thing?id=${id}", patch: "object", query: all: "1", ` + many + `}`, path: "/thing",
			update: []string{"GET /thing?of=7&all=1", `PUT /thing?id=7&all=1 {"k":1,"name":"a","password":"p","size":2,"updated":"now"}`},
		},
		"named": {
			rest: `{path: "/things", id: "${inputs.name}", create: "PUT", ifNoneMatch: true, patch: "object"}`, path: "/things/a",
			update: []string{"GET /things/a", `PUT /things/a {"k":1,"name":"a","password":"p","size":2,"updated":"now"}`},
		},
		"an id that is a path": {
			rest: `{path: "/things", object: "/things/${segments(id)}", patch: "object", ` + many + `}`, path: "/things/7",
			update: []string{"GET /things/7", `PUT /things/7 {"k":1,"name":"a","password":"p","size":2,"updated":"now"}`},
		},
		"settings": {
			rest: `{path: "/things/7", singleton: true, patch: "object", reset: {size: 0, note: null}, omit: "updated"}`, path: "/things/7",
			update: []string{"GET /things/7", `PUT /things/7 {"k":1,"name":"a","note":"n","password":"p","size":2}`, "GET /things/7"},
			reset:  []string{"GET /things/7", `PUT /things/7 {"k":1,"name":"a","password":"p","size":0}`},
		},
		"settings of a parent": {
			rest: `{path: "/things/7", singleton: true, parent: "/parent", patch: "object", body: m: 2, ifMatch: true, reset: {size: 0}}`, path: "/things/7", server: &wholeServer{tagged: true},
			update: []string{"GET /things/7", `PUT /things/7 {"k":1,"m":2,"name":"a","note":"n","password":"p","size":2,"updated":"now"} if 0`, "GET /parent", "GET /things/7"},
			reset:  []string{"GET /parent", "GET /things/7", `PUT /things/7 {"k":1,"m":2,"name":"a","note":"n","password":"p","size":0,"updated":"now"} if 1`},
		},
	} {
		if c.server == nil {
			c.server = &wholeServer{}
		}
		c.server.objects = map[string]map[string]any{c.path: thing(), "/parent": {}}
		wholeForms(t, name, "rest: "+c.rest, c.server, func(t *testing.T, s *wholeServer, e *engine.Engine) {
			s.hidden = []string{"password"}
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: wholeState(), Inputs: object("name", "a", "size", 2, "password", "p")})
			if diff := cmp.Diff(c.update, s.requests()); diff != "" {
				t.Errorf("the update (-want +got):\n%s\n%v", diff, out.Err)
			}
			s.hidden = nil
			if c.reset == nil {
				return
			}
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(c.reset, s.requests()); diff != "" {
				t.Errorf("the delete (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWholeObjectsTogether changes an object by two resources at the same time, and by somebody else: nothing is lost. The resources
// have a lock, also without ETags, and the other one is noticed by the ETag.
func TestWholeObjectsTogether(t *testing.T) {
	t.Parallel()
	for options, changes := range map[string]int{`singleton: true`: 0, `singleton: true, ifMatch: true`: 3} {
		short, expanded := restForms(t, strings.ReplaceAll(wholeSpec, `singleton: true`, options))
		for form, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
			t.Run(options+"/"+form, func(t *testing.T) {
				t.Parallel()
				changeTogether(t, text, changes)
			})
		}
	}
}

// changeTogether changes an object by two resources, and by somebody else as often as others says.
func changeTogether(t *testing.T, text *spec.Provider, others int) {
	t.Helper()
	s := &wholeServer{tagged: others > 0, objects: map[string]map[string]any{"/settings": {"max_zones": 1.0, "theme": "dark", "posts": map[string]any{}}}}
	want := map[string]any{"max_zones": 2.0, "theme": "light", "posts": map[string]any{"size": 3.0, "mode": 2.0}}
	for n := range others {
		want[fmt.Sprintf("other%d", n)] = true
	}
	var changed atomic.Int32
	s.before = func(r *http.Request) {
		if r.Method != http.MethodPut {
			return
		}
		time.Sleep(20 * time.Millisecond) // the other resource reads in between, unless the lock stops it
		if n := int(changed.Add(1)) - 1; n < others {
			s.change("/settings", fmt.Sprintf("other%d", n), true)
		}
	}
	server := httptest.NewServer(s)
	defer server.Close()
	e := wholeEngine(t, t, text, server.URL, t.TempDir())
	var group sync.WaitGroup
	for typ, change := range map[string][2]map[string]any{
		"Settings": {{"maxZones": 1, "size": 1}, {"maxZones": 2, "size": 3}},
		"Other":    {{"theme": "dark", "mode": 1}, {"theme": "light", "mode": 2}},
	} {
		group.Go(func() {
			one := ref(typ)
			one.Key = "urn:" + typ
			inputs := inputsOf(change[0])
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: one, State: engine.State{ID: "settings", Inputs: inputs, Outputs: inputs}, Inputs: inputsOf(change[1])})
			if out.Err != nil {
				t.Error(typ, out.Err)
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff(want, s.objects["/settings"]); diff != "" {
		t.Errorf("something is lost (-want +got):\n%s\n%s", diff, strings.Join(s.log, "\n"))
	}
}

// TestFailedWholeObjects has what may go wrong with an update and a reset: nothing is sent that was not read, and what was lost or
// killed is done by the next run. The journal has no entry of it afterwards.
func TestFailedWholeObjects(t *testing.T) {
	t.Parallel()
	const get, put = "GET /things/7", `PUT /things/7 {"k":1,"name":"a","password":"p","size":2}`
	for name, c := range map[string]struct {
		options  string
		prepare  func(s *wholeServer)
		requests []string // of the first run
		fails    string
	}{
		"no object":     {prepare: func(s *wholeServer) { delete(s.objects, "/things/7") }, requests: []string{get, get}, fails: "404"},
		"another form":  {options: `, unwrap: "data"`, requests: []string{get}, fails: "expected the object that was read, got null"},
		"refused":       {prepare: func(s *wholeServer) { s.refused = "k" }, requests: []string{get, put}, fails: "unknown member k"},
		"lost":          {prepare: func(s *wholeServer) { s.lost = 1 }, requests: []string{get, put, put}},
		"lost, by ETag": {options: `, ifMatch: true`, prepare: func(s *wholeServer) { s.lost = 1 }, requests: []string{get, put + " if 0", get}},
		"always changed": {options: `, ifMatch: true`, prepare: func(s *wholeServer) {
			s.before = func(r *http.Request) {
				if r.Method == http.MethodPut {
					s.change("/things/7", "k", 1.0)
				}
			}
		}, requests: []string{get, put + " if 0", get, put + " if 1", get, put + " if 2", get, put + " if 3", get, put + " if 4"}, fails: "412"},
		"always changed, waits": {options: `, ifMatch: true, wait: until: "${body.size == 2}"`, prepare: func(s *wholeServer) {
			s.before = func(r *http.Request) {
				if r.Method == http.MethodPut {
					s.change("/things/7", "k", 1.0)
				}
			}
		}, requests: []string{get, put + " if 0", get, put + " if 1", get, put + " if 2", get, put + " if 3", get, put + " if 4"}, fails: "412"},
		"changed once, waits": {options: `, ifMatch: true, wait: until: "${body.size == 2}"`, prepare: func(s *wholeServer) {
			once := sync.Once{}
			s.before = func(r *http.Request) {
				if r.Method == http.MethodPut {
					once.Do(func() { s.change("/things/7", "k", 1.0) })
				}
			}
		}, requests: []string{get, put + " if 0", get, put + " if 1", get, get}}, // the wait, and the next ETag
		"never received": {prepare: func(s *wholeServer) {
			s.before = func(r *http.Request) {
				if r.Method == http.MethodPut {
					panic(http.ErrAbortHandler)
				}
			}
		}, requests: []string{get, get}, fails: "got no response"},
	} {
		s := &wholeServer{objects: map[string]map[string]any{"/things/7": {"name": "a", "size": 1.0, "note": "n", "k": 1.0}}, hidden: []string{"password"}}
		wholeForms(t, name, `rest: {path: "/things", patch: "object", idempotencyKey: true, list: "none"`+c.options+`}`, s, func(t *testing.T, s *wholeServer, e *engine.Engine) {
			s.tagged = strings.Contains(c.options, "ifMatch")
			if c.prepare != nil {
				c.prepare(s)
			}
			wanted := object("name", "a", "size", 2, "password", "p")
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: wholeState(), Inputs: wanted})
			requests := s.requests()
			if diff := cmp.Diff(c.requests, requests); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, out.Err)
			}
			if (out.Err == nil) != (c.fails == "") || out.Err != nil && !strings.Contains(out.Err.Error(), c.fails) {
				t.Fatalf("got %v, want %q", out.Err, c.fails)
			}
			if slices.Contains([]string{"no object", "another form"}, name) {
				return // it stays so
			}
			s.mu.Lock()
			s.before, s.refused = nil, ""
			s.mu.Unlock()
			s.change("/things/7", "drift", 1.0)
			state := wholeState()
			if out.State != nil {
				state = *out.State
			}
			again := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: wanted})
			want := map[string]any{"name": "a", "size": 2.0, "k": 1.0, "password": "p", "drift": 1.0}
			if diff := cmp.Diff(want, s.objects["/things/7"]); diff != "" || again.Err != nil {
				t.Errorf("afterwards (-want +got):\n%s\n%v\n%s", diff, again.Err, strings.Join(s.requests(), "\n"))
			}
		})
	}
}

// TestKilledWholeObjects kills an operation when its change is about to be sent, and when it was done and nothing recorded. The next
// run ends with the same object, whatever others have changed in between, and no entry stays open.
func TestKilledWholeObjects(t *testing.T) {
	t.Parallel()
	const many, settings = `path: "/things", patch: "object", idempotencyKey: true, list: "none"`, `path: "/things/7", singleton: true, patch: "object"`
	for name, c := range map[string]struct {
		options string
		entries int // of the journal when it is killed
		create  bool
	}{
		"an object":            {options: many},
		"by ETag":              {options: many + `, ifMatch: true`},
		"found, by ETag":       {options: many + `, ifMatch: true, find: "GET /named?name=${inputs.name}"`, entries: 1},
		"settings":             {options: settings},
		"new settings":         {options: settings, entries: 1, create: true},
		"new settings by ETag": {options: settings + `, ifMatch: true`, entries: 1, create: true},
	} {
		for _, sent := range []bool{false, true} {
			s := &wholeServer{objects: map[string]map[string]any{"/things/7": {"id": "7", "name": "a", "size": 1.0, "note": "n", "k": 1.0}}, hidden: []string{"password"}, tagged: strings.Contains(c.options, "ifMatch")}
			wholeForms(t, fmt.Sprintf("%s, sent: %t", name, sent), "rest: {"+c.options+"}", s, func(t *testing.T, s *wholeServer, e *engine.Engine) {
				wanted := object("name", "a", "size", 2, "note", "n", "password", "p")
				killed, once := t.TempDir(), sync.Once{}
				s.before = func(r *http.Request) {
					if r.Method == http.MethodPut {
						once.Do(func() {
							if err := os.CopyFS(killed, os.DirFS(s.journal)); err != nil {
								t.Error(err)
							}
						})
					}
				}
				run := func(e *engine.Engine) engine.Result {
					if c.create {
						return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: wanted})
					}
					return e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: wholeState(), Inputs: wanted})
				}
				before := s.objects["/things/7"]
				if out := run(e); out.Err != nil {
					t.Fatal(out.Err)
				}
				if !sent {
					s.set("/things/7", before)
				}
				s.change("/things/7", "drift", 1.0)
				if got := intents(t, killed); len(got) != c.entries {
					t.Errorf("when it is killed, the journal has %+v, want %d entries", got, c.entries)
				}
				s.journal = killed
				e = wholeEngine(t, t, s.text, s.url, killed)
				out := run(e)
				want := map[string]any{"id": "7", "name": "a", "size": 2.0, "note": "n", "k": 1.0, "password": "p", "drift": 1.0}
				if diff := cmp.Diff(want, s.objects["/things/7"]); diff != "" || out.Err != nil {
					t.Errorf("afterwards (-want +got):\n%s\n%v\n%s", diff, out.Err, strings.Join(s.requests(), "\n"))
				}
				if open := e.Unsettled(func(journal.Subject) bool { return true }); len(open) > 0 {
					t.Errorf("open: %+v", open)
				}
			})
		}
	}
}
