package engine_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
)

// TestParentFirst has a table of responses to the request for the parent, and for the object in it, with what
// a refresh and a delete make of them.
func TestParentFirst(t *testing.T) {
	t.Parallel()
	const text = `
name: "pets"
version: "1.0.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
rest: gone: "${body.error == 'unknown'}"
resources: Pet: {
	inputs: {store: string @replace(), name: string}
	rest: {path: "/stores/${inputs.store}/pets", parent: "/stores/${inputs.store}", unique: "name"}
}`
	type response struct {
		status     int
		kind, body string
	}
	const json, page = "application/json", "text/html; charset=utf-8"
	there := response{200, json, `{"id": "1", "name": "Rex"}`}
	for name, c := range map[string]struct {
		parent, object response
		gone, deleted  bool // without an error
		sent           bool // a DELETE
	}{
		"both exist":                   {there, there, false, true, true},
		"no parent":                    {response{404, json, `{}`}, response{403, json, `{}`}, true, true, false},
		"no parent any more":           {response{410, "", ""}, response{403, json, `{}`}, true, true, false},
		"a forbidden parent":           {response{403, json, `{}`}, there, false, false, false},
		"a page for the parent":        {response{404, page, "<html>no such host</html>"}, there, false, false, false},
		"no object":                    {there, response{404, json, `{}`}, true, true, true},
		"no object, and no words":      {there, response{404, "", ""}, true, true, true},
		"no object any more":           {there, response{410, json, `{}`}, true, true, true},
		"what the author says is gone": {there, response{400, json, `{"error": "unknown"}`}, true, true, true},
		"another error":                {there, response{400, json, `{"error": "busy"}`}, false, false, true},
		"a page for the object":        {there, response{404, page, "<html>no such host</html>"}, false, false, true},
		"a forbidden object":           {there, response{403, json, `{}`}, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deletes := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				now := c.parent
				if r.URL.Path != "/stores/s" {
					now = c.object
				}
				if r.Method == http.MethodDelete {
					deletes++
				}
				if now.kind != "" {
					w.Header().Set("Content-Type", now.kind)
				}
				w.WriteHeader(now.status)
				_, _ = w.Write([]byte(now.body))
			}))
			defer server.Close()
			short, _ := restForms(t, text)
			program, diags := engine.Compile(short, builtin.Families())
			if diags.HasErrors() {
				t.Fatalf("%+v", diags)
			}
			e, err := program.Configure(t.Context(), object("endpoint", server.URL), engine.Options{Dir: t.TempDir(), Journal: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			inputs := object("store", "s", "name", "Rex")
			state := engine.State{ID: "1", Inputs: inputs, Outputs: inputs}
			read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: state, Reason: engine.Refresh})
			if exists := c.parent == there && c.object == there; read.Gone != c.gone || (read.Err == nil) != (c.gone || exists) {
				t.Errorf("gone: %v, %v", read.Gone, read.Err)
			}
			if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Pet"), State: state}); (err == nil) != c.deleted {
				t.Errorf("delete: %v", err)
			}
			if (deletes > 0) != c.sent {
				t.Errorf("%d deletes were sent", deletes)
			}
		})
	}
}
