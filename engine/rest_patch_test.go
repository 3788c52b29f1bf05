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

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

// TestFormatsOfUpdates has a table of the values of `patch`, with the request of an update: names are those on the wire, and what the
// read does not show is added.
func TestFormatsOfUpdates(t *testing.T) {
	t.Parallel()
	const of = `rest: {path: "/pets", idempotencyKey: true, list: "none", `
	for name, c := range map[string]struct{ rest, method, kind, body string }{
		"PUT of changes":   {of + `update: "PUT", patch: "changes"}`, "PUT", "application/json", `{"pet_name":"b","kept":{"deep":{"y":2}},"labels":{"b/c":"2"},"list":[2],"note":null,"password":"q"}`},
		"PATCH of changes": {of + `patch: "changes"}`, "PATCH", "application/json", `{"pet_name":"b","kept":{"deep":{"y":2}},"labels":{"b/c":"2"},"list":[2],"note":null,"password":"q"}`},
		"JSON Patch": {
			of + `patch: "json"}`, "PATCH", "application/json-patch+json",
			`[{"op":"remove","path":"/kept/deep/x"},{"op":"add","path":"/kept/deep/y","value":2},{"op":"remove","path":"/labels/a~0b"},{"op":"add","path":"/labels/b~1c","value":"2"},` +
				`{"op":"replace","path":"/list","value":[2]},{"op":"remove","path":"/note"},{"op":"add","path":"/password","value":"q"},{"op":"replace","path":"/pet_name","value":"b"}]`,
		},
		"JSON Patch within": {
			of + `patch: "json", wrap: "the.pet", unwrap: "the.pet"}`, "PATCH", "application/json-patch+json",
			`[{"op":"remove","path":"/the/pet/kept/deep/x"},{"op":"add","path":"/the/pet/kept/deep/y","value":2},{"op":"remove","path":"/the/pet/labels/a~0b"},{"op":"add","path":"/the/pet/labels/b~1c","value":"2"},` +
				`{"op":"replace","path":"/the/pet/list","value":[2]},{"op":"remove","path":"/the/pet/note"},{"op":"add","path":"/the/pet/password","value":"q"},{"op":"replace","path":"/the/pet/pet_name","value":"b"}]`,
		},
	} {
		short, expanded := restForms(t, `
name: "pets"
version: "1.0.0"
wire: "snake_case"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Pet: {
	inputs: {petName: string, kept: deep: {x?: int, y?: int}, labels: [string]: string, list: [...int], note?: string, password: string @secret() @noRead()}
	`+c.rest+`
}`)
		for form, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
			t.Run(name+"/"+form, func(t *testing.T) {
				t.Parallel()
				var method, kind, body string
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					sent, _ := io.ReadAll(r.Body)
					method, kind, body = r.Method, r.Header.Get("Content-Type"), string(sent)
					w.WriteHeader(http.StatusNoContent)
				}))
				defer server.Close()
				e := wholeEngine(t, t, text, server.URL, t.TempDir())
				inputs := object("petName", "a", "kept", map[string]any{"deep": map[string]any{"x": 1.0}}, "labels", map[string]any{"a~b": "1"}, "list", []any{1.0}, "note", "n", "password", "p")
				state := engine.State{ID: "1", Inputs: inputs, Outputs: inputs}
				out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Pet"), State: state, Inputs: object(
					"petName", "b", "kept", map[string]any{"deep": map[string]any{"y": 2.0}}, "labels", map[string]any{"b/c": "2"}, "list", []any{2.0}, "password", "q",
				)})
				_ = out // a read of nothing follows
				var got, want any
				_, _ = json.Unmarshal([]byte(body), &got), json.Unmarshal([]byte(c.body), &want)
				if diff := cmp.Diff([]any{c.method, c.kind, want}, []any{method, kind, got}); diff != "" {
					t.Errorf("(-want +got):\n%s\n%s, %v", diff, body, out.Err)
				}
			})
		}
	}
}

// TestJSONPatchesKeepSiblings changes one of several inputs in the same object on the wire: the others stay, also those that the spec does
// not know, in updates and in what a reset sends.
func TestJSONPatchesKeepSiblings(t *testing.T) {
	t.Parallel()
	const inputs = `inputs: {name: string, size?: int @wire(a.b.size), tags?: [...string] @wire(a.b.tags), kind?: string @wire(a.kind), own?: {x?: int, y?: int} @wire(a.own)}`
	before := object("name", "n", "size", 1, "tags", []any{"t"}, "kind", "k", "own", map[string]any{"x": 1, "y": 2})
	for name, c := range map[string]struct{ rest, remove, set, want string }{
		"a member":              {`{path: "/things", idempotencyKey: true, patch: "json"}`, "", "size", `[{"op":"replace","path":"/a/b/size","value":7}]`},
		"a member within":       {`{path: "/things", idempotencyKey: true, patch: "json", wrap: "w.w", unwrap: "w.w"}`, "", "size", `[{"op":"replace","path":"/w/w/a/b/size","value":7}]`},
		"a member less":         {`{path: "/things", idempotencyKey: true, patch: "json"}`, "kind", "", `[{"op":"remove","path":"/a/kind"}]`},
		"a nested member less":  {`{path: "/things", idempotencyKey: true, patch: "json"}`, "", "own", `[{"op":"remove","path":"/a/own/x"}]`},
		"a member of settings":  {`{path: "/things/1", singleton: true, patch: "json"}`, "", "size", `[{"op":"replace","path":"/a/b/size","value":7}]`},
		"a reset of one":        {`{path: "/things/1", singleton: true, patch: "json", reset: {a: b: size: 0}}`, "", "", `[{"op":"replace","path":"/a/b/size","value":0}]`},
		"a reset of one within": {`{path: "/things/1", singleton: true, patch: "json", wrap: "w.w", unwrap: "w.w", reset: {a: kind: null}}`, "", "", `[{"op":"remove","path":"/w/w/a/kind"}]`},
	} {
		short, expanded := restForms(t, "name: \"things\"\nversion: \"1.0.0\"\nconfig: endpoint: string\nhttp: baseURL: \"${config.endpoint}\"\nresources: Thing: {\n"+inputs+"\noutputs: label: string\nrest: "+c.rest+"\n}")
		for form, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
			t.Run(name+"/"+form, func(t *testing.T) {
				t.Parallel()
				sent := make(chan string, 10)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if body, _ := io.ReadAll(r.Body); len(body) > 0 {
						sent <- string(body)
					}
					now := map[string]any{"id": "1", "name": "n", "label": "l", "a": map[string]any{
						"b": map[string]any{"size": 1, "tags": []any{"t"}, "more": 1}, "kind": "k", "own": map[string]any{"x": 1, "y": 2, "more": 1}, "more": 1,
					}}
					if strings.Contains(c.rest, "wrap") {
						respond(w, http.StatusOK, nest(now, []string{"w", "w"}))
						return
					}
					respond(w, http.StatusOK, now)
				}))
				defer server.Close()
				e := wholeEngine(t, t, text, server.URL, t.TempDir())
				state := engine.State{ID: "1", Inputs: before, Outputs: before.Set("label", property.New("l"))}
				inputs := before
				switch c.set {
				case "size":
					inputs = inputs.Set("size", property.New(7.0))
				case "own":
					inputs = inputs.Set("own", property.New(map[string]property.Value{"y": property.New(2.0)}))
				}
				if c.remove != "" {
					inputs = inputs.Delete(c.remove)
				}
				if c.set+c.remove == "" {
					_ = e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}) // a read of nothing follows
				} else {
					_ = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: inputs})
				}
				select {
				case got := <-sent:
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				default:
					t.Error("nothing was sent")
				}
			})
		}
	}
}

// TestJSONPatchesOfSettings shows what JSON Patches leave: other members of an object that contains inputs. And what they must not leave:
// an input that the read does not show, and that the program or the reset removes.
func TestJSONPatchesOfSettings(t *testing.T) {
	t.Parallel()
	short, expanded := restForms(t, `
name: "things"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Settings: {
	inputs: {zones: int, size?: int @wire(posts.size), token?: string @secret() @noRead(), pin?: string @secret() @noRead()}
	rest: {path: "/p/7/settings", singleton: true, patch: "json", reset: {zones: 10, posts: size: 3, token: null, pin: "0"}}
}`)
	want := []any{
		`[{"op":"add","path":"/pin","value":"1"},{"op":"add","path":"/posts/size","value":5},{"op":"add","path":"/token","value":"t"}]`,
		`[{"op":"add","path":"/pin","value":"2"},{"op":"add","path":"/posts/size","value":6},{"op":"remove","path":"/token"}]`,
		`[{"op":"add","path":"/pin","value":"0"},{"op":"add","path":"/posts/size","value":3},{"op":"replace","path":"/zones","value":10},{"op":"remove","path":"/token"}]`,
	}
	for form, text := range map[string]*spec.Provider{"rest": short, "expanded": expanded} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			var sent []any
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); len(body) > 0 {
					sent = append(sent, string(body))
				}
				respond(w, http.StatusOK, map[string]any{"zones": 5, "posts": map[string]any{"kept": 1}}) // shows no size
			}))
			defer server.Close()
			program, diags := engine.Compile(text, builtin.Families())
			if len(diags) > 0 {
				t.Fatalf("%+v", diags)
			}
			e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			created := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Settings"), Inputs: check(t, e, "Settings", object("zones", 5, "size", 5, "token", "t", "pin", "1"))})
			if created.State == nil {
				t.Fatal(created.Err)
			}
			state := *created.State
			state.Outputs = object() // as after a refresh
			state.Inputs = object("zones", 5, "pin", "1", "token", "t")
			e.Update(t.Context(), engine.UpdateRequest{
				Ref: ref("Settings"), State: state, Inputs: check(t, e, "Settings", object("zones", 5, "size", 6, "pin", "2")),
			})
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Settings"), State: state}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
