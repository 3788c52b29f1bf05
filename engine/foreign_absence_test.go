package engine_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestAbsenceInTheFormOfTheAPI: a 404 in plain text says that an object is gone, because many APIs respond so. The spec of an
// API that responds with JSON can say so: then the 404 of a gateway without a route forgets nothing, and deletes nothing.
func TestAbsenceInTheFormOfTheAPI(t *testing.T) {
	t.Parallel()
	type response struct{ kind, body string }
	own := response{"application/json; charset=utf-8", `{"code": "not_found"}`}
	responses := []response{own, {"text/plain; charset=utf-8", "404 page not found\n"}, {"text/plain", "no healthy upstream"}, {"", ""}, {"application/json", `{"message": "no Route matched"}`}}
	forms := map[string]func(r response) bool{ // whether a 404 says that the object is gone
		``: func(response) bool { return true },
		`http: refused: "${status == 404 && !((headers['content-type'] ?? '') startsWith 'application/json') ? 'this 404 is not of the API' : null}"`: func(r response) bool {
			return r.kind == own.kind || r.kind == "application/json"
		},
		`http: refused: "${status == 404 && (!((headers['content-type'] ?? '') startsWith 'application/json') || body.code != 'not_found') ? 'this 404 is not of the API' : null}"`: func(r response) bool { return r == own },
	}
	for form, says := range forms {
		for _, resource := range []string{`rest: path: "/things"`, `id: "${body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}`} {
			for _, r := range responses {
				t.Run(fmt.Sprintf("%s %s %q %q", form, resource, r.kind, r.body), func(t *testing.T) {
					t.Parallel()
					server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						if w.Header()["Content-Type"] = nil; r.kind != "" {
							w.Header().Set("Content-Type", r.kind)
						}
						w.WriteHeader(http.StatusNotFound)
						_, _ = io.WriteString(w, r.body)
					}))
					defer server.Close()
					e, _ := newWorld().engineWith(t, `config: endpoint: string
http: baseURL: "${config.endpoint}"
`+form+`
resources: Thing: {
	inputs: name: string @replace()
	`+resource+`
}`, object("endpoint", server.URL))
					state := engine.State{ID: "7", Inputs: object("name", "My"), Outputs: object("name", "My")}
					out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
					if want := says(r); out.Gone != want || (out.Err == nil) != want {
						t.Errorf("gone %v, want %v: %v", out.Gone, want, out.Err)
					}
					if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); (err == nil) != says(r) {
						t.Errorf("the delete: %v", err)
					}
				})
			}
		}
	}
}
