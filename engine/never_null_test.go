package engine_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// A template in which null cannot stand is what vet promises: it passes only where the
// types say that there is a value. So a spec of such templates, one for each value that
// an operation sees, is asked of vet; those that vet refuses are taken out, and no other
// may ever meet null, whatever a server says and whatever becomes of a create.

// nullPlaces are the values that templates may speak of, by the root that they begin with.
// A length is asked of what is no scalar.
var nullPlaces = map[string][]string{
	"inputs": {
		"inputs.name", "inputs.opt", "inputs.def", "len(inputs.all)", "len(map(inputs.all, .a))", "inputs.st.x", "inputs.st.y", "len(inputs.tags)",
		"inputs.one.kind", "inputs.same",
	},
	"state": {
		"state.name", "state.opt", "state.def", "state.st.x", "state.serial", "state.deep.n", "state.deep.more", "len(state.deep.list)",
		"len(map(state.deep.list, .v))", "state.hint", "state.maybe", "len(state.labels)", "state.either.kind", "state.same",
	},
	"changes":  {"changes.name", "changes.opt", "changes.def"},
	"id":       {"id"},
	"config":   {"config.endpoint", "config.note", "config.mode"},
	"resource": {"resource.type", "resource.name"},
	"body":     nullAnswers("body"),
	"result":   append(nullAnswers("result.body"), "result.status"),
	"first":    append(nullAnswers("steps.first.body"), "steps.first.status"),
	"session":  {"session.token", "session.more"},
	"each":     {"each.key", "each.value.a", "each.value.b"},
}

func nullAnswers(root string) []string {
	var all []string
	for _, p := range []string{"id", "serial", "deep.n", "deep.more", "hint", "maybe", "either.kind", "same"} {
		all = append(all, root+"."+p)
	}
	for _, p := range []string{"deep.list", "labels"} {
		all = append(all, "len("+root+"."+p+")")
	}
	return append(all, "len(map("+root+".deep.list, .v))")
}

// nullProbes are the templates of some roots, as the members of a request's body. refused
// are those that vet does not let pass.
func nullProbes(at string, refused map[string]bool, roots ...string) string {
	var members []string
	for _, root := range roots {
		for i, p := range nullPlaces[root] {
			if key := fmt.Sprintf("p_%s_%s_%d", at, root, i); !refused[key] {
				members = append(members, fmt.Sprintf("%s: \"x${%s}\"", key, p))
			}
		}
	}
	return "{\n" + strings.Join(members, "\n") + "\n}"
}

var nullProbe = regexp.MustCompile(`p_[a-z0-9]+_[a-z]+_[0-9]+`)

// nullSpec is a spec with a way to create and to read.
func nullSpec(v nullCase, refused map[string]bool) string {
	at := func(name string, roots ...string) string { return nullProbes(name, refused, roots...) }
	replace := strings.NewReplacer(
		"PROBES_SECOND", at("second", "inputs", "config", "resource", "body", "result", "first", "session"),
		"PROBES_ALONE", at("alone", "inputs", "config", "resource", "session"),
		"PROBES_READ", at("read", "inputs", "state", "id", "config", "body", "result", "first"),
		"PROBES_UPDATE", at("update", "inputs", "state", "changes", "id", "config", "resource", "session"),
		"PROBES_EACH", at("each", "inputs", "state", "each", "id"),
		"PROBES_DELETE", at("delete", "inputs", "state", "id", "config", "resource"),
		"PROBES_METHOD", at("method", "state", "id", "config", "session"),
		"PROBES_FUNCTION", at("function", "config", "body", "result", "first", "session"),
	)
	return replace.Replace(`
package nulls
name: "nulls"
version: "1.0.0"
config: {endpoint: string, note?: string, mode: *"m" | string}
http: baseURL: "${config.endpoint}"
#Item: {v: string, w?: string}
#Answer: {
	id: string, serial: string, deep: {n: int, more?: string, list: [...#Item]}, hint?: string, maybe: null | string
	labels: [string]: string
	either: {kind: "a", x: string} | {kind: "b", y: int}
	same: string
}
#Session: {token: string, more?: string}
configure: http: {path: "/session", returns: #Session}
resources: Thing: {
	inputs: {
		name: string @noRead(), opt?: string @noRead(), def: *"d" | string @noRead(), all: [...{a: string, b?: string}] @noRead()
		st: {x: string, y?: string} @noRead(), tags: {[string]: string} @noRead()
		one: ({kind: "a", x: string} | {kind: "b", y: int}) @noRead()
		same?: string
	}
	outputs: {
		serial: string, deep: {n: int, more?: string, list: [...#Item]}, hint?: string, maybe: null | string, labels: {[string]: string}
		either: {kind: "a", x: string} | {kind: "b", y: int}
		same: string
	}
	` + v.create + `
	` + v.read + `
	update: steps: [
		{forEach: "${inputs.all}", http: {method: "PUT", path: "/each/x", json: PROBES_EACH}},
		{http: {method: "PUT", path: "/update/${id}", json: PROBES_UPDATE}},
	]
	delete: http: {method: "POST", path: "/delete/${id}", json: PROBES_DELETE, idempotent: true}
	methods: tell: {
		outputs: same?: string
		http: {method: "POST", effect: "none", path: "/method/${id}", json: PROBES_METHOD}
		return: same: "x"
	}
}
functions: ask: {
	outputs: same?: string
	steps: [
		{as: "first", http: {path: "/things/7", returns: #Answer}},
		{http: {method: "POST", effect: "none", path: "/function/x", json: PROBES_FUNCTION}},
	]
	return: same: "x"
}
`)
}

// nullCase is a way to make a thing and to look at it.
type nullCase struct{ name, create, read string }

func nullCases() []nullCase {
	const post = `http: {method: "POST", path: "/things", json: PROBES_ALONE, idempotencyKey: true`
	creates := map[string]string{
		"typed":      `id: "${body.id}", create: ` + post + `, returns: #Answer}`,
		"untyped":    `id: "${body.id}", create: ` + post + `}`,
		"named":      `id: "${inputs.name}", create: ` + post + `}`,
		"with until": `id: "${body.id}", create: {` + post + `, returns: #Answer}, until: "${body.same == \"s\"}", every: "1ms", timeout: "300ms"}`,
		"with fail":  `id: "${body.id}", create: {` + post + `, returns: #Answer}, fail: "${body.same == \"s\" ? null : \"not the same\"}"}`,
		"two steps": `id: "${steps.first.body.id}", create: {steps: [{as: "first", ` + post + `, returns: #Answer}},
			{http: {method: "PUT", path: "/second/x", json: PROBES_SECOND}}], return: "${steps.first.body}"}`,
		"two steps without return": `id: "${steps.first.body.id}", create: steps: [{as: "first", ` + post + `, returns: #Answer}},
			{http: {method: "PUT", path: "/second/x", json: PROBES_SECOND, returns: #Answer}}]`,
		"a return": `id: "${body.id}", create: {` + post + `}, return: {serial: "${body.serial}", deep: "${body.deep}", maybe: "${body.maybe}", labels: "${body.labels}", either: "${body.either}", same: "${body.same}"}}`,
	}
	reads := map[string]string{
		"no read":        "",
		"a typed read":   `read: steps: [{as: "first", http: {path: "/things/${id}", returns: #Answer}}, {http: {method: "POST", effect: "none", path: "/read/x", json: PROBES_READ, returns: #Answer}}]`,
		"an untyped one": `read: http: path: "/things/${id}"`,
	}
	var all []nullCase
	for _, c := range slices.Sorted(maps.Keys(creates)) {
		for _, r := range slices.Sorted(maps.Keys(reads)) {
			if r == "an untyped one" && c != "typed" && c != "untyped" {
				continue // what it reads is recorded alike
			}
			all = append(all, nullCase{name: c + ", " + r, create: creates[c], read: reads[r]})
		}
	}
	return all
}

// nullServer answers with a thing, of which it changes a member for the requests that
// a test names.
type nullServer struct {
	mu      sync.Mutex
	at      string // the beginning of the request: "POST /things"
	path    []string
	change  func(members map[string]any, name string)
	changed int
}

func nullThing() map[string]any {
	return map[string]any{
		"id": "7", "serial": "s-7", "deep": map[string]any{"n": 1, "more": "m", "list": []any{map[string]any{"v": "v"}}},
		"hint": "h", "maybe": "y", "labels": map[string]any{"a": "b"}, "either": map[string]any{"kind": "a", "x": "x"}, "same": "s", "token": "t",
	}
}

func (s *nullServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	thing := nullThing()
	if s.at != "" && strings.HasPrefix(r.Method+" "+r.URL.Path, s.at) {
		members := thing
		for _, name := range s.path[:len(s.path)-1] {
			members = members[name].(map[string]any)
		}
		s.change(members, s.path[len(s.path)-1])
		s.changed++
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(thing)
}

func (s *nullServer) say(at string, path []string, change func(map[string]any, string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.path, s.change = at, path, change
}

// nullChanges are what may be wrong with a member.
var nullChanges = map[string]func(members map[string]any, name string){
	"missing": func(m map[string]any, name string) { delete(m, name) },
	"null":    func(m map[string]any, name string) { m[name] = nil },
	"another": func(m map[string]any, name string) {
		if _, text := m[name].(string); text {
			m[name] = map[string]any{}
		} else {
			m[name] = "text"
		}
	},
	"empty": func(m map[string]any, name string) {
		switch m[name].(type) {
		case string:
			m[name] = ""
		case []any:
			m[name] = []any{}
		case map[string]any:
			m[name] = map[string]any{}
		}
	},
}

var nullPaths = [][]string{
	{"id"},
	{"serial"},
	{"deep"},
	{"deep", "n"},
	{"deep", "more"},
	{"deep", "list"},
	{"hint"},
	{"maybe"},
	{"labels"},
	{"either"},
	{"either", "kind"},
	{"either", "x"},
	{"same"},
}

// nullShare thins out what each spec meets; every request is in specs enough that some meet each change.
var nullFlag = flag.Int("nulls", 6, "one in how many members each spec's server changes; make model has all")

// nullShare is nullFlag, or more with the race detector if only samples run: see casesPerRun.
func nullShare() int { return *nullFlag * min(casesPerRun(), 4) }

// TestNeverNull: what vet says is never null is not, over the lives of things whose
// server leaves out, empties and mistakes one member after the other.
func TestNeverNull(t *testing.T) {
	for i, c := range nullCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := &nullServer{}
			h := httptest.NewServer(server)
			defer h.Close()
			refused := map[string]bool{}
			text := nullSpec(c, refused)
			_, diags := newWorld().compile(t, text)
			lines := strings.Split(text, "\n")
			for _, d := range diags {
				if d.Severity == diag.Error {
					key := nullProbe.FindString(lines[d.Subject.Start.Line-1])
					if key == "" {
						t.Fatalf("%+v", d)
					}
					refused[key] = true
				}
			}
			e, _ := newWorld().engineWith(t, nullSpec(c, refused), object("endpoint", h.URL))
			l := &nullLife{T: t, engine: e, server: server, number: i, title: c.name, spec: c.create + c.read + "/update/ /method/"}
			l.all(c.read != "")
			if l.done < 400/nullShare() {
				t.Errorf("only %d operations: the test is hollow", l.done)
			}
			if l.wrong > 0 {
				t.Errorf("%d contradictions in %d operations", l.wrong, l.done)
			}
		})
	}
}

// nullLife plays the lives of a thing, and counts where a promise was broken.
type nullLife struct {
	*testing.T
	engine      *engine.Engine
	server      *nullServer
	number      int
	title, spec string
	done, wrong int
}

// held counts an operation, and reports one that met null.
func (l *nullLife) held(what string, err error) {
	l.Helper()
	l.done++
	var broken *expr.EvalError
	if errors.As(err, &broken) {
		l.wrong++
		if l.wrong < 10 {
			l.Logf("%s: %s: %v", l.title, what, err)
		}
	}
}

func (l *nullLife) all(reads bool) {
	l.Helper()
	requests := []string{"POST /things", "PUT /second", "PUT /update", "GET /things", "POST /read", "POST /method"}
	for n, path := range nullPaths {
		if (n+l.number)%nullShare() != 0 {
			continue
		}
		for name, change := range nullChanges {
			for i, at := range requests {
				if i > 0 && name != "missing" || at != "POST /things" && !strings.Contains(l.spec, strings.Fields(at)[1]+"/") {
					continue
				}
				what := fmt.Sprintf("%s is %s in %s", strings.Join(path, "."), name, at)
				l.server.say(at, path, change)
				state := l.create(what)
				if state != nil {
					l.goesOn(what, *state, reads)
				}
				l.server.say("", nil, nil)
				if state != nil && i == 0 {
					l.goesOn(what+", then all is well", *state, reads)
				}
				l.server.say(at, path, change)
				if reads {
					l.imported(what)
				}
				_, err := l.engine.Invoke(l.Context(), engine.InvokeRequest{Function: "ask"})
				l.held(what+": function", err)
			}
		}
	}
	l.server.say("", nil, nil)
	l.older(reads)
}

func nullInputs(name string) property.Map {
	return object("name", name, "def", "d", "all", []any{object("a", "1")}, "st", object("x", "1"), "tags", object(), "one", object("kind", "a", "x", "1"))
}

func (l *nullLife) create(what string) *engine.State {
	out := l.engine.Create(l.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: nullInputs("a")})
	l.held(what+": create", out.Err)
	return out.State
}

// goesOn does all that may be done with a state.
func (l *nullLife) goesOn(what string, state engine.State, reads bool) {
	same := l.engine.Update(l.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: state.Inputs})
	l.held(what+": the same again", same.Err)
	out := l.engine.Update(l.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: nullInputs("b")})
	l.held(what+": update", out.Err)
	_, err := l.engine.CallMethod(l.Context(), engine.MethodRequest{Ref: ref("Thing"), Method: "tell", State: state})
	l.held(what+": method", err)
	if out.State != nil {
		_, err = l.engine.CallMethod(l.Context(), engine.MethodRequest{Ref: ref("Thing"), Method: "tell", State: *out.State})
		l.held(what+": method after the update", err)
	}
	if reads {
		seen := l.engine.Read(l.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state})
		l.held(what+": refresh", seen.Err)
		if seen.State != nil {
			out := l.engine.Update(l.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *seen.State, Inputs: nullInputs("c")})
			l.held(what+": update after the refresh", out.Err)
			l.held(what+": delete after the refresh", l.engine.Delete(l.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *seen.State}))
		}
	}
	l.held(what+": delete", l.engine.Delete(l.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}))
}

func (l *nullLife) imported(what string) {
	out := l.engine.Read(l.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: "7"}})
	l.held(what+": import", out.Err)
	if out.State == nil {
		return
	}
	done := l.engine.Update(l.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *out.State, Inputs: nullInputs("d")})
	l.held(what+": update after the import", done.Err)
	l.held(what+": delete after the import", l.engine.Delete(l.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *out.State}))
}

// older are states as a spec left them that did not have one of the properties.
func (l *nullLife) older(reads bool) {
	// On a busy machine, a create may reach its timeout. Its state is that of a failed create, and not an older one.
	var state *engine.State
	for range 50 {
		out := l.engine.Create(l.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: nullInputs("a")})
		l.held("an older state: create", out.Err)
		if state = out.State; out.Err == nil {
			break
		}
	}
	if state == nil {
		return
	}
	another := 0
	again := func() engine.State {
		old := *state
		another++
		old.Private.Token += fmt.Sprint(another) // that of a resource with a life of its own
		return old
	}
	for name := range state.Outputs.AllStable {
		old := again()
		old.Outputs = old.Outputs.Delete(name)
		old.Inputs = old.Inputs.Delete(name)
		l.goesOn("a state without "+name, old, reads)
	}
	for name, part := range map[string]string{"deep": "n", "either": "kind", "st": "x", "one": "kind"} {
		old := again()
		if v := old.Outputs.Get(name); v.IsMap() {
			old.Outputs = old.Outputs.Set(name, property.New(v.AsMap().Delete(part)))
		}
		if v := old.Inputs.Get(name); v.IsMap() {
			old.Inputs = old.Inputs.Set(name, property.New(v.AsMap().Delete(part)))
		}
		l.goesOn("a state without "+name+"."+part, old, reads)
	}
}
