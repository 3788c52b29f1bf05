package engine_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
)

// TestIDsThatArePaths reads objects whose ids are their paths. No id, whoever has chosen it, sends a request to another server.
func TestIDsThatArePaths(t *testing.T) {
	t.Parallel()
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	t.Cleanup(other.Close)
	host := other.Listener.Addr().String()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.EscapedPath())
		respond(w, http.StatusOK, map[string]any{"href": "/pets/7/", "name": "Rex"})
	}))
	t.Cleanup(server.Close)
	short, _ := restForms(t, `
name: "pets"
version: "1.0.0"
config: endpoint: string
http: {baseURL: "${config.endpoint}", auth: bearer: "t"}
resources: Pet: {
	inputs: name: string
	rest: {path: "/pets/", id: "href", object: "/${segments(trim(id, '/'))}/", unique: "name"}
}`)
	program, diags := engine.Compile(short, builtin.Families())
	if diags.HasErrors() {
		t.Fatalf("%+v", diags)
	}
	e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][]string{
		"/pets/7/":               {"/pets/7/"},
		"pets/7":                 {"/pets/7/"},
		"/pets/a b?c/":           {"/pets/a%20b%3Fc/"},
		"//" + host + "/pets/7/": {"/" + host + "/pets/7/"},
		"http://" + host + "/7/": nil,
		"/pets/../7/":            nil,
	} {
		asked = nil
		out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: engine.State{ID: id}, Reason: engine.Lookup})
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("%s (-want +got): %s, %v", id, diff, out.Err)
		}
	}
	if elsewhere > 0 {
		t.Errorf("%d requests to another server", elsewhere)
	}
}
