package engine_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

// wholeServer has objects by their paths. PUT and POST replace an object: what is not sent is removed. GET shows it, except the members
// that are hidden.
type wholeServer struct {
	mu      sync.Mutex
	objects map[string]map[string]any
	hidden  []string
	// within is the member that contains the object in bodies, and refused is one that no body may contain.
	within, refused string
	tagged          bool // changes require the ETag
	versions        map[string]int
	log             []string
	// before is called before a request is served.
	before func(r *http.Request)
	// lost is the number of responses to changes that are lost.
	lost int

	// url is its address, text a spec for it, and journal the folder of the engine's journal.
	url, journal string
	text         *spec.Provider
}

func (s *wholeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	if s.before != nil {
		s.before(r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path := r.URL.Path
	tag := strconv.Quote(strconv.Itoa(s.versions[path]))
	line := strings.TrimSpace(r.Method + " " + r.URL.RequestURI() + " " + string(text))
	if condition := r.Header.Get("If-Match"); condition != "" {
		line += " if " + strings.Trim(condition, `"`)
	}
	s.log = append(s.log, line)
	object, there := s.objects[path]
	switch {
	case !there:
		respond(w, http.StatusNotFound, map[string]any{})
		return
	case r.Method == http.MethodGet:
		w.Header().Set("ETag", tag)
		shown := maps.Clone(object)
		for _, name := range s.hidden {
			delete(shown, name)
		}
		var body any = shown
		if s.within != "" {
			body = map[string]any{s.within: shown}
		}
		respond(w, http.StatusOK, body)
		return
	case s.tagged && r.Header.Get("If-Match") != tag:
		respond(w, http.StatusPreconditionFailed, map[string]any{})
		return
	}
	var sent map[string]any
	_ = json.Unmarshal(text, &sent)
	if s.within != "" {
		sent, _ = sent[s.within].(map[string]any)
	}
	if _, there := sent[s.refused]; there && s.refused != "" {
		respond(w, http.StatusBadRequest, map[string]any{"message": "unknown member " + s.refused})
		return
	}
	s.set(path, sent)
	if s.lost > 0 {
		s.lost--
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusNoContent)
}

// set replaces an object.
func (s *wholeServer) set(path string, object map[string]any) {
	s.objects[path] = object
	if s.versions == nil {
		s.versions = map[string]int{}
	}
	s.versions[path]++
}

// change changes a member of an object, as somebody else does.
func (s *wholeServer) change(path, name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	object := maps.Clone(s.objects[path])
	object[name] = v
	s.set(path, object)
}

// requests returns the log, and empties it.
func (s *wholeServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// failer is a test or a check of a property.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// wholeEngine returns an engine of a spec for a server, with a journal in a folder.
func wholeEngine(t *testing.T, f failer, text *spec.Provider, url, journal string) *engine.Engine {
	f.Helper()
	program, diags := engine.Compile(text, builtin.Families())
	if len(diags) > 0 {
		f.Fatalf("%+v", diags)
	}
	e, err := program.Configure(t.Context(), object("endpoint", url), engine.Options{Dir: journal, Journal: journal})
	if err != nil {
		f.Fatal(err)
	}
	return e
}

// wholeSpec has two resources of one object: one with members of all shapes, and one with two other members.
const wholeSpec = `
name: "things"
version: "1.0.0"
wire: "snake_case"
config: endpoint: string
http: baseURL: "${config.endpoint}"
#Shape: {kind: "round", radius: int} | {kind: "flat", sideLength: int, edgeCount?: int}
resources: {
	Settings: {
		inputs: {
			maxZones: int, note?: string @normalised(), size?: int @wire(posts.size), perPage?: int @wire(posts.per_page) @normalised(), list?: [...int] @normalised()
			labels?: [string]: string @normalised()
			kept?: {someInt?: int, deepOne?: {innerInt?: int, tags?: [string]: string}} @normalised()
			shape?: #Shape @normalised()
			token?: string @secret() @noRead(), pin?: {code: string, hintText?: string} @secret() @noRead()
		}
		rest: {path: "/settings", singleton: true, patch: "object"}
	}
	Other: {
		inputs: {theme?: string @normalised(), mode?: int @wire(posts.mode)}
		id: "other"
		rest: {path: "/${\"settings\"}", singleton: true, patch: "object"}
	}
}`

// wholeInputs generates inputs of Settings.
func wholeInputs(t *rapid.T, what string) map[string]any {
	some := func(name string) bool { return rapid.Bool().Draw(t, what+" has "+name) }
	number := func(name string) any { return float64(rapid.IntRange(0, 2).Draw(t, what+" "+name)) }
	entries := func(name string) map[string]any {
		out := map[string]any{}
		for k, v := range rapid.MapOfN(rapid.SampledFrom([]string{"a", "b/c", "someInt"}), rapid.SampledFrom([]string{"1", "2"}), 0, 3).Draw(t, what+" "+name) {
			out[k] = v
		}
		return out
	}
	in := map[string]any{"maxZones": number("maxZones")}
	for _, name := range []string{"size", "perPage"} {
		if some(name) {
			in[name] = number(name)
		}
	}
	for _, name := range []string{"note", "token"} {
		if some(name) {
			in[name] = rapid.SampledFrom([]string{"x", "y"}).Draw(t, what+" "+name)
		}
	}
	if some("list") {
		in["list"] = []any{number("item"), number("second item")}
	}
	if some("labels") {
		in["labels"] = entries("labels")
	}
	if some("kept") {
		kept := map[string]any{}
		if some("someInt") {
			kept["someInt"] = number("someInt")
		}
		if some("deepOne") {
			deep := map[string]any{"tags": entries("tags")}
			if some("innerInt") {
				deep["innerInt"] = number("innerInt")
			}
			kept["deepOne"] = deep
		}
		in["kept"] = kept
	}
	switch rapid.IntRange(0, 2).Draw(t, what+" shape") {
	case 1:
		in["shape"] = map[string]any{"kind": "round", "radius": number("radius")}
	case 2:
		in["shape"] = map[string]any{"kind": "flat", "sideLength": number("sideLength")}
	}
	if some("pin") {
		in["pin"] = map[string]any{"code": "c" + rapid.SampledFrom([]string{"1", "2"}).Draw(t, what+" code")}
	}
	return in
}

// wireNamesOfWhole are the names on the wire of what the inputs declare.
var wireNamesOfWhole = map[string]string{
	"maxZones": "max_zones", "perPage": "per_page", "deepOne": "deep_one", "innerInt": "inner_int", "sideLength": "side_length", "hintText": "hint_text",
}

// onWholeWire returns a value of an input as it is on the wire. Keys of maps are data.
func onWholeWire(name string, v any) any {
	members, ok := v.(map[string]any)
	if !ok || name == "labels" || name == "tags" {
		return v
	}
	out := map[string]any{}
	for member, item := range members {
		wire := member
		if w := wireNamesOfWhole[member]; w != "" {
			wire = w
		}
		if member == "someInt" {
			wire = "some_int"
		}
		out[wire] = onWholeWire(member, item)
	}
	return out
}

// replaceChanged changes in an object what differs between two values on the wire, at any depth.
func replaceChanged(object map[string]any, name string, old, now any) {
	was, wasMap := old.(map[string]any)
	is, isMap := now.(map[string]any)
	switch there, isThere := object[name].(map[string]any); {
	case cmp.Equal(old, now):
	case now == nil:
		delete(object, name)
	case (wasMap || old == nil && name != "labels") && isMap && isThere: // what others have in it stays
		there = maps.Clone(there)
		for member := range was {
			replaceChanged(there, member, was[member], is[member])
		}
		for member := range is {
			replaceChanged(there, member, was[member], is[member])
		}
		object[name] = there
	default:
		object[name] = now
	}
}

// wholePath returns the path of an input on the wire.
func wholePath(name string) (parent, wire string) {
	if wire = wireNamesOfWhole[name]; wire == "" {
		wire = name
	}
	if name == "size" || name == "perPage" {
		parent = "posts"
	}
	return parent, wire
}

// wholeDrift changes an object as others do.
func wholeDrift(object map[string]any, drift string) map[string]any {
	out := maps.Clone(object)
	if drift == "theme" || drift == "all" {
		out["theme"] = "light"
	}
	if drift == "new" || drift == "all" {
		out["new"] = map[string]any{"a": 1.0}
	}
	if kept, ok := out["kept"].(map[string]any); ok && drift != "" {
		kept = maps.Clone(kept)
		kept["by_others"], out["kept"] = 2.0, kept
	}
	return out
}

// wholeResult returns an object after a change of the inputs.
func wholeResult(object, first, second map[string]any) map[string]any {
	want, names := maps.Clone(object), maps.Clone(first)
	maps.Copy(names, second)
	for name := range names {
		old, now := onWholeWire(name, first[name]), onWholeWire(name, second[name])
		switch parent, wire := wholePath(name); {
		case now == nil && old != nil && name == "size": // the value of the server stays
		case parent != "":
			within := maps.Clone(want[parent].(map[string]any))
			replaceChanged(within, wire, old, now)
			want[parent] = within
		default:
			replaceChanged(want, wire, old, now)
		}
	}
	return want
}

// TestWholeObjects changes objects that have members which the spec does not know, at any depth: after an update, the server has the
// old object, in which exactly the members that the program has changed are replaced. What the server does not show is sent as
// the program has it.
func TestWholeObjects(t *testing.T) {
	t.Parallel()
	short, expanded := restForms(t, wholeSpec)
	rapid.Check(t, func(rt *rapid.T) {
		first, second := wholeInputs(rt, "first"), wholeInputs(rt, "second")
		drift := rapid.SampledFrom([]string{"", "theme", "new", "all"}).Draw(rt, "drift")
		var logs [][]string
		for _, text := range []*spec.Provider{short, expanded} {
			s := &wholeServer{objects: map[string]map[string]any{"/settings": {
				"max_zones": 9.0, "posts": map[string]any{"per_page": 9.0, "mode": 1.0, "un/known": []any{1.0, nil}}, "theme": "dark",
				"unknown": map[string]any{"null": nil, "big": 12345678901234567.0}, "kept": map[string]any{"unknown": 1.0}, "labels": map[string]any{"old": "1"},
			}}, hidden: []string{"token", "pin"}}
			server := httptest.NewServer(s)
			e := wholeEngine(t, rt, text, server.URL, t.TempDir())
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Settings"), Inputs: inputsOf(first)})
			if out.Err != nil {
				rt.Fatal(out.Err)
			}
			if labels, ok := first["labels"]; ok && !cmp.Equal(labels, s.objects["/settings"]["labels"]) {
				rt.Fatalf("the create left %v, want %v", s.objects["/settings"]["labels"], labels)
			}
			s.set("/settings", wholeDrift(s.objects["/settings"], drift))
			want := wholeResult(s.objects["/settings"], first, second)
			updated := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Settings"), State: *out.State, Inputs: inputsOf(second)})
			server.Close()
			if updated.Err != nil {
				rt.Fatal(updated.Err)
			}
			if diff := cmp.Diff(want, s.objects["/settings"]); diff != "" {
				rt.Fatalf("%v\n%v\n(-want +got):\n%s\n%s", first, second, diff, strings.Join(s.log, "\n"))
			}
			logs = append(logs, s.requests())
		}
		if diff := cmp.Diff(logs[0], logs[1]); diff != "" {
			rt.Fatalf("the requests differ (-rest +expanded):\n%s", diff)
		}
	})
}

// inputsOf returns a map as inputs.
func inputsOf(m map[string]any) property.Map {
	var kv []any
	for name, v := range m {
		kv = append(kv, name, v)
	}
	return object(kv...)
}
