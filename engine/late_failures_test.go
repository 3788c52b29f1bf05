package engine_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// lateFailure is a create that fails after the request that makes its object was answered.
type lateFailure struct {
	// answer is how the server answers that request: accepted (202), done (200), created (201) with an operation, confirmed (202, and
	// the operation succeeds), object (200 with the object, and no operation), or numbered (202, with an id that it has assigned), or
	// keyed (the same, and the request has a key).
	answer string
	// fails is what fails then: the operation, or the request for it (status 500 or 404, timeout, stop), or the next step, which
	// has an effect (part).
	fails string
	// owner is whose object has that name in the end: own, other, or nobody.
	owner string
	// shows is how the spec asks for objects: "find read", "read" or "".
	shows string
}

func (f lateFailure) String() string {
	return fmt.Sprintf("%s/%s/%s/%s", f.answer, f.fails, f.owner, cmp.Or(f.shows, "blind"))
}

// lateFailures returns all that can happen: a server that says that it has made an object has not found that of somebody else.
func lateFailures() (all []lateFailure) {
	for _, answer := range []string{"accepted", "done", "created", "confirmed", "object", "numbered", "keyed"} {
		for _, fails := range []string{"operation", "500", "404", "timeout", "stop", "part"} {
			for _, owner := range []string{"own", "other", "nobody"} {
				for _, shows := range []string{"find read", "read", ""} {
					f := lateFailure{answer, fails, owner, shows}
					polls := answer != "confirmed" && answer != "object"
					switch {
					case fails == "operation" && !polls, fails != "part" && answer == "object", fails == "part" && answer == "created":
					case owner != "own" && (answer == "created" || answer == "object" || answer == "confirmed" || answer == "numbered" || answer == "keyed"):
					case owner == "nobody" && fails != "operation":
					default:
						all = append(all, f)
					}
				}
			}
		}
	}
	return all
}

// isDefinite reports whether the failure says that the create has failed. Of others, it is not known what becomes of the object.
func (f lateFailure) isDefinite() bool { return f.fails == "operation" || f.fails == "part" }

// isProved reports whether the responses prove that the object is that of the create.
func (f lateFailure) isProved() bool {
	switch f.answer {
	case "accepted":
		return false
	case "done":
		return f.fails == "part"
	default:
		return true
	}
}

func (f lateFailure) isNumbered() bool { return f.answer == "numbered" || f.answer == "keyed" }

func (f lateFailure) spec(url string) string {
	address, id, find, read := "${inputs.name}", "${inputs.name}", `find: http: path: "/things/${inputs.name}"`, `read: http: path: "/things/${id}"`
	once := "idempotent: false"
	if f.answer == "keyed" {
		once = "idempotencyKey: true"
	}
	if f.isNumbered() {
		address, id, find = "${steps.start.body.id}", "${steps.start.body.id}", `find: {http: {path: "/things", items: "${body}"}, return: "${find(result.items, #.name == inputs.name)}"}`
	}
	if !strings.Contains(f.shows, "find") {
		find = ""
	}
	if f.shows == "" {
		read = ""
	}
	wait, part := "", ""
	if f.answer != "object" && (f.fails != "part" || f.answer == "confirmed") {
		wait = `{http: path: "/operations/${steps.start.body.operation}", retry: attempts: 1, until: "${body.done}", fail: "${body.error}", every: "1ms", timeout: "${config.timeout}"},`
	}
	if f.fails == "part" {
		part = `{http: {method: "POST", path: "/parts", json: of: "${inputs.name}"}},`
	}
	return `http: baseURL: "` + url + `"
config: timeout: string
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "` + id + `"
	` + find + `
	create: steps: [
		{
			as: "start"
			http: {method: "POST", path: "/things", json: "${inputs}", ` + once + `}
			onFailure: [{http: {method: "DELETE", path: "/things/` + address + `"}}]
		},
		` + wait + part + `
	]
	` + read + `
	update: http: {method: "PATCH", path: "/things/${id}", json: "${changes}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}`
}

// lateServer is the server of a lateFailure.
type lateServer struct {
	lateFailure
	mu     sync.Mutex
	things map[string]map[string]any
	keys   map[string]any // the responses by key
	log    []string
	posts  int
	broken bool
	// onPoll is called before a poll is answered.
	onPoll func()
}

func (s *lateServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, r.Method+" "+r.URL.Path)
	raw, _ := io.ReadAll(r.Body)
	var body map[string]any
	_ = json.Unmarshal(raw, &body)
	key := r.Header.Get("Idempotency-Key")
	if kept, known := s.keys[key]; known && key != "" {
		respond(w, http.StatusAccepted, kept)
		return
	}
	status, out := s.process(r.Method, strings.TrimPrefix(r.URL.Path, "/"), body)
	s.keys[key] = out
	respond(w, status, out)
}

// change changes how the server behaves.
func (s *lateServer) change(to func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to()
}

// requests returns the requests so far.
func (s *lateServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

func (s *lateServer) process(method, path string, body map[string]any) (int, any) {
	kind, name, _ := strings.Cut(path, "/")
	switch {
	case kind == "operations":
		return s.operation()
	case kind == "parts":
		if s.broken {
			return http.StatusBadRequest, map[string]any{"message": "no"}
		}
		return http.StatusCreated, map[string]any{}
	case method == http.MethodPost:
		return s.post(body)
	case method == http.MethodGet && name == "":
		list := []any{}
		for _, thing := range s.things {
			list = append(list, thing)
		}
		return http.StatusOK, list
	}
	thing, there := s.things[name]
	if !there {
		return http.StatusNotFound, map[string]any{"message": "no thing"}
	}
	if method == http.MethodDelete {
		delete(s.things, name)
	}
	return http.StatusOK, thing
}

func (s *lateServer) post(body map[string]any) (int, any) {
	s.posts++
	name := fmt.Sprint(body["name"])
	made := map[string]any{"name": name, "size": body["size"], "owner": "own"}
	out := map[string]any{"operation": fmt.Sprintf("op-%d", s.posts)}
	if s.isNumbered() {
		name = fmt.Sprintf("n-%d", s.posts)
		made["id"], out["id"] = name, name
	}
	switch {
	case !s.broken || s.owner == "own":
		s.things[name] = made
	case s.owner == "other": // made since find has looked, and all that the program has sent is the same
		made["owner"] = "other"
		s.things[name] = made
	}
	switch s.answer {
	case "done":
		return http.StatusOK, out
	case "created":
		return http.StatusCreated, out
	case "object":
		return http.StatusOK, made
	default:
		return http.StatusAccepted, out
	}
}

func (s *lateServer) operation() (int, any) {
	if s.onPoll != nil {
		s.onPoll()
	}
	if s.broken {
		switch s.fails {
		case "operation":
			return http.StatusOK, map[string]any{"done": true, "error": "it failed"}
		case "500":
			return http.StatusInternalServerError, map[string]any{"message": "try again"}
		case "404":
			return http.StatusNotFound, map[string]any{"message": "no operation"}
		case "timeout", "stop":
			return http.StatusOK, map[string]any{"done": false, "error": nil}
		}
	}
	return http.StatusOK, map[string]any{"done": true, "error": nil}
}

// sent returns how many requests of a method were sent, and forgets all.
func (s *lateServer) sent(method string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.log {
		if strings.HasPrefix(line, method+" /things") {
			n++
		}
	}
	return n
}

// left returns whose objects are left.
func (s *lateServer) left() (owners []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, thing := range s.things {
		owners = append(owners, fmt.Sprint(thing["owner"]))
	}
	slices.Sort(owners)
	return owners
}

// TestLateFailures: only what is proved to be the create's own is deleted, and only after a failure that is definite. After any other,
// the create goes on in the next run, without a second object.
func TestLateFailures(t *testing.T) {
	t.Parallel()
	for _, f := range lateFailures() {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			f.play(t)
		})
	}
}

func (f lateFailure) start(t *testing.T) (*lateServer, *engine.Engine, string) {
	t.Helper()
	s := &lateServer{lateFailure: f, things: map[string]map[string]any{}, keys: map[string]any{}, broken: true}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	w := newWorld()
	w.journal = t.TempDir()
	timeout := "1m"
	if f.fails == "timeout" {
		timeout = "1s" // the runs that go on must not take so long
	}
	prog, diags := w.compile(t, f.spec(server.URL))
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	e, err := prog.Configure(t.Context(), object("timeout", timeout), engine.Options{Dir: t.TempDir(), Journal: w.journal})
	if err != nil {
		t.Fatal(err)
	}
	return s, e, w.journal
}

func (f lateFailure) play(t *testing.T) {
	t.Helper()
	s, e, journal := f.start(t)
	ctx := t.Context()
	if f.fails == "stop" {
		c := cancellable(t, time.Minute)
		s.change(func() { s.onPoll = func() { c.stop(actions.ErrStopped) } })
		ctx = c.ctx
	}
	inputs := object("name", "blue", "size", 3)
	out := e.Create(ctx, engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if out.Err == nil {
		t.Fatal("the create did not fail")
	}
	s.change(func() { s.onPoll = nil })
	if !f.isDefinite() {
		f.goOn(t, s, e, out)
		return
	}
	if out.State != nil {
		t.Fatalf("a state is kept: %v", out.Err)
	}
	removed, listed := f.isProved(), len(intents(t, journal)) > 0
	nobody := f.owner == "nobody" && f.shows != ""
	if wantsDelete := f.isProved(); s.sent("DELETE") > 0 != wantsDelete {
		t.Errorf("sent %v: %v", s.requests(), out.Err)
	}
	if gone := len(s.left()) == 0; gone != (removed || f.owner == "nobody") {
		t.Errorf("left %v: %v", s.left(), out.Err)
	}
	if wants := !removed && !nobody; listed != wants {
		t.Errorf("listed in the journal: %v, want %v: %v", listed, wants, out.Err)
	}
	// The next run creates it, or leaves what is there alone.
	s.change(func() { s.broken = false })
	deletes := s.sent("DELETE")
	again := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
	if s.sent("DELETE") != deletes {
		t.Errorf("the next run deletes it: %v", s.requests())
	}
	if exists := len(s.left()) > 0 && again.Err != nil; strings.Contains(f.shows, "find") && (again.Err != nil) != (exists && !removed && f.owner != "nobody") {
		t.Errorf("the next run: %v", again.Err)
	}
}

// goOn repairs the server, and goes on with the create; or the operation turns out to have failed.
func (f lateFailure) goOn(t *testing.T, s *lateServer, e *engine.Engine, out engine.Result) {
	t.Helper()
	if out.State == nil || s.sent("DELETE") > 0 {
		t.Fatalf("the create cannot go on: %v, sent %v", out.Err, s.requests())
	}
	inputs := object("name", "blue", "size", 3)
	fails := s.fails
	s.change(func() { s.fails = "operation" })
	if f.answer != "confirmed" {
		failed := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: inputs})
		if failed.Err == nil || failed.State == nil || s.sent("DELETE") > 0 != f.isProved() || s.sent("POST") != 1 {
			t.Fatalf("once the operation has failed: %v, state %v, sent %v", failed.Err, failed.State != nil, s.requests())
		}
		if !f.isProved() {
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *failed.State}); err == nil || s.sent("DELETE") > 0 {
				t.Errorf("what is not proved to be its own is deleted with it: %v, sent %v", err, s.requests())
			}
		} else {
			s.change(func() { s.broken = false })
			anew := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *failed.State, Inputs: inputs})
			if anew.Err != nil || s.sent("POST") != 2 || len(s.left()) != 1 {
				t.Errorf("made anew: %v, sent %v, left %v", anew.Err, s.requests(), s.left())
			}
			return
		}
	}
	s.change(func() { s.fails, s.broken = fails, false })
	whole := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: inputs})
	if whole.Err != nil || whole.State == nil || whole.State.Private.Failed != nil || s.sent("POST") != 1 {
		t.Errorf("it does not go on: %v, sent %v", whole.Err, s.requests())
	}
}
