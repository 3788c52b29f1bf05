package engine_test

import (
	"cmp"
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

	"github.com/declprov/declprov/engine"
)

// addresses is an API of addresses of users: an e-mail address exists once, whoever has it. They are created at
// /users/USER/addresses, and also found at /addresses.
type addresses struct {
	mu   sync.Mutex
	by   map[string]map[string]any // by e-mail address
	last int
}

func (a *addresses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	user, key := "", ""
	switch {
	case path[0] == "users" && len(path) > 2:
		user, key = path[1], strings.Join(path[3:], "/")
	case len(path) > 1:
		key = path[len(path)-1]
	}
	mine := func(o map[string]any) bool { return user == "" || o["user"] == user }
	there := func() map[string]any {
		for _, email := range slices.Sorted(maps.Keys(a.by)) {
			if o := a.by[email]; mine(o) && (email == key || o["id"] == key) {
				return o
			}
		}
		return nil
	}()
	switch {
	case r.Method == http.MethodPost:
		var o map[string]any
		_ = json.Unmarshal(text, &o)
		email := fmt.Sprint(o["email"])
		if a.by[email] != nil {
			respond(w, http.StatusConflict, map[string]any{"error": "exists"})
			return
		}
		a.last++
		o["id"], o["user"] = fmt.Sprintf("n%d", a.last), cmp.Or(user, fmt.Sprint(o["user"]))
		a.by[email] = o
		respond(w, http.StatusCreated, o)
	case key == "":
		list := []any{}
		for _, email := range slices.Sorted(maps.Keys(a.by)) {
			if mine(a.by[email]) {
				list = append(list, a.by[email])
			}
		}
		respond(w, http.StatusOK, list)
	case there == nil:
		respond(w, http.StatusNotFound, map[string]any{"error": "none"})
	case r.Method == http.MethodDelete:
		delete(a.by, fmt.Sprint(there["email"]))
		respond(w, http.StatusOK, map[string]any{})
	default:
		respond(w, http.StatusOK, there)
	}
}

// TestReplacementOfWhatFindFinds replaces an object whose id is made in every way, by a create that is preceded by a find of every
// form. The old object is deleted first if find would find it, because no input by which it looks has changed, or if
// the id stays. In that order, the replacement succeeds; in the other one, the message does not show an id that no object has.
func TestReplacementOfWhatFindFinds(t *testing.T) {
	t.Parallel()
	const (
		create = "create: http: {method: \"POST\", path: \"/users/${inputs.user}/addresses\", json: {email: \"${inputs.email}\", note: \"${inputs.note}\"}, idempotent: false}\n"
		// What it is deleted by is recorded.
		rest = "delete: http: {method: \"DELETE\", path: \"/addresses/${inputs.email}\"}\n"
	)
	type form struct {
		spec  string
		looks []string // the inputs by which it looks
		never bool     // nothing is looked for before the create
	}
	// An id by its form, and the inputs of which it consists if nothing else is in it.
	ids := map[string]struct {
		spec   string
		inputs []string
	}{
		"from the response":           {"${result.body.id}", nil},
		"of an input":                 {"${inputs.email}", []string{"email"}},
		"of another input":            {"${inputs.user}", []string{"user"}},
		"of two inputs":               {"${inputs.user}/${inputs.email}", []string{"user", "email"}},
		"of an input and a response":  {"${inputs.user}/${result.body.id}", nil},
		"of the other and a response": {"${inputs.email}/${result.body.id}", nil},
	}
	finds := map[string]form{
		"by its address":   {"find: http: path: \"/addresses/${inputs.email}\"\n", []string{"email"}, false},
		"in a list":        {"find: {http: path: \"/addresses\", return: \"${find(body, .email == inputs.email)}\"}\n", []string{"email"}, false},
		"in its own list":  {"find: {http: path: \"/users/${inputs.user}/addresses\", return: \"${find(body, .email == inputs.email)}\"}\n", []string{"user", "email"}, false},
		"by two inputs":    {"find: {http: path: \"/addresses\", return: \"${find(body, .email == inputs.email and .user == inputs.user)}\"}\n", []string{"user", "email"}, false},
		"after the create": {"find: {first: false, http: path: \"/addresses/${inputs.email}\"}\n", nil, true},
		"nowhere":          {"", nil, true},
	}
	type row struct {
		spec  string
		looks []string
		never bool
		id    []string
	}
	rows := map[string]row{}
	for idName, id := range ids {
		for findName, f := range finds {
			rows["id "+idName+", found "+findName] = row{"id: \"" + id.spec + "\"\n" + create + rest + f.spec, f.looks, f.never, id.inputs}
		}
	}
	for name, r := range map[string]row{
		"rest, a chosen name, flat":    {`rest: {path: "/users/${inputs.user}/addresses", id: "${inputs.email}", object: "/addresses/${id}", list: "none"}`, []string{"email"}, false, []string{"user", "email"}},
		"rest, a chosen name, nested":  {`rest: {path: "/users/${inputs.user}/addresses", id: "${inputs.email}", list: "none"}`, []string{"user", "email"}, false, []string{"user", "email"}},
		"rest, a chosen name, top":     {`rest: {path: "/addresses", id: "${inputs.email}", list: "none"}`, []string{"email"}, false, []string{"email"}},
		"rest, find of its own":        {`rest: {path: "/users/${inputs.user}/addresses", id: "email", object: "/addresses/${id}", find: "GET /addresses/${inputs.email}", list: "none"}`, []string{"email"}, false, nil},
		"rest, unique in the parent":   {`rest: {path: "/users/${inputs.user}/addresses", unique: "email"}`, []string{"user", "email"}, false, nil},
		"rest, unique in a flat list":  {`rest: {path: "/addresses", unique: "email"}`, []string{"email"}, false, nil},
		"rest, unique by two":          {`rest: {path: "/addresses", unique: ["user", "email"]}`, []string{"user", "email"}, false, nil},
		"rest, nothing is unique":      {`rest: {path: "/addresses", idempotent: false}`, nil, true, nil},
		"rest, an own find of another": {"rest: {path: \"/users/${inputs.user}/addresses\", id: \"${inputs.email}\", object: \"/addresses/${id}\", list: \"none\"}\nfind: http: path: \"/addresses/${inputs.email}\"\n", []string{"email"}, false, []string{"user", "email"}},
	} {
		rows[name] = r
	}
	changes := map[string][3]string{
		"the user": {"u2", "x@y", "n"}, "the address": {"u1", "z@y", "n"}, "both": {"u2", "z@y", "n"}, "the note": {"u1", "x@y", "m"},
	}
	changed := map[string][]string{"the user": {"user"}, "the address": {"email"}, "both": {"user", "email"}, "the note": {"note"}}
	for name, r := range rows {
		for change, now := range changes {
			runCase(t, name+"/"+change, func(t *testing.T) {
				t.Parallel()
				touches := func(names []string) bool {
					return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(changed[change], n) })
				}
				found := !r.never && !touches(r.looks)
				first := found || r.id != nil && !touches(r.id)
				a := &addresses{by: map[string]map[string]any{}}
				server := httptest.NewServer(a)
				defer server.Close()
				short, _ := restForms(t, `name: "mail"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Address: {
	inputs: {user: string @replace(), email: string @replace(), note: string @replace() @noRead()}
	consistency: "0s"
	`+r.spec+`}`)
				program, diags := builtinProgram(short)
				if diags.HasErrors() {
					t.Fatalf("%+v", diags)
				}
				e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				was := created(t, e, "Address", object("user", "u1", "email", "x@y", "note", "n"))
				next := check(t, e, "Address", object("user", now[0], "email", now[1], "note", now[2]))
				diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Address"), State: was, New: next})
				if err != nil || diff.DeleteBeforeReplace != first {
					t.Fatalf("deletes first: %v, want %v: %v", diff.DeleteBeforeReplace, first, err)
				}
				make := func() engine.Result {
					return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Address"), Inputs: next})
				}
				if found {
					// As with --replace, of which no provider is asked in which order.
					if out := make(); out.Err == nil {
						t.Fatalf("two objects of one name: %v", a.by)
					} else if now[0] != "u1" && strings.Contains(out.Err.Error(), `"u2`) {
						t.Errorf("it shows an id that no object has: %v", out.Err)
					}
				}
				if first {
					if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Address"), State: was}); err != nil {
						t.Fatal(err)
					}
				}
				if out := make(); first && out.Err != nil {
					t.Error(out.Err)
				}
				if o := a.by[now[1]]; first && (len(a.by) != 1 || o == nil || o["user"] != now[0]) {
					t.Errorf("what exists: %v", a.by)
				}
			})
		}
	}
}

// TestUpdateOfAnIDThatFindDoesNotUse: the object that find finds by what has not changed is the resource itself, whatever id the
// new inputs would give it.
func TestUpdateOfAnIDThatFindDoesNotUse(t *testing.T) {
	t.Parallel()
	for changed, tc := range map[string]struct {
		now     []any
		refused bool
	}{
		"what only the id has": {[]any{"user", "u2", "email", "x@y"}, false},
		"what find uses":       {[]any{"user", "u1", "email", "z@y"}, true},
	} {
		w := newWorld().on("find", gone("it"), yields("email", "x@y"))
		w.journal = t.TempDir()
		e, _ := w.engine(t, `resources: Address: {
	inputs: {user: string, email: string}
	id: "${inputs.user}/${inputs.email}"
	find: world: look: {what: "find", with: "${inputs.email}"}
	create: world: post: {what: "make", with: "${inputs.email}"}
	update: world: post: {what: "move", with: "${inputs.user}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`)
		was := created(t, e, "Address", object("user", "u1", "email", "x@y"))
		w.log()
		out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Address"), State: was, Inputs: object(tc.now...)})
		sent := slices.ContainsFunc(w.log(), func(call string) bool { return strings.HasPrefix(call, "move") })
		if (out.Err != nil) != tc.refused || sent == tc.refused {
			t.Errorf("%s: sent: %v, %v", changed, sent, out.Err)
		}
	}
}
