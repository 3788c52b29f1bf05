package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

// several is a server of objects that a program names by their titles, which are not unique there. Its list has pages.
type several struct {
	mu sync.Mutex
	// items are the objects, in the order of the list.
	items []map[string]any
	// perPage is the number of objects on a page.
	perPage int
	// loses means that the response to the next POST is lost, and down that the server refuses all requests.
	loses, down bool
	// writes are the requests with an effect.
	writes []string
}

// own is the id of the object that a POST makes.
const own = "own"

func (s *several) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items = []map[string]any{}
	}
	if s.down {
		respond(w, http.StatusBadRequest, map[string]any{})
		return
	}
	if r.Method != http.MethodGet {
		s.writes = append(s.writes, r.Method+" "+r.URL.Path)
	}
	id, ofOne := strings.CutPrefix(r.URL.Path, "/books/")
	at := slices.IndexFunc(s.items, func(b map[string]any) bool { return b["id"] == id })
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/books":
		var sent map[string]any
		_ = json.NewDecoder(r.Body).Decode(&sent)
		sent["id"] = own
		s.items = append(s.items, sent)
		if s.loses {
			s.down = true
			panic(http.ErrAbortHandler)
		}
		respond(w, http.StatusCreated, sent)
	case ofOne && at < 0:
		respond(w, http.StatusNotFound, map[string]any{})
	case r.Method == http.MethodPost:
		_ = json.NewDecoder(r.Body).Decode(&s.items[at])
		respond(w, http.StatusOK, s.items[at])
	case r.Method == http.MethodDelete:
		s.items = slices.Delete(s.items, at, at+1)
		w.WriteHeader(http.StatusNoContent)
	case ofOne:
		respond(w, http.StatusOK, s.items[at])
	default:
		s.list(w, r)
	}
}

// list responds with a page of the list, or with the objects that have a title, without pages.
func (s *several) list(w http.ResponseWriter, r *http.Request) {
	if title := r.URL.Query().Get("title"); title != "" {
		with := []map[string]any{}
		for _, b := range s.items {
			if b["title"] == title {
				with = append(with, b)
			}
		}
		respond(w, http.StatusOK, with)
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	to := min(from+s.perPage, len(s.items))
	page := map[string]any{"items": s.items[min(from, to):to]}
	if to < len(s.items) {
		page["next"] = strconv.Itoa(to)
	}
	respond(w, http.StatusOK, page)
}

// add adds objects with the title "a", and one with another title before each.
func (s *several) add(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.items = append(s.items, map[string]any{"id": "other-" + id, "title": "b"}, map[string]any{"id": id, "title": "a"})
	}
}

// remove removes objects.
func (s *several) remove(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = slices.DeleteFunc(s.items, func(b map[string]any) bool { return slices.Contains(ids, b["id"].(string)) })
}

// restore lets the server respond.
func (s *several) restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loses, s.down = false, false
}

const severalPages = `paginate: cursor: {param: "from", next: "${body.next ?? null}"}`

// severalFinds are the ways to look for an object that the program names.
var severalFinds = []struct {
	name, resource string
}{
	{"unique", `rest: {path: "/books", items: "items", ` + severalPages + `, unique: "title"}`},
	{"unique, typed", `rest: {path: "/books", items: "items", paginate: cursor: {param: "from", next: "${body.next}"}, unique: "title", returns: #Book}`},
	{"unique, read by the list", `rest: {path: "/books", read: "list", items: "items", ` + severalPages + `, unique: "title"}`},
	{"unique in what find requests", `rest: {path: "/books", find: "GET /titled?title=${inputs.title}", unique: "title"}`},
	{"find(…)", severalOwn(`{http: {path: "/books", PAGES}, return: "${find(result.items, .title == inputs.title)}"}`)},
	{"find(…) with let", severalOwn(`{http: {path: "/books", PAGES}, let: it: "${find(result.items, .title == inputs.title)}", return: "${it == null ? null : {id: it.id, title: it.title}}"}`)},
	{"find(…) of a name", severalOwn(`{http: {path: "/books", PAGES}, return: "${let t = inputs.title; find(result.items, .title == t)}"}`)},
	{"findLast(…)", severalOwn(`{http: {path: "/books", PAGES}, return: "${findLast(result.items, .title == inputs.title)}"}`)},
	{"first(filter(…))", severalOwn(`{http: {path: "/books", PAGES}, return: "${first(filter(result.items, .title == inputs.title))}"}`)},
	{"first of the response", severalOwn(`{http: path: "/titled?title=${inputs.title}", return: "${first(body)}"}`)},
	{"item 0 of the response", severalOwn(`{http: path: "/titled?title=${inputs.title}", return: "${body[0]}"}`)},
	{"the last of the response", severalOwn(`{http: path: "/titled?title=${inputs.title}", return: "${last(body ?? [])}"}`)},
}

// severalOwn returns a resource with a find.
func severalOwn(find string) string {
	return `rest: {path: "/books", list: "none"}, find: ` + strings.ReplaceAll(find, "PAGES", `items: "${body.items}", `+severalPages)
}

func severalEngine(t *testing.T, s *several, resource string, options engine.Options) *engine.Engine {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return severalOf(t, `
config: endpoint: string
http: baseURL: "${config.endpoint}"
#Book: {id: string, title: string}
resources: Book: {
	inputs: title: string @replace()
	consistency: "0s"
	`+resource+`
}`, options, "endpoint", server.URL)
}

func severalOf(t *testing.T, text string, options engine.Options, config ...any) *engine.Engine {
	t.Helper()
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte("name: \"shelf\"\nversion: \"1.0.0\"\n" + text)})
	if len(diags) > 0 {
		t.Fatalf("%+v", diags)
	}
	program, diags := engine.Compile(doc.Provider, builtin.Families())
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	if options.Journal == "" {
		options.Journal = t.TempDir()
	}
	if options.Dir == "" {
		options.Dir = t.TempDir()
	}
	e, err := program.Configure(t.Context(), object(config...), options)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func severalCreate(t *testing.T, e *engine.Engine) engine.Result {
	t.Helper()
	return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Book"), Inputs: check(t, e, "Book", object("title", "a"))})
}

// namesBoth fails unless an error names two of the ids, or a value that has both.
func namesBoth(t *testing.T, err error, ids []string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	named := 0
	for _, id := range ids {
		if strings.Contains(err.Error(), strconv.Quote(id)) {
			named++
		}
	}
	if named < 2 || !strings.Contains(err.Error(), "import") {
		t.Errorf("the error does not name two of %q, or does not say what to do: %v", ids, err)
	}
}

// TestSeveralMatches looks for an object of which the list has none, one or several, on one page or on several, at each moment
// at which that is done: one is found, and of several none is guessed.
func TestSeveralMatches(t *testing.T) {
	for _, find := range severalFinds {
		for matches := range 4 {
			for _, perPage := range []int{1, 100} {
				foreign := []string{"x", "y", "z"}[:matches]
				name := fmt.Sprintf("%s, %d of them, %d per page", find.name, matches, perPage)
				runCase(t, name+", before the create", func(t *testing.T) {
					t.Parallel()
					severalBefore(t, &several{perPage: perPage}, find.resource, foreign)
				})
				runCase(t, name+", after a lost response", func(t *testing.T) {
					t.Parallel()
					severalAfter(t, &several{perPage: perPage}, find.resource, foreign)
				})
			}
		}
	}
}

// severalBefore looks before a create: whatever exists already is somebody else's.
func severalBefore(t *testing.T, s *several, resource string, foreign []string) {
	e := severalEngine(t, s, resource, engine.Options{})
	s.add(foreign...)
	out := severalCreate(t, e)
	switch len(foreign) {
	case 0:
		if out.Err != nil || out.State == nil || out.State.ID != own {
			t.Errorf("%+v", out)
		}
		return
	case 1:
		if out.Err == nil || !strings.Contains(out.Err.Error(), strconv.Quote(foreign[0])) {
			t.Errorf("%+v", out)
		}
	default:
		namesBoth(t, out.Err, foreign)
	}
	if out.State != nil || s.writes != nil {
		t.Errorf("state %+v, sent %q", out.State, s.writes)
	}
}

// severalAfter looks after a lost response: the object of the create is there, and those that others have made since.
func severalAfter(t *testing.T, s *several, resource string, foreign []string) {
	s.loses = true
	journal := t.TempDir()
	e := severalEngine(t, s, resource, engine.Options{Journal: journal})
	if out := severalCreate(t, e); out.Err == nil || out.State != nil {
		t.Fatalf("the response was not lost: %+v", out)
	}
	s.restore()
	s.add(foreign...)
	s.writes = nil
	if len(foreign) > 0 {
		ids := append([]string{own}, foreign...)
		out := severalCreate(t, e)
		if namesBoth(t, out.Err, ids); out.State != nil {
			t.Errorf("%+v", out.State)
		}
		settled, err := e.Settle(t.Context(), engine.SettleRequest{Intent: intents(t, journal)[0], Delete: true})
		if namesBoth(t, err, ids); settled.Deleted || settled.Found {
			t.Errorf("%+v", settled)
		}
		if s.writes != nil {
			t.Errorf("sent %q", s.writes)
		}
		s.remove(foreign...)
	}
	if out := severalCreate(t, e); out.Err != nil || out.State == nil || out.State.ID != own || s.writes != nil {
		t.Errorf("its own object was not adopted: %+v, sent %q", out, s.writes)
	}
}

// TestObjectsOnTwoPages: an object that the list shows on two pages, because others were removed in between, is one object, also if
// it has changed.
func TestObjectsOnTwoPages(t *testing.T) {
	for _, find := range severalFinds {
		t.Run(find.name, func(t *testing.T) {
			t.Parallel()
			s := &several{perPage: 1}
			e := severalEngine(t, s, find.resource, engine.Options{})
			s.items = []map[string]any{{"id": "x", "title": "a", "seen": 1}, {"id": "x", "title": "a", "seen": 2}}
			out := severalCreate(t, e)
			if out.Err == nil || !strings.Contains(out.Err.Error(), `its id is "x"`) {
				t.Errorf("%+v", out)
			}
		})
	}
}

// TestUpdatesBesideOthers: an update of an object that the state names is sent, also if others have the same name; but not one that
// gives it a name of others.
func TestUpdatesBesideOthers(t *testing.T) {
	for title, others := range map[string][]string{"a": {"x", "y"}, "b": nil} {
		t.Run(title, func(t *testing.T) {
			s := &several{perPage: 1}
			s.add(append([]string{own}, others...)...)
			server := httptest.NewServer(s)
			defer server.Close()
			e := severalOf(t, `
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Book: {
	inputs: {title: string, size?: int}
	rest: {path: "/books", items: "items", `+severalPages+`, update: "POST", unique: "title"}
}`, engine.Options{}, "endpoint", server.URL)
			before := object("title", "a", "size", 1)
			s.add("z", "z2") // two with the title "b"
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Book"), State: engine.State{ID: own, Inputs: before, Outputs: before}, Inputs: object("title", title, "size", 2)})
			switch {
			case title == "a" && (out.Err != nil || !slices.Equal(s.writes, []string{"POST /books/own"})):
				t.Errorf("%v, sent %q", out.Err, s.writes)
			case title == "b" && (out.Err == nil || s.writes != nil):
				t.Errorf("%v, sent %q", out.Err, s.writes)
			}
		})
	}
}

// severalNames are the ways to read an object by its name.
var severalNames = []struct{ name, resource string }{
	{"rest", `rest: {path: "/books", create: "PUT", id: "${inputs.title}", read: "list", items: "items", ` + severalPages + `}`},
	{"find(…)", `id: "${inputs.title}"
	create: http: {method: "PUT", path: "/books/${inputs.title}"}
	read: {http: {path: "/books", items: "${body.items}", ` + severalPages + `}, return: "${find(result.items, .title == id)}"}
	delete: null`},
	{"let", `id: "${inputs.title}"
	create: http: {method: "PUT", path: "/books/${inputs.title}"}
	read: {http: {path: "/books", items: "${body.items}", ` + severalPages + `}, let: it: "${find(result.items, .title == inputs.title)}", return: "${it == null ? null : {title: it.title}}"}
	delete: {steps: [
		{as: "all", http: {path: "/books", items: "${body.items}", ` + severalPages + `}},
		{http: {method: "DELETE", path: "/books/${find(steps.all.items, .title == id).id}"}},
	]}`},
}

// TestSeveralMatchesOfNames imports, reads and deletes an object by its name, of which the list has none, one or several.
func TestSeveralMatchesOfNames(t *testing.T) {
	for _, by := range severalNames {
		for matches := range 4 {
			for _, perPage := range []int{1, 100} {
				t.Run(fmt.Sprintf("%s, %d of them, %d per page", by.name, matches, perPage), func(t *testing.T) {
					t.Parallel()
					ids := []string{"x", "y", "z"}[:matches]
					s := &several{perPage: perPage}
					e := severalEngine(t, s, by.resource, engine.Options{})
					s.add(ids...)
					state := engine.State{ID: "a", Inputs: object("title", "a")}
					for _, reason := range []engine.ReadReason{engine.Import, engine.Refresh} {
						of := engine.ReadRequest{Ref: ref("Book"), State: state, Reason: reason}
						if reason == engine.Import {
							of.State = engine.State{ID: "a"}
						}
						out := e.Read(t.Context(), of)
						switch {
						case matches > 1:
							namesBoth(t, out.Err, ids)
						case out.Err != nil || out.Gone != (matches == 0):
							t.Errorf("%+v", out)
						}
					}
					if by.name != "let" {
						return
					}
					e = severalEngine(t, s, by.resource, engine.Options{}) // with nothing remembered
					err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Book"), State: state})
					switch {
					case matches > 1:
						namesBoth(t, err, ids)
					case matches == 1 && err != nil:
						t.Error(err)
					}
					if (s.writes != nil) != (matches == 1) {
						t.Errorf("sent %q", s.writes)
					}
				})
			}
		}
	}
}

// TestSeveralMatchesInOtherFamilies looks in the output of a command, and in a file.
func TestSeveralMatchesInOtherFamilies(t *testing.T) {
	for name, find := range map[string]string{
		"command":           `{exec: {command: ["cat", "list.json"], stdout: "json", effect: "none"}, return: "${find(result.stdout ?? [], .title == inputs.title)}"}`,
		"command, the list": `{exec: {command: ["cat", "list.json"], stdout: "json", effect: "none"}, return: "${let fit = filter(result.stdout ?? [], .title == inputs.title); fit == [] ? null : fit}"}`,
		"file":              `{file: read: path: "list.json", return: "${find(fromJSON(result.content), .title == inputs.title)}"}`,
	} {
		for matches := range 4 {
			t.Run(fmt.Sprintf("%s, %d of them", name, matches), func(t *testing.T) {
				t.Parallel()
				id, made := "${result.stdout.id}", `{"id": "own"}`
				if strings.HasSuffix(name, "list") {
					id, made = "${first(result.stdout ?? [])?.id}", `[{"id": "own"}]`
				}
				dir, ids := t.TempDir(), []string{"x", "y", "z"}[:matches]
				list := []map[string]any{{"id": "o", "title": "b"}}
				for _, id := range ids {
					list = append(list, map[string]any{"id": id, "title": "a"})
				}
				text, _ := json.Marshal(list)
				if err := os.WriteFile(filepath.Join(dir, "list.json"), text, 0o600); err != nil {
					t.Fatal(err)
				}
				e := severalOf(t, `permissions: {read: ["list.json"], run: ["cat", "echo"]}
resources: Book: {
	inputs: title: string
	id: "`+id+`"
	create: exec: {command: ["echo", `+strconv.Quote(made)+`], stdout: "json"}
	find: `+find+`
	delete: null
}`, engine.Options{Dir: dir})
				out := severalCreate(t, e)
				switch matches {
				case 0:
					if out.Err != nil || out.State.ID != own {
						t.Errorf("%+v", out)
					}
				case 1:
					if out.Err == nil || out.State != nil || !strings.Contains(out.Err.Error(), `"x"`) {
						t.Errorf("%+v", out)
					}
				default:
					if namesBoth(t, out.Err, ids); out.State != nil {
						t.Errorf("%+v", out)
					}
				}
			})
		}
	}
}
