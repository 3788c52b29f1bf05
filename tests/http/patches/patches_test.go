// Package patches compares what the updates of each kind of `patch` leave on a server with a model of what they should leave: the object
// as it was, with exactly the changes of the program.
package patches

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

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

type object = map[string]any

// kind is a type of a property: a scalar, a list, a map or a struct. Depth limits what is in it.
type kind struct {
	name   string
	fields []field
	elem   *kind
}

// field is a property, or a member of a struct.
type field struct {
	name     string
	path     []string // on the wire
	optional bool
	hidden   bool // the server never shows it
	kind
}

func (k kind) cue() string {
	switch k.name {
	case "map":
		return "[string]: " + k.elem.cue()
	case "list":
		return "[..." + k.elem.cue() + "]"
	case "struct":
		return "{" + cueFields(k.fields) + "}"
	default:
		return k.name
	}
}

func cueFields(fields []field) string {
	var list []string
	for _, f := range fields {
		mark, wire, of := "", "", f.cue()
		if f.optional {
			mark = "?"
		}
		if !slices.Equal(f.path, []string{f.name}) {
			wire = " @wire(" + strings.Join(f.path, ".") + ")"
		}
		if f.hidden {
			wire += " @noRead()"
		}
		if f.kind.name == "map" {
			of = "{" + of + "}"
		}
		list = append(list, f.name+mark+": "+of+wire)
	}
	return strings.Join(list, ", ")
}

func genKind(t *rapid.T, depth int) kind {
	names := []string{"int", "string", "list", "map", "struct"}
	if depth == 0 {
		names = names[:2]
	}
	k := kind{name: rapid.SampledFrom(names).Draw(t, "kind")}
	switch k.name {
	case "list":
		elem := genKind(t, 0)
		k.elem = &elem
	case "map":
		elem := genKind(t, depth-1)
		k.elem = &elem
	case "struct":
		for _, name := range []string{"x", "y", "z"}[:rapid.IntRange(1, 3).Draw(t, "fields")] {
			k.fields = append(k.fields, field{name, []string{name}, rapid.Bool().Draw(t, "optional"), false, genKind(t, depth-1)})
		}
	}
	return k
}

// genFields generates the inputs of a resource. Some are in the same object on the wire.
func genFields(t *rapid.T, hides bool) (fields []field) {
	for _, name := range []string{"p", "q", "r", "s"}[:rapid.IntRange(1, 4).Draw(t, "inputs")] {
		path := append(slices.Clone(rapid.SampledFrom([][]string{nil, nil, {"a"}, {"a", "b"}}).Draw(t, "within")), name)
		fields = append(fields, field{name, path, rapid.IntRange(0, 3).Draw(t, "optional") > 0, false, genKind(t, 2)})
		last := &fields[len(fields)-1]
		last.hidden = hides && len(last.fields) == 0 && last.elem == nil && rapid.Bool().Draw(t, "hidden")
	}
	return fields
}

// value generates a value of a kind.
func (k kind) value(t *rapid.T) any {
	switch k.name {
	case "int":
		return float64(rapid.IntRange(0, 2).Draw(t, "int"))
	case "string":
		return rapid.SampledFrom([]string{"", "u", "v/w"}).Draw(t, "string")
	case "list":
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			list = append(list, k.elem.value(t))
		}
		return list
	case "map":
		m := object{}
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			m[rapid.SampledFrom([]string{"k", "l/m", "n~"}).Draw(t, "key")] = k.elem.value(t)
		}
		return m
	default:
		return values(t, k.fields, nil)
	}
}

// values generates values for fields; those that are required and in old may stay.
func values(t *rapid.T, fields []field, old object) object {
	out := object{}
	for _, f := range fields {
		switch v, there := old[f.name]; {
		case f.optional && rapid.Bool().Draw(t, f.name+" absent"):
		case there && rapid.Bool().Draw(t, f.name+" stays"):
			out[f.name] = v
		default:
			out[f.name] = f.value(t)
		}
	}
	return out
}

// foreign adds members that the spec does not declare to an object and its structs. The structs that contain inputs on the wire may exist
// without them.
func foreign(t *rapid.T, o object, fields []field) object {
	o = clone(o).(object)
	if rapid.Bool().Draw(t, "a foreign member") {
		o["foreign"] = object{"k": 1.0}
	}
	for _, f := range fields {
		in := o
		for _, name := range f.path[:len(f.path)-1] {
			inner, there := in[name].(object)
			if !there && rapid.Bool().Draw(t, "no container") {
				in = nil
				break
			}
			if inner == nil {
				inner = object{}
			}
			if rapid.Bool().Draw(t, "a foreign sibling") {
				inner["sibling"] = "s"
			}
			in[name], in = inner, inner
		}
		if in == nil || f.kind.name != "struct" {
			continue
		}
		last := f.path[len(f.path)-1]
		if inner, ok := in[last].(object); ok {
			in[last] = foreign(t, inner, f.fields)
		} else if rapid.Bool().Draw(t, "a struct with foreign members only") {
			in[last] = object{"foreign": 7.0}
		}
	}
	return o
}

// clone returns a copy that shares nothing.
func clone(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for name, inner := range v {
			out[name] = clone(inner)
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, clone(item))
		}
		return out
	default:
		return v
	}
}

// set is the model: it changes a member of an object to a value of the program, which was another value before, or nil. Of a struct that was
// not the program's before, the program has all declared members.
func set(in object, path []string, k kind, v, was any) {
	for _, name := range path[:len(path)-1] {
		if _, there := in[name].(object); !there {
			in[name] = object{}
		}
		in = in[name].(object)
	}
	last := path[len(path)-1]
	is, isObject := v.(object)
	if k.name != "struct" || !isObject {
		in[last] = clone(v)
		return
	}
	inner, there := in[last].(object)
	if !there {
		inner = object{}
		in[last] = inner
	}
	before, recorded := was.(object)
	for _, f := range k.fields {
		_, had := before[f.name]
		if given, ok := is[f.name]; ok {
			set(inner, f.path, f.kind, given, before[f.name])
		} else if had || !recorded {
			delete(inner, f.name)
		}
	}
}

// unset is the model of a removed input.
func unset(in object, path []string) {
	for _, name := range path[:len(path)-1] {
		if in, _ = in[name].(object); in == nil {
			return
		}
	}
	delete(in, path[len(path)-1])
}

// server has one object, and implements PATCH by the RFC of the body's type, and PUT of the whole.
type server struct {
	mu   sync.Mutex
	now  object
	log  []string
	kind string

	fields []field
}

// patchObject is the kind of an update that sends the whole object.
const patchObject = "object"

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	s.log = append(s.log, r.Method+" "+string(text))
	before, _ := json.Marshal(s.now)
	after, err := before, error(nil)
	switch media := r.Header.Get("Content-Type"); {
	case r.Method == http.MethodGet:
	case r.Method == http.MethodPut && s.kind == patchObject:
		after = text
	case r.Method == http.MethodPatch && s.kind == "merge" && media == "application/merge-patch+json":
		after, err = jsonpatch.MergePatch(before, text)
	case r.Method == http.MethodPatch && s.kind == "json" && media == "application/json-patch+json":
		var p jsonpatch.Patch
		if p, err = jsonpatch.DecodePatch(text); err == nil {
			after, err = p.Apply(before)
		}
	default:
		err = fmt.Errorf("unexpected %s of %q", r.Method, media)
	}
	if err == nil {
		s.now = nil
		err = json.Unmarshal(after, &s.now)
	}
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(object{"message": err.Error()})
		return
	}
	shown := clone(s.now).(object)
	for _, f := range s.fields {
		if f.hidden {
			unset(shown, f.path)
		}
	}
	_ = json.NewEncoder(w).Encode(shown)
}

// TestPatches generates schemas, objects and changes. After each kind of update, create of settings or reset, the object of the server is what
// it was, with exactly the changes of the program.
func TestPatches(t *testing.T) {
	for _, patch := range []string{"merge", "json", patchObject} {
		for _, way := range []string{"update", "update of settings", "create of settings", "reset"} {
			t.Run(patch+"/"+way, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				rapid.Check(t, func(t *rapid.T) { checkPatch(t, patch, way, dir) })
			})
		}
	}
}

func checkPatch(t *rapid.T, patch, way, dir string) {
	fields := genFields(t, patch != patchObject)
	old := values(t, fields, nil)
	changed := values(t, fields, old)
	rest := `{path: "/things", idempotencyKey: true, list: "none"`
	if way != "update" {
		rest = `{path: "/settings", singleton: true`
		for i := range fields {
			fields[i].optional = true
		}
	}
	wire := object{}
	for _, f := range fields {
		if v, there := old[f.name]; there {
			set(wire, f.path, f.kind, v, nil)
		}
	}
	s := &server{kind: patch, fields: fields, now: foreign(t, wire, fields)}
	want := clone(s.now).(object)
	reset := object{}
	writesAll := way == "reset" || way == "create of settings" // not what is recorded, but all that the program or the spec says
	for _, f := range fields {
		v, there := changed[f.name]
		_, was := old[f.name]
		switch {
		case there && writesAll:
			set(want, f.path, f.kind, v, nil)
			set(reset, f.path, f.kind, v, nil)
		case there && !cmp.Equal(v, old[f.name]):
			set(want, f.path, f.kind, v, old[f.name])
		case there:
		case was && (way == "update" || f.hidden && way == "update of settings"): // the server has no value that stays
			unset(want, f.path)
		case way == "reset" && was:
			unset(want, f.path)
			put(reset, f.path)
		}
	}
	if way == "reset" && len(reset) == 0 {
		return // vet refuses it
	}
	if way == "reset" {
		text, _ := json.Marshal(reset)
		rest += ", reset: " + string(text)
	}
	text := "name: \"things\"\nversion: \"1.0.0\"\nconfig: endpoint: string\nhttp: baseURL: \"${config.endpoint}\"\nresources: Thing: {\n\tinputs: {" + cueFields(fields) +
		"}\n\trest: " + rest + fmt.Sprintf(", patch: %q}\n}\n", patch)
	web := httptest.NewServer(s)
	defer web.Close()
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(text)})
	if diags.HasErrors() {
		t.Fatalf("%s\n%+v", text, diags)
	}
	program, diags := engine.Compile(doc.Provider, builtin.Families())
	if diags.HasErrors() {
		t.Fatalf("%s\n%+v", text, diags)
	}
	e, err := program.Configure(t.Context(), property.NewMap(map[string]property.Value{"endpoint": property.New(web.URL)}), engine.Options{Dir: dir, Journal: dir})
	if err != nil {
		t.Fatal(err)
	}
	ref := engine.Ref{Type: "Thing", Name: "thing"}
	state := engine.State{ID: "1", Inputs: properties(old), Outputs: properties(old)}
	before := clone(s.now)
	switch way {
	case "reset":
		err = e.Delete(t.Context(), engine.DeleteRequest{Ref: ref, State: state})
	case "create of settings":
		err = e.Create(t.Context(), engine.CreateRequest{Ref: ref, Inputs: properties(changed)}).Err
	default:
		err = e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: state, Inputs: properties(changed)}).Err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.now); diff != "" {
		t.Fatalf("%s\nfrom %v to %v; the object was %v\n%s\n%v\n(-want +got):\n%s", text, old, changed, before, strings.Join(s.log, "\n"), err, diff)
	}
}

// put writes null at a path.
func put(in object, path []string) {
	for _, name := range path[:len(path)-1] {
		if _, there := in[name].(object); !there {
			in[name] = object{}
		}
		in = in[name].(object)
	}
	in[path[len(path)-1]] = nil
}

// properties returns a value of the engine.
func properties(o object) property.Map {
	out := map[string]property.Value{}
	for name, v := range maps.All(o) {
		out[name] = propertyOf(v)
	}
	return property.NewMap(out)
}

func propertyOf(v any) property.Value {
	switch v := v.(type) {
	case object:
		return property.New(properties(v))
	case []any:
		list := []property.Value{}
		for _, item := range v {
			list = append(list, propertyOf(item))
		}
		return property.New(list)
	case float64:
		return property.New(v)
	default:
		return property.New(fmt.Sprint(v))
	}
}
