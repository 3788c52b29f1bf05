package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
)

// papers is a server that keeps documents by path. It has ETags, honours idempotency keys, and numbers what
// is posted to a collection.
type papers struct {
	mu      sync.Mutex
	objects map[string]any
	version map[string]int
	posted  int
	keys    map[string]any
	log     []string
	// untagged leaves out the ETag of the responses to changes.
	untagged bool
	masks    bool // a GET shows a mask in place of the member secret
	// fault says what becomes of a request: "" is answered, "refuse" is not, "lose" is processed and answered
	// with 500, and "drop" is answered with 500.
	fault func(request string) string
}

func newPapers(t *testing.T) (*papers, string) {
	s := &papers{objects: map[string]any{}, version: map[string]int{}, keys: map[string]any{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func (s *papers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	var body any
	_ = json.Unmarshal(raw, &body)
	request := r.Method + " " + r.URL.RequestURI()
	s.log = append(s.log, strings.TrimSpace(request+" "+string(raw)))
	fault := ""
	if s.fault != nil {
		fault = s.fault(request)
	}
	status, out := 0, any(nil)
	switch fault {
	case "refuse":
		status, out = http.StatusBadRequest, map[string]any{"message": "no"}
	case "drop":
		status = http.StatusInternalServerError
	default:
		if status, out = s.process(r, body); fault == "lose" {
			status, out = http.StatusInternalServerError, nil
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if !s.untagged || r.Method == http.MethodGet {
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, s.version[r.URL.Path]))
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}

func (s *papers) process(r *http.Request, body any) (int, any) {
	path := r.URL.Path
	have, there := s.objects[path]
	if match := r.Header.Get("If-Match"); match != "" && match != fmt.Sprintf(`"%d"`, s.version[path]) || there && r.Header.Get("If-None-Match") != "" {
		return http.StatusPreconditionFailed, nil
	}
	switch r.Method {
	case http.MethodPost:
		key := r.Header.Get("Idempotency-Key")
		if kept, known := s.keys[key]; known && key != "" {
			return http.StatusCreated, kept
		}
		s.posted++
		id := fmt.Sprint(s.posted)
		made := map[string]any{"id": id}
		if members, ok := body.(map[string]any); ok {
			maps.Copy(made, members)
		}
		s.objects[path+"/"+id], s.keys[key] = made, made
		return http.StatusCreated, made
	case http.MethodPut:
		s.objects[path], s.version[path] = body, s.version[path]+1
		return http.StatusOK, body
	case http.MethodDelete:
		if delete(s.objects, path); there {
			return http.StatusNoContent, nil
		}
	case http.MethodGet:
		if page, ok := have.(map[string]any); ok && s.masks {
			shown := maps.Clone(page)
			shown["secret"] = "***"
			return http.StatusOK, shown
		}
		if there {
			return http.StatusOK, have
		}
		if list := s.below(path); len(list) > 0 || path == "/members" {
			return http.StatusOK, list
		}
	}
	return http.StatusNotFound, map[string]any{"message": "not found"}
}

// below returns the objects of a collection.
func (s *papers) below(path string) []any {
	list := []any{}
	for _, at := range slices.Sorted(maps.Keys(s.objects)) {
		if strings.HasPrefix(at, path+"/") {
			list = append(list, s.objects[at])
		}
	}
	return list
}

func (s *papers) set(path string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[path], s.version[path] = v, s.version[path]+1
}

func (s *papers) get(path string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[path]
}

func (s *papers) fails(fault func(request string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// failing returns a fault of the requests that begin with a text.
func failing(how, prefix string) func(string) string {
	return func(request string) string {
		if strings.HasPrefix(request, prefix) {
			return how
		}
		return ""
	}
}

// paths are those of the objects below a path.
func (s *papers) paths(below string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, at := range slices.Sorted(maps.Keys(s.objects)) {
		if strings.HasPrefix(at, below) {
			list = append(list, at)
		}
	}
	return list
}

func (s *papers) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// upper runs one resource as a host does: what it has recorded is what the last result says.
type upper struct {
	testing.TB
	e       *engine.Engine
	journal string
	state   *engine.State
	log     recorder
}

func newUpper(t *testing.T, spec string) *upper {
	w := newWorld()
	w.journal = t.TempDir()
	e, _ := w.engine(t, spec)
	return &upper{TB: t, e: e, journal: w.journal}
}

func (u *upper) up(inputs property.Map) error {
	var out engine.Result
	if u.state == nil {
		out = u.e.Create(u.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs, Log: &u.log})
	} else {
		diff, err := u.e.Diff(u.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *u.state, New: inputs})
		if err != nil || len(diff.Changes) == 0 && u.state.Private.Failed == nil {
			return err
		}
		out = u.e.Update(u.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *u.state, Inputs: inputs, Log: &u.log})
	}
	if out.State != nil {
		u.state = out.State
	}
	return out.Err
}

// listed returns how many entries of the journal are for people.
func (u *upper) listed(t *testing.T) (n int) {
	for _, i := range intents(t, u.journal) {
		if i.Status == journal.Failed {
			n++
		}
	}
	return n
}

func (u *upper) destroy() {
	u.Helper()
	if u.state == nil {
		return
	}
	if err := u.e.Delete(u.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *u.state}); err != nil {
		u.Fatal(err)
	}
	u.state = nil
}

// TestResumedReads stops a change of a shared document between its read and its write. Meanwhile somebody
// else changes the document. The next run keeps what they wrote.
func TestResumedReads(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"refuse", "drop", "lose"} {
		for _, match := range []string{"", ", ifMatch: true"} {
			for _, verb := range []string{"create", "update", "delete"} {
				for name, merge := range map[string]string{"members": "${merge(steps.now.body, fromPairs([[inputs.name, inputs.size]]))}", "in a let": "${changed}"} {
					t.Run(fmt.Sprintf("%s %s%s %s", verb, how, match, name), func(t *testing.T) {
						t.Parallel()
						s, url := newPapers(t)
						s.set("/doc", map[string]any{"other": 1.0})
						write := func(value string) string {
							return `{as: "now", http: {path: "/doc", returns: #Doc}}, {http: {method: "PUT", path: "/doc", json: "` + value + `"` + match + `}, retry: attempts: 1}`
						}
						let := ""
						if strings.Contains(merge, "changed") {
							let = `let: changed: "${merge(steps.now.body, fromPairs([[inputs.name, inputs.size]]))}"`
						}
						u := newUpper(t, `#Doc: [string]: int
http: baseURL: "`+url+`"
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${inputs.name}"
	`+let+`
	create: steps: [{http: {method: "PUT", path: "/first", json: {}}}, `+write(merge)+`]
	read: {http: {path: "/doc", returns: #Doc}, return: "${body[id] == null ? null : {name: id, size: body[id]}}"}
	update: steps: [`+write(merge)+`]
	delete: steps: [`+write("${omit(steps.now.body, id)}")+`]
}`)
						want := map[string]any{"other": 1.0, "foreign": 9.0, "a": 2.0}
						size := 2
						if verb != "create" {
							if err := u.up(object("name", "a", "size", 1)); err != nil {
								t.Fatal(err)
							}
						}
						s.fails(failing(how, "PUT /doc"))
						if verb == "delete" {
							delete(want, "a")
							if err := u.e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *u.state}); err == nil && how != "lose" {
								t.Fatal("the delete did not fail")
							}
						} else if err := u.up(object("name", "a", "size", size)); err == nil && how != "lose" {
							t.Fatal("it did not fail")
						}
						s.fails(nil)
						doc := maps.Clone(s.get("/doc").(map[string]any))
						doc["foreign"] = 9.0
						s.set("/doc", doc)
						if verb == "delete" {
							u.destroy()
						} else if err := u.up(object("name", "a", "size", size)); err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(want, s.get("/doc")); diff != "" {
							t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(s.requests(), "\n"))
						}
					})
				}
			}
		}
	}
}

// TestResumedNumbers: what a step was sent with stays the same if it may have been done, where what it makes
// follows from what was read.
func TestResumedNumbers(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]string{
		"in the address": `{http: {method: "PUT", path: "/things/${steps.next.body.id}", json: {}}, retry: attempts: 1}`,
		"under a key":    `{http: {method: "POST", path: "/things", json: {n: "${steps.next.body.id}"}, idempotencyKey: true}, retry: attempts: 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, url := newPapers(t)
			s.set("/next", map[string]any{"id": "1"})
			u := newUpper(t, `http: baseURL: "`+url+`"
resources: Thing: {
	inputs: name: string @noRead()
	id: "${inputs.name}"
	create: steps: [{http: {method: "PUT", path: "/first", json: {}}}, {as: "next", http: path: "/next"}, `+step+`]
	read: {http: path: "/first", return: {}}
	delete: http: {method: "DELETE", path: "/first"}
}`)
			s.fails(failing("lose", map[string]string{"in the address": "PUT /things", "under a key": "POST /things"}[name]))
			if err := u.up(object("name", "a")); err == nil {
				t.Fatal("it did not fail")
			}
			s.fails(nil)
			s.set("/next", map[string]any{"id": "2"})
			if err := u.up(object("name", "a")); err != nil {
				t.Fatal(err)
			}
			if made := s.paths("/things/"); len(made) != 1 {
				t.Errorf("made %v", made)
			}
		})
	}
}

// TestHalfUndone stops the undo of a create at each of its requests, in each way. Once nothing fails any
// more, there is everything that the create makes, and nothing else.
func TestHalfUndone(t *testing.T) {
	t.Parallel()
	forms := map[string]struct{ step, undo string }{
		"put": {
			`{as: "u", http: {method: "PUT", path: "/users/${inputs.name}", json: {}}`,
			`{http: {method: "DELETE", path: "/users/${inputs.name}"}}, {http: {method: "DELETE", path: "/homes/${inputs.name}"}}`,
		},
		"post": {
			`{as: "u", http: {method: "POST", path: "/users", json: {}, returns: #User}`,
			`{http: {method: "DELETE", path: "/users/${steps.u.body.id}"}}, {http: {method: "DELETE", path: "/homes/${steps.u.body.id}"}}`,
		},
		"loop": {
			`{as: "u", forEach: "${['a', 'b', 'c']}", http: {method: "POST", path: "/users", json: {}, returns: #User, idempotencyKey: true}`,
			`{forEach: "${result ?? []}", http: {method: "DELETE", path: "/users/${each.value.body.id}"}}`,
		},
		"loop of names": {
			`{as: "u", forEach: "${['a', 'b', 'c']}", http: {method: "PUT", path: "/users/${each.value}", json: {}}`,
			`{forEach: "${['a', 'b', 'c']}", http: {method: "DELETE", path: "/users/${each.value}"}}`,
		},
	}
	for form, of := range forms {
		for _, how := range []string{"refuse", "drop", "lose"} {
			for at := range 3 {
				t.Run(fmt.Sprintf("%s, %s at request %d", form, how, at+1), func(t *testing.T) {
					t.Parallel()
					s, url := newPapers(t)
					u := newUpper(t, `#User: {id: string}
http: baseURL: "`+url+`"
resources: Thing: {
	inputs: name: string
	id: "${inputs.name}"
	create: steps: [
		{http: {method: "PUT", path: "/docs/${inputs.name}", json: {}}},
		`+of.step+`, onFailure: [`+of.undo+`]},
		{http: {method: "PUT", path: "/fin/${inputs.name}", json: {}}},
	]
	read: {http: path: "/docs/${id}", return: name: "${id}"}
	delete: http: {method: "DELETE", path: "/docs/${id}"}
}`)
					deletes := 0
					s.fails(func(request string) string {
						switch {
						case strings.HasPrefix(request, "PUT /fin"):
							return "refuse"
						case strings.HasPrefix(request, "DELETE"):
							if deletes++; deletes == at+1 {
								return how
							}
						}
						return ""
					})
					if err := u.up(object("name", "g")); err == nil {
						t.Fatal("it did not fail")
					}
					s.fails(nil)
					for range 2 {
						if err := u.up(object("name", "g")); err != nil {
							t.Fatal(err)
						}
					}
					want := 1
					if strings.HasPrefix(form, "loop") {
						want = 3
					}
					if got := s.paths("/users/"); len(got) != want || len(s.paths("/fin/")) != 1 {
						t.Errorf("there are %v\n%s", got, strings.Join(s.requests(), "\n"))
					}
				})
			}
		}
	}
}

// TestLoopsOfOtherElements: a create stops in a loop, and the program changes its list until it succeeds.
// What is then on the server is what the program wants, and what the journal lists.
func TestLoopsOfOtherElements(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]string{
		"put":  `http: {method: "PUT", path: "/members/${each.value}", json: "${each.value}"}`,
		"post": `http: {method: "POST", path: "/members", json: name: "${each.value}", idempotencyKey: true}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// c is done at one index, and gone after it has moved to that of another one that is gone.
			otherElements{bad: "b", how: "refuse", at: 9, ups: [][]string{{"b"}, {"c", "a", "b"}, {"b", "c"}, {"e"}}}.run(t, t, name, step)
			rapid.Check(t, func(rt *rapid.T) { drawOtherElements(rt).run(t, rt, name, step) })
		})
	}
}

// otherElements is a history of a loop over members. Requests for bad fail, or POSTs from the one at on, in the
// way how.
type otherElements struct {
	bad, how string
	at       int
	ups      [][]string
}

func drawOtherElements(t *rapid.T) otherElements {
	members := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 4, rapid.ID)
	return otherElements{
		bad: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "bad"),
		how: rapid.SampledFrom([]string{"refuse", "drop", "lose"}).Draw(t, "how"),
		at:  rapid.IntRange(1, 3).Draw(t, "at"),
		ups: rapid.SliceOfN(members, 2, 4).Draw(t, "ups"),
	}
}

func (h otherElements) run(t *testing.T, rt rapid.TB, name, step string) {
	s, url := newPapers(t)
	// The requests of the update have a query: they do not fail.
	later := strings.NewReplacer("/${each.value}", "/${each.value}?update", `path: "/members"`, `path: "/members?update"`).Replace(step)
	update := `{forEach: "${filter(state.members, # not in inputs.members)}", http: {method: "DELETE", path: "/members/${each.value}", expect: [204, 404]}},
		{forEach: "${filter(inputs.members, # not in state.members)}", ` + later + `},`
	if name == "post" {
		update = `{as: "there", http: {path: "/members", returns: #Members}},
		{forEach: "${filter(steps.there.body, #.name not in inputs.members)}", http: {method: "DELETE", path: "/members/${each.value.id}"}},
		{as: "again", http: {path: "/members", returns: #Members}},
		{forEach: "${filter(inputs.members, # not in map(steps.again.body, #.name))}", ` + later + `},`
	}
	u := newUpper(t, `#Member: {id: string, name: string}
#Members: [...#Member]
http: baseURL: "`+url+`"
resources: Thing: {
	inputs: members: [...string] @noRead()
	id: "x"
	create: steps: [
		{http: {method: "PUT", path: "/groups/x", json: {}}},
		{forEach: "${inputs.members}", `+step+`, retry: attempts: 1},
	]
	read: {http: path: "/groups/x", return: {}}
	update: steps: [`+update+`]
	delete: http: {method: "DELETE", path: "/groups/x"}
}`)
	posts := 0
	s.fails(func(request string) string {
		if request == "POST /members" {
			posts++
		}
		if request == "PUT /members/"+h.bad || request == "POST /members" && posts >= h.at {
			return h.how
		}
		return ""
	})
	var members []string
	program := func() property.Map {
		list := make([]any, len(members))
		for i, m := range members {
			list[i] = m
		}
		return object("members", list)
	}
	for _, members = range h.ups {
		_ = u.up(program())
	}
	s.fails(nil)
	for range 2 {
		if err := u.up(program()); err != nil {
			rt.Fatal(err)
		}
	}
	listed := u.listed(t)
	var names []string
	for _, path := range s.paths("/members/") {
		v := s.get(path)
		if made, ok := v.(map[string]any); ok {
			v = made["name"]
		}
		names = append(names, v.(string))
	}
	for _, m := range members {
		if !slices.Contains(names, m) {
			rt.Fatalf("%s is missing: there are %v, want %v\n%s", m, names, members, strings.Join(s.requests(), "\n"))
		}
	}
	if left := len(names) - len(members); left > listed {
		rt.Fatalf("there are %v, want %v, and the journal lists %d\n%s", names, members, listed, strings.Join(s.requests(), "\n"))
	}
}

// TestKeysOfWhatWasUndone: a request with a key, which refers to an object that was undone, is another one for
// the next object. What the first may have done is listed.
func TestKeysOfWhatWasUndone(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"${id}", "${steps.g.body.id}", "${name}"} {
		for _, how := range []string{"lose", "drop"} {
			t.Run(to+" "+how, func(t *testing.T) {
				t.Parallel()
				s, url := newPapers(t)
				let := ""
				if to == "${name}" {
					let = `let: name: "${'of ' + id}"`
				}
				u := newUpper(t, `#M: {id: string, name: string}
http: baseURL: "`+url+`"
resources: Thing: {
	inputs: {name: string @replace()}
	`+let+`
	id: "${steps.g.body.id}"
	find: {http: {path: "/groups", items: "${body}", expect: [200, 404]}, return: "${find(result.items, #.name == inputs.name)}"}
	create: steps: [
		{as: "g", http: {method: "POST", path: "/groups", json: name: "${inputs.name}"}, onFailure: [{http: {method: "DELETE", path: "/groups/${id}"}}]},
		{as: "m", http: {method: "POST", path: "/m", json: {name: "c", group: "`+to+`"}, idempotencyKey: true, returns: #M}, retry: attempts: 1},
	]
	read: http: path: "/groups/${id}"
	return: {name: "${inputs.name}"}
	delete: http: {method: "DELETE", path: "/groups/${id}"}
}`)
				s.set("/groups/0", map[string]any{"name": "another"})
				s.fails(failing(how, "POST /m"))
				if err := u.up(object("name", "a")); err == nil {
					t.Fatal("it did not fail")
				}
				s.fails(nil)
				if err := u.up(object("name", "a")); err != nil {
					t.Fatal(err)
				}
				groups := s.paths("/groups/")
				of := strings.TrimPrefix(groups[len(groups)-1], "/groups/")
				belongs := false
				for _, path := range s.paths("/m/") {
					group, _ := s.get(path).(map[string]any)["group"].(string)
					belongs = belongs || strings.TrimPrefix(group, "of ") == of
				}
				if listed := u.listed(t); !belongs || len(groups) != 2 || listed == 0 {
					t.Errorf("groups %v, members %v, %d listed\n%s", groups, s.paths("/m/"), listed, strings.Join(s.requests(), "\n"))
				}
			})
		}
	}
}

// TestLostElementsOfWhatWasUndone: an element of a loop whose response was lost is not among the results that
// the undo goes through, so it is sent again under its key.
func TestLostElementsOfWhatWasUndone(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"lose", "drop"} {
		for _, at := range []string{"1", "2", "3"} {
			t.Run(how+" "+at, func(t *testing.T) {
				t.Parallel()
				s, url := newPapers(t)
				u := newUpper(t, `http: baseURL: "`+url+`"
resources: Thing: {
	inputs: {name: string @replace(), members: [...string] @noRead()}
	id: "${inputs.name}"
	create: steps: [
		{http: {method: "PUT", path: "/sets/${inputs.name}", json: {}, ifNoneMatch: true}, onFailure: [{http: {method: "DELETE", path: "/sets/${inputs.name}"}}]},
		{forEach: "${inputs.members}", http: {method: "POST", path: "/members", json: name: "${each.value}", idempotencyKey: true}, retry: attempts: 1,
			onFailure: [{forEach: "${result ?? []}", http: {method: "DELETE", path: "/members/${each.value.body.id}"}}]},
	]
	read: {http: path: "/sets/${id}", return: name: "${id}"}
	delete: http: {method: "DELETE", path: "/sets/${id}"}
}`)
				posts := 0
				s.fails(func(request string) string {
					if strings.HasPrefix(request, "POST") {
						if posts++; fmt.Sprint(posts) == at {
							return how
						}
					}
					return ""
				})
				inputs := object("name", "s", "members", []any{"a", "b", "c"})
				if err := u.up(inputs); err == nil {
					t.Fatal("it did not fail")
				}
				s.fails(nil)
				if err := u.up(inputs); err != nil {
					t.Fatal(err)
				}
				if made := s.paths("/members/"); len(made) != 3 {
					t.Errorf("made %v\n%s", made, strings.Join(s.requests(), "\n"))
				}
			})
		}
	}
}

// TestRestartsHaveNewKeys: a restart asks for another effect than the request that was answered.
func TestRestartsHaveNewKeys(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"create", "update"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			s, url := newPapers(t)
			resize := `{as: "start", http: {method: "POST", path: "/jobs", json: {size: "${inputs.size}"}, idempotencyKey: true}},
		{as: "wait", http: path: "/jobs/${steps.start.body.id}", until: "${body.done}", fail: "${body.id == '1' ? 'quota' : null}", every: "10ms", restart: "start"},`
			first := ""
			if verb == "create" {
				first = resize
			}
			u := newUpper(t, `http: baseURL: "`+url+`"
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${inputs.name}"
	create: steps: [{http: {method: "PUT", path: "/cs/${inputs.name}", json: "${inputs}"}}, `+first+`]
	read: http: path: "/cs/${id}"
	update: steps: [`+resize+`{http: {method: "PUT", path: "/cs/${id}", json: "${inputs}"}}]
	delete: http: {method: "DELETE", path: "/cs/${id}"}
}`)
			done := func(string) string {
				for _, job := range s.objects {
					if job, ok := job.(map[string]any); ok && job["id"] != nil {
						job["done"] = true
					}
				}
				return ""
			}
			s.fails(done)
			if verb == "update" {
				if err := u.up(object("name", "a", "size", 1)); err != nil {
					t.Fatal(err)
				}
			}
			if err := u.up(object("name", "a", "size", 2)); err == nil {
				t.Fatal("it did not fail")
			}
			if err := u.up(object("name", "a", "size", 2)); err != nil {
				t.Errorf("%v\n%s", err, strings.Join(s.requests(), "\n"))
			}
		})
	}
}

// TestLoopGoesOnElsewhere: a create stops at the second of three elements, and the program has other ones.
func TestLoopGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		members []any
		listed  int
	}{
		"others":     {[]any{"x", "y", "z"}, 1},
		"the first":  {[]any{"a"}, 0},
		"reversed":   {[]any{"d", "a"}, 0},
		"one behind": {[]any{"x", "a", "y"}, 0},
		"none":       {[]any{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, url := newPapers(t)
			u := newUpper(t, `http: baseURL: "`+url+`"
resources: Thing: {
	inputs: members: [...string] @noRead()
	id: "x"
	create: steps: [
		{http: {method: "PUT", path: "/groups/x", json: {}}},
		{forEach: "${inputs.members}", http: {method: "PUT", path: "/members/${each.value}", json: {}}},
	]
	read: {http: path: "/groups/x", return: {}}
	update: http: {method: "PUT", path: "/groups/x", json: {}}
	delete: http: {method: "DELETE", path: "/groups/x"}
}`)
			s.fails(failing("refuse", "PUT /members/bad"))
			if err := u.up(object("members", []any{"a", "bad", "d"})); err == nil {
				t.Fatal("it did not fail")
			}
			if err := u.up(object("members", of.members)); err != nil {
				t.Fatal(err)
			}
			want := []string{"/members/a"}
			for _, m := range of.members {
				want = append(want, "/members/"+m.(string))
			}
			slices.Sort(want)
			if diff := cmp.Diff(slices.Compact(want), s.paths("/members/")); diff != "" {
				t.Errorf("there are other members (-want +got):\n%s", diff)
			}
			if listed := u.listed(t); listed != of.listed {
				t.Errorf("%d are listed, want %d", listed, of.listed)
			}
			if warned := u.log.warnings; warned != of.listed {
				t.Errorf("there are %d warnings, want %d, because an element that was refused left nothing: %v", warned, of.listed, u.log.messages)
			}
		})
	}
}

// TestETagsReadBack: where responses to changes have no ETag, the object is read back. Somebody may have changed
// it in between; the next update does not overwrite that.
func TestETagsReadBack(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"create", "update"} {
		for _, of := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			foreign, masks := of[0], of[1]
			t.Run(fmt.Sprintf("%s, changed %v, masked %v", verb, foreign, masks), func(t *testing.T) {
				t.Parallel()
				s, url := newPapers(t)
				s.untagged, s.masks = true, masks
				secret := "secret: string @secret()"
				if !masks {
					secret += " @noRead()"
				}
				u := newUpper(t, `http: baseURL: "`+url+`"
resources: Thing: {
	inputs: {name: string @replace(), text: string, `+secret+`, size: int}
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/pages/${inputs.name}", json: "${inputs}", ifNoneMatch: true}
	read: http: path: "/pages/${id}"
	update: http: {method: "PUT", path: "/pages/${id}", json: "${inputs}", ifMatch: true}
	delete: http: {method: "DELETE", path: "/pages/${id}", ifMatch: true}
}`)
				inputs := func(text string) property.Map { return object("name", "a", "text", text, "secret", "s", "size", 3) }
				if verb == "update" {
					if err := u.up(inputs("zero")); err != nil {
						t.Fatal(err)
					}
				}
				changes := 0
				s.fails(func(request string) string {
					if strings.HasPrefix(request, "PUT") {
						changes++
					}
					if foreign && changes == 1 && strings.HasPrefix(request, "GET") {
						changes++
						s.objects["/pages/a"] = map[string]any{"name": "a", "text": "foreign", "size": 3}
						s.version["/pages/a"]++
					}
					return ""
				})
				if err := u.up(inputs("one")); err != nil {
					t.Fatal(err)
				}
				err := u.up(inputs("two"))
				text := s.get("/pages/a").(map[string]any)["text"]
				if want := map[bool]string{false: "two", true: "foreign"}[foreign]; (err != nil) != foreign || text != want {
					t.Errorf("the text is %v: %v", text, err)
				}
			})
		}
	}
}

// TestLoopGoesOnOverAMap: keys of a map are data, whatever they look like.
func TestLoopGoesOnOverAMap(t *testing.T) {
	t.Parallel()
	s, url := newPapers(t)
	u := newUpper(t, `http: baseURL: "`+url+`"
resources: Thing: {
	inputs: members: {[string]: string} @noRead()
	id: "x"
	create: steps: [
		{http: {method: "PUT", path: "/groups/x", json: {}}},
		{forEach: "${inputs.members}", http: {method: "PUT", path: "/members/${each.value}", json: {}}},
	]
	read: {http: path: "/groups/x", return: {}}
	update: http: {method: "PUT", path: "/groups/x", json: {}}
	delete: http: {method: "DELETE", path: "/groups/x"}
}`)
	s.fails(failing("refuse", "PUT /members/bad"))
	if err := u.up(object("members", object("gone: ", "a", "gone: k p", "b", "gone:", "c", "z", "bad"))); err == nil {
		t.Fatal("it did not fail")
	}
	if err := u.up(object("members", object("gone: ", "a", "gone: k p", "d", "other", "c"))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/members/a", "/members/b", "/members/c", "/members/d"}, s.paths("/members/")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if puts := strings.Count(strings.Join(s.requests(), "\n"), "PUT /members/a"); puts != 1 || u.listed(t) != 2 {
		t.Errorf("%d requests for the first, %d listed", puts, u.listed(t))
	}
}
