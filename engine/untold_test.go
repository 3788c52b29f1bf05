package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec/screen"
)

// movingThings is an API that makes ids, and gives an object another one whenever it
// changes. answer is what it answers to a change.
type movingThings struct {
	answer   string
	made     int
	object   map[string]any // nil where there is none
	findDown bool           // the next find after a change is answered with 503
	changed  bool
}

func (a *movingThings) keep(r *http.Request) {
	a.made++
	a.object = map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&a.object)
	a.object["id"] = fmt.Sprintf("t%d", a.made)
}

func (a *movingThings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	last := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	byName := strings.HasPrefix(r.URL.Path, "/named/")
	key := "id"
	if byName {
		key = "name"
	}
	switch {
	case byName && a.findDown && a.changed:
		a.findDown = false
		http.Error(w, "{}", http.StatusServiceUnavailable)
	case r.Method == "POST":
		a.keep(r)
		_ = json.NewEncoder(w).Encode(a.object)
	case a.object == nil || a.object[key] != last:
		http.Error(w, "{}", http.StatusNotFound)
	case r.Method == "GET":
		_ = json.NewEncoder(w).Encode(a.object)
	case a.answer == "":
		a.keep(r)
		a.changed = true
		w.WriteHeader(http.StatusNoContent)
	default:
		a.keep(r)
		a.changed = true
		_, _ = w.Write([]byte(a.answer))
	}
}

// TestUntoldRenames: an update that was done, and whose response does not tell the id
// that it gave, is found under its new name. Where nothing can find it, a refresh that
// takes it for gone leaves it listed.
func TestUntoldRenames(t *testing.T) {
	t.Parallel()
	const found = `find: {http: path: "/named/${inputs.name}"}`
	answers := map[string]string{
		"nothing": "", "null": "null", "a text": `"done"`, "a list": `[{"id": "t2"}]`,
		"no id": `{"ok": true}`, "null for an id": `{"id": null}`, "an empty id": `{"id": ""}`, "an object for an id": `{"id": {}}`,
	}
	updates := map[string]string{
		"PUT":               `http: {method: "PUT", path: "/things/${id}", json: "${inputs}"}`,
		"PATCH, idempotent": `http: {method: "PATCH", path: "/things/${id}", json: "${inputs}", idempotent: true}`,
		"a step after": `steps: [{as: "change", http: {method: "PUT", path: "/things/${id}", json: "${inputs}"}},
			{as: "note", http: {method: "PUT", path: "/other", json: "${inputs}"}, if: "${inputs.size > 5}"}]`,
	}
	const (
		findsIt = "find finds it"
		isDown  = "find is down"
		noFind  = "no find"
	)
	for update, block := range updates {
		for answer, body := range answers {
			for _, find := range []string{findsIt, isDown, noFind} {
				runCase(t, strings.Join([]string{update, answer, find}, "/"), func(t *testing.T) {
					api := &movingThings{answer: body, findDown: find == isDown}
					server := httptest.NewServer(api)
					defer server.Close()
					block, looks := block, found
					if find == noFind {
						looks = ""
					}
					w := newWorld()
					w.journal = t.TempDir()
					e, _ := w.engine(t, `http: baseURL: "`+server.URL+`"
resources: Thing: {
	inputs: {name: string, size: int}
	outputs: serial: string @wire(id)
	id: "${result.body.id}"
	consistency: "0s"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	`+looks+`
	read: http: path: "/things/${id}"
	update: {`+block+`}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`)
					s := &scene{T: t, w: w, e: e}
					made := s.create("name", "a", "size", 1)
					if made.Err != nil {
						t.Fatal(made.Err)
					}
					out := s.update(made.State, "name", "b", "size", 1)
					if out.State == nil {
						t.Fatalf("the state is lost: %v", out.Err)
					}
					if done := out.Err == nil; done != (find == findsIt) {
						t.Fatalf("done by the first run: %t (%v)", done, out.Err)
					}
					if find == noFind {
						read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh})
						if got := s.statuses(); !read.Gone || !slices.Contains(got, journal.Unknown) {
							t.Errorf("in the journal: %v, and read gives %+v", got, read)
						}
						return
					}
					if out.Err != nil {
						out = s.update(out.State, "name", "b", "size", 1)
					}
					if out.Err != nil {
						t.Fatalf("not done by the second run: %v", out.Err)
					}
					read := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *out.State, Reason: engine.Refresh})
					if read.Err != nil || read.State == nil || read.State.Outputs.Get("serial").AsString() != "t2" {
						t.Errorf("read gives %+v, and the API has %v", read, api.object)
					}
					if api.made != 2 {
						t.Errorf("%d were made", api.made)
					}
				})
			}
		}
	}
}

// dying is the log of a process that dies once its run waits for something.
type dying struct{}

func (dying) Message(engine.Severity, screen.Text) {}
func (dying) Status(screen.Text)                   { panic("killed") }

// TestKilledBeforeTheIDIsTold: a provider that dies after a rename that was answered, and
// before its id is known, has left it open: the next run finds it, and sends nothing twice.
func TestKilledBeforeTheIDIsTold(t *testing.T) {
	api := &movingThings{answer: "null", findDown: true}
	server := httptest.NewServer(api)
	defer server.Close()
	w := newWorld()
	w.journal = t.TempDir()
	e, _ := w.engine(t, `http: baseURL: "`+server.URL+`"
resources: Thing: {
	inputs: {name: string, size: int}
	outputs: serial: string @wire(id)
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	find: {http: path: "/named/${inputs.name}"}
	read: http: path: "/things/${id}"
	update: http: {method: "PUT", path: "/things/${id}", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`)
	s := &scene{T: t, w: w, e: e}
	made := s.create("name", "a", "size", 1)
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	wanted := object("name", "b", "size", 1)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("it was not killed")
			}
		}()
		s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: wanted, Log: dying{}})
	}()
	out := s.update(made.State, "name", "b", "size", 1)
	if out.Err != nil || out.State.Outputs.Get("serial").AsString() != "t2" || api.made != 2 {
		t.Errorf("%d were made, and the next run gives %+v", api.made, out)
	}
}
