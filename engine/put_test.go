package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/load"
)

// TestPutsToCollections: a PUT whose address says which object it replaces may be repeated. A PUT to
// an address that all resources share, to which the server responds with an id of its own, makes an
// object each time, as a POST does.
func TestPutsToCollections(t *testing.T) {
	t.Parallel()
	const byServer, byProgram = `"${result.body.id}"`, `"${inputs.name}"`
	for _, tc := range []struct {
		request, id, imports string
		code                 string // of the warning
		requests             int64  // if the first response is lost
	}{
		{`path: "/things"`, byServer, "", "at-least-once", 1},
		{`path: "/${config.team}/things"`, byServer, "", "at-least-once", 1},
		{`path: "/${session.store}/things"`, byServer, "", "at-least-once", 1},
		{`path: "/stores/${inputs.store}/things"`, byServer, `"${inputs.store}/${id}"`, "at-least-once", 1},
		{`path: "/things", query: dry: false`, byServer, "", "at-least-once", 1},
		{`path: "/things", idempotencyKey: true`, byServer, "", "", 2},
		{`path: "/things", idempotent: true`, byServer, "", "may-overwrite", 2},
		{`path: "/things/${inputs.name}"`, byServer, "", "may-overwrite", 2},
		{`path: "/things", query: name: "${inputs.name}"`, byServer, "", "may-overwrite", 2},
		{`path: "/stores/${inputs.store}/things/${inputs.name}"`, byServer, `"${inputs.store}/${id}"`, "may-overwrite", 2},
		{`path: "/things"`, byProgram, "", "may-overwrite", 2},
		{`path: "/things/${inputs.name}"`, byProgram, "", "may-overwrite", 2},
	} {
		t.Run(tc.request+" "+tc.id, func(t *testing.T) {
			t.Parallel()
			imports := ""
			if tc.imports != "" {
				imports = "import: " + tc.imports
			}
			doc, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: fmt.Appendf(nil, `
name: "things"
version: "1.0.0"
config: {endpoint: string, team: *"a" | string}
http: baseURL: "${config.endpoint}"
configure: http: path: "/me"
resources: Thing: {
	inputs: {store: string @replace(), name: string @replace()}
	id: %s
	%s
	create: http: {method: "PUT", json: name: "${inputs.name}", %s}
	read: http: path: "/stores/${inputs.store}/things/${id}"
	delete: http: {method: "DELETE", path: "/stores/${inputs.store}/things/${id}"}
}`, tc.id, imports, tc.request)})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			program, diags := engine.Compile(doc.Provider, builtin.Families())
			var codes []string
			for _, d := range diags {
				if d.Path == "resources.Thing.create" {
					codes = append(codes, d.Code)
				}
			}
			var want []string
			if tc.code != "" {
				want = []string{tc.code}
			}
			if diff := cmp.Diff(want, codes); diff != "" {
				t.Fatalf("%+v\n%s", diags, diff)
			}

			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut && requests.Add(1) == 1 {
					panic(http.ErrAbortHandler) // the response is lost
				}
				respond(w, http.StatusOK, map[string]any{"id": "7", "store": "s", "name": "a"})
			}))
			defer server.Close()
			e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("store", "s", "name", "a"))})
			if (out.Err == nil) != (tc.requests == 2) || requests.Load() != tc.requests {
				t.Errorf("%d requests, error %v", requests.Load(), out.Err)
			}
		})
	}
}
