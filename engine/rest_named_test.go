package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/printer"
)

// namedAPI is an API whose clients choose the names of objects. It is safe for concurrent use.
type namedAPI struct {
	mu      sync.Mutex
	objects map[string]map[string]any // by path
	log     []string
	silent  bool // responses to PUT are empty
	listed  bool // there is no request for one object, and no object is status 410
}

func (a *namedAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	a.log = append(a.log, strings.TrimSpace(r.Method+" "+r.URL.EscapedPath()+" "+r.Header.Get("If-None-Match")+" "+string(body)))
	escaped := r.URL.EscapedPath()
	object, there := a.objects[escaped]
	status := http.StatusOK
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/queues"):
		list := []any{}
		for at, object := range a.objects {
			if dir := path.Dir(at); dir == r.URL.Path || dir+"s" == r.URL.Path {
				list = append(list, object)
			}
		}
		respond(w, status, list)
		return
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/queues"):
		sent := struct{ Title string }{}
		_ = json.Unmarshal(body, &sent)
		escaped += "/" + url.PathEscape(sent.Title)
		status, object = a.add(escaped, a.objects[escaped], body)
	case r.Method == http.MethodPost:
		status, object = a.add(escaped, object, body)
	case r.Method == http.MethodGet && a.listed:
		status, object = http.StatusMethodNotAllowed, nil
	case !there && r.Method == http.MethodDelete && a.listed:
		status = http.StatusGone
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") != "":
		status = http.StatusPreconditionFailed
	case r.Method == http.MethodPut:
		title, _ := url.PathUnescape(path.Base(escaped))
		object = map[string]any{"title": title, "messages": 3}
		_ = json.Unmarshal(body, &object)
		a.objects[escaped] = object
		if a.silent {
			status, object = http.StatusCreated, nil
		}
	case !there:
		status = http.StatusNotFound
	case r.Method == http.MethodPatch:
		_ = json.Unmarshal(body, &object)
	case r.Method == http.MethodDelete:
		delete(a.objects, escaped)
	}
	respond(w, status, object)
}

// add creates an object at a path by POST, unless it exists.
func (a *namedAPI) add(at string, was map[string]any, body []byte) (int, map[string]any) {
	if was != nil {
		return http.StatusConflict, nil
	}
	title, _ := url.PathUnescape(path.Base(at))
	a.objects[at] = map[string]any{"messages": 3}
	object := a.objects[at]
	_ = json.Unmarshal(body, &object)
	object["title"] = title
	return http.StatusCreated, object
}

// TestRestNamed plays the life of objects whose names the program chooses, with all options that
// matter, and with what `expand` prints: the requests are the same. An object of somebody else is
// not overwritten, and the id alone imports an object.
func TestRestNamed(t *testing.T) {
	for _, parent := range []string{"", "input", "under"} {
		for _, options := range []string{"", `ifNoneMatch: true`, `wait: {until: "${body.messages > 0}", every: "1ms"}`, `returns: #Queue, wait: {until: "${body.messages > 0}", every: "1ms"}`, `update: "PATCH", returns: #Queue`, `update: "none"`, `response: "none", returns: #Queue`, `read: "list", gone: "${status == 410}"`, `read: "list", returns: #Queue`, `object: OBJECT, ifNoneMatch: true`, `create: "POST"`, `create: "POST ADDED", update: "PUT"`, `create: "POST ADDED", returns: #Queue, update: "none"`} {
			t.Run(parent+" "+options, func(t *testing.T) {
				t.Parallel()
				rest := map[string]string{"": `path: "/queues"`, "input": `path: "/hosts/${inputs.host}/queues"`, "under": `path: "/hosts/${of}/queues", under: of: "${inputs.host}"`}[parent]
				if options != "" {
					at := map[string]string{"": `"/queue/${id}"`, "input": `"/hosts/${inputs.host}/queue/${id}"`, "under": `"/hosts/${of}/queue/${id}"`}[parent]
					rest += ", " + strings.Replace(options, "OBJECT", at, 1)
				}
				if strings.Contains(options, "create:") {
					at := map[string]string{"": "/queues/${id}", "input": "/hosts/${inputs.host}/queues/${inputs.name}", "under": "/hosts/${of}/queues/${id}"}[parent]
					rest = strings.Replace(rest, "ADDED", at, 1)
				} else {
					rest += `, create: "PUT"`
				}
				host := ""
				if parent != "" {
					host = "host: string @replace(), "
				}
				text := `
name: "queues"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
#Queue: {name: string @wire(title), messages: int, durable?: bool}
resources: Queue: {
	inputs: {` + host + `name: string @replace() @wire(title), durable: *true | bool}
	outputs: messages: int
	rest: {` + rest + `, id: "${inputs.name}"}
}`
				written, expanded := restForms(t, text)
				short := lifeOfQueue(t, written, parent, options)
				if diff := cmp.Diff(short, lifeOfQueue(t, expanded, parent, options)); diff != "" {
					t.Errorf("the requests differ (-rest +expanded):\n%s", diff)
				}
				put := `PUT /queues/a%2Fb`
				if strings.Contains(options, "ADDED") {
					put = `POST /queues/a%2Fb  {"durable":true}`
				} else if strings.Contains(options, "POST") {
					put = `POST /queues  {"durable":true,"title":"a/b"}`
				}
				if strings.Contains(options, "OBJECT") {
					put = `PUT /queue/a%2Fb`
				}
				if parent == "" && !strings.Contains(strings.Join(short, "\n"), put) {
					t.Errorf("no %s in %q", put, short)
				}
				if strings.Contains(options, "ifNoneMatch") != strings.Contains(strings.Join(short, "\n"), " * ") {
					t.Errorf("the condition of creates: %q", short)
				}
			})
		}
	}
}

// restForms loads a spec in CUE, and what expand prints for it. Cases with the same spec share them.
func restForms(t *testing.T, text string) (short, expanded *spec.Provider) {
	t.Helper()
	once, _ := forms.LoadOrStore(text, sync.OnceValues(func() (*spec.Provider, *spec.Provider) {
		read := func(text []byte) *spec.Provider {
			doc, diags := load.Load(context.Background(), load.Source{Path: "-", Format: "cue", Stdin: text})
			if len(diags) > 0 {
				t.Errorf("%s\n%+v", text, diags)
				return nil
			}
			return doc.Provider
		}
		short := read([]byte(text))
		if short == nil {
			return nil, nil
		}
		long, err := printer.CUE(short)
		if err != nil {
			t.Error(err)
			return nil, nil
		}
		return short, read(long)
	}))
	if short, expanded = once.(func() (*spec.Provider, *spec.Provider))(); short == nil || expanded == nil {
		t.Fatalf("%s\nhas no two forms", text)
	}
	return short, expanded
}

var forms sync.Map

// builtinProgram compiles a spec that cases share, once. See program.
func builtinProgram(p *spec.Provider) (*engine.Program, diag.List) {
	type compiled struct {
		plan  *plan.Program
		diags diag.List
	}
	once, _ := programs.LoadOrStore(p, sync.OnceValue(func() compiled {
		prog, diags := engine.Compile(p, builtins())
		return compiled{prog.Program, diags}
	}))
	found := once.(func() compiled)()
	return &engine.Program{Program: found.plan}, slices.Clone(found.diags)
}

// lifeOfQueue returns the requests in the life of a queue.
func lifeOfQueue(t *testing.T, p *spec.Provider, parent, options string) []string {
	t.Helper()
	api := &namedAPI{objects: map[string]map[string]any{}, silent: strings.Contains(options, "response"), listed: strings.Contains(options, "read")}
	server := httptest.NewServer(api)
	defer server.Close()
	program, diags := builtinProgram(p)
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	dir, err := os.MkdirTemp("", "queue")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: dir, Journal: dir})
	if err != nil {
		t.Fatal(err)
	}
	inputs, id, query := object("name", "a/b"), "a/b", object()
	if parent != "" {
		inputs, id = inputs.Set("host", value("h")), "h/a/b"
		query = object(map[string]string{"input": "host", "under": "of"}[parent], "h")
	}
	state := created(t, e, "Queue", inputs)
	if state.ID != id {
		t.Errorf("the id is %q, want %q", state.ID, id)
	}
	other := e.Create(t.Context(), engine.CreateRequest{Ref: engine.Ref{Type: "Queue", Name: "other", Key: "urn:other"}, Inputs: check(t, e, "Queue", inputs)})
	if other.Err == nil || other.State != nil {
		t.Errorf("an object that exists was created: %+v", other.State)
	}
	if !strings.Contains(options, `update: "none"`) {
		out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Queue"), State: state, Inputs: check(t, e, "Queue", inputs.Set("durable", value(false)))})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		state = *out.State
	}
	for listed, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("Queue"), Query: query}) {
		if err != nil || listed.ID != id {
			t.Errorf("listed %q, %v", listed.ID, err)
		}
	}
	imported := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Queue"), State: engine.State{ID: id}, Reason: engine.Import})
	if imported.Err != nil {
		t.Fatal(imported.Err)
	}
	if diff := cmp.Diff(state.Inputs, imported.State.Inputs, values); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Queue"), State: *imported.State}); err != nil {
		t.Fatal(err)
	}
	if len(api.objects) != 0 {
		t.Errorf("left: %v", api.objects)
	}
	return append(api.log, fmt.Sprint(len(api.log)))
}

// TestUniqueComparesText: a server may write a value as a number that the program has as text, or the
// reverse. It is the same value: what exists is found, and not made again.
func TestUniqueComparesText(t *testing.T) {
	for kind, shown := range map[string]any{"string": 7, "int": "7", "bool": "true", "number": "1.5"} {
		made := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				made++
			}
			respond(w, http.StatusOK, []any{map[string]any{"id": 1, "name": "a", "of": nil}, map[string]any{"id": 2, "name": "a", "of": shown}})
		}))
		given := map[string]any{"string": "7", "int": 7, "bool": true, "number": 1.5}[kind]
		doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(`
name: "things"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: {name: string, of: ` + kind + `}
	rest: {path: "/things", unique: ["name", "of"]}
}`), Format: "cue"})
		if len(diags) > 0 {
			t.Fatalf("%+v", diags)
		}
		program, diags := engine.Compile(doc.Provider, builtin.Families())
		if len(diags) > 0 {
			t.Fatalf("%+v", diags)
		}
		dir := t.TempDir()
		e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: dir, Journal: dir})
		if err != nil {
			t.Fatal(err)
		}
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "a", "of", given))})
		if out.Err == nil || made > 0 || !strings.Contains(out.Err.Error(), `"2"`) {
			t.Errorf("%s: %d made, %v", kind, made, out.Err)
		}
		server.Close()
	}
}
