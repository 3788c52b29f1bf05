package engine_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

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
				program, diags := engine.Compile(text, builtin.Families())
				if diags.HasErrors() {
					t.Fatalf("%+v", diags)
				}
				e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
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
