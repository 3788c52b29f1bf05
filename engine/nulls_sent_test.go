package engine_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestNullsAreSent checks that a null is sent wherever the type of its place allows null, and is absent
// elsewhere, and that a read finds what was sent.
func TestNullsAreSent(t *testing.T) {
	t.Parallel()
	var none property.Value
	text := property.New("x")
	at := func(v property.Value) property.Value { return property.New(object("a", v, "b", text)) }
	list := func(v property.Value) property.Value { return property.New([]property.Value{v, text}) }
	for typ, cases := range map[string][]struct {
		value property.Value
		want  string
	}{
		"_":                              {{at(none), `{"a":null,"b":"x"}`}, {at(at(none)), `{"a":{"a":null,"b":"x"},"b":"x"}`}, {list(at(none)), `[{"a":null,"b":"x"},"x"]`}, {list(none), `[null,"x"]`}},
		"null | _":                       {{at(none), `{"a":null,"b":"x"}`}},
		"[string]: _":                    {{at(none), `{"a":null,"b":"x"}`}, {at(at(none)), `{"a":{"a":null,"b":"x"},"b":"x"}`}},
		"[string]: null | string":        {{at(none), `{"a":null,"b":"x"}`}},
		"[string]: null | \"x\"":         {{at(none), `{"a":null,"b":"x"}`}},
		"[string]: null | #S":            {{property.New(object("a", none, "b", property.New(object("a", none)))), `{"a":null,"b":{"a":null}}`}},
		"{a: null | string, b?: string}": {{at(none), `{"a":null,"b":"x"}`}, {property.New(object("a", none, "b", none)), `{"a":null}`}},
		"{a?: string, ...}":              {{property.New(object("a", none, "b", none)), `{"b":null}`}},
		"[...(null | string)]":           {{list(none), `[null,"x"]`}},
	} {
		for _, tc := range cases {
			var body []byte
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					body, _ = io.ReadAll(r.Body)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(body)
			}))
			t.Cleanup(server.Close)
			if typ[0] == '[' && typ[1] == 's' {
				typ = "{" + typ + "}"
			}
			e, _ := newWorld().engine(t, `http: baseURL: "`+server.URL+`"
#S: {a: null | string}
resources: Thing: {
	inputs: {name: string @replace(), value: `+typ+`}
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/x", json: "${inputs}"}
	read: http: path: "/x"
	update: http: {method: "PUT", path: "/x", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/x"}
}`)
			inputs := object("name", "n", "value", tc.value)
			checked, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: inputs})
			if err != nil || len(checked.Failures) > 0 {
				t.Fatalf("%s: %v %v", typ, err, checked.Failures)
			}
			made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: checked.Inputs})
			if made.Err != nil {
				t.Fatalf("%s: %v", typ, made.Err)
			}
			var sent struct{ Value any }
			var want any
			if json.Unmarshal(body, &sent) != nil || json.Unmarshal([]byte(tc.want), &want) != nil {
				t.Fatalf("%s", body)
			}
			if diff := cmp.Diff(want, sent.Value); diff != "" {
				t.Errorf("%s (-want +sent):\n%s", typ, diff)
			}
			found := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State})
			if found.Err != nil {
				t.Fatalf("%s: %v", typ, found.Err)
			}
			d, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *found.State, New: checked.Inputs})
			if err != nil || len(d.Changes) > 0 {
				t.Errorf("%s: the next up has changes: %v, %v", typ, d.Changes, err)
			}
		}
	}
}

// TestRefusedNulls: the error of an update that was refused says what null stands for, if the server speaks of it and the program has
// removed an input that may be empty instead.
func TestRefusedNulls(t *testing.T) {
	t.Parallel()
	const spec = `inputs: {name: string, note?: string, size?: int, tags?: [...string], of?: {[string]: string}}
	id: "7"
	create: world: post: what: "make"
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: what: "remove"`
	for name, tc := range map[string]struct {
		was, now []any
		says     string
		want     string
	}{
		"a text":           {[]any{"note", "x"}, nil, "note: This field may not be null.", "`note: *\"\" | string`"},
		"a list":           {[]any{"tags", []any{"x"}}, nil, "expected array, got NULL", "`tags: *[] | "},
		"a map":            {[]any{"of", map[string]any{"a": "b"}}, nil, "'NoneType' object is not iterable", "`of: *{} | "},
		"a number":         {[]any{"size", 1}, nil, "size must not be null", ""},
		"another word":     {[]any{"note", "x"}, nil, "note is annulled", ""},
		"what was changed": {[]any{"note", "x"}, []any{"note", "y"}, "null is not allowed", ""},
		"what was not set": {[]any{"size", 1}, []any{"size", 2}, "note: This field may not be null.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, newWorld().on("change", refused(tc.says)), spec)
			made := s.create(append([]any{"name", "a"}, tc.was...)...)
			out := s.update(made.State, append([]any{"name", "b"}, tc.now...)...)
			if out.Err == nil {
				t.Fatal("it was not refused")
			}
			if got := strings.Contains(out.Err.Error(), "give the input a default"); got != (tc.want != "") || !strings.Contains(out.Err.Error(), tc.want) {
				t.Errorf("got %v, want %q", out.Err, tc.want)
			}
		})
	}
}
