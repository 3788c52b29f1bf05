package engine_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/run/operation"
)

// TestReadOfNothingNamesTheRequest: the error of a read whose response has nothing names the request, its status, the
// place in the spec and the key to write. With that key, the object is gone.
func TestReadOfNothingNamesTheRequest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		read   string // with GONE where the key goes
		status int
		body   string
		want   []string
	}{
		"rest, null":      {`rest: {path: "/things", idempotent: falseGONE}`, 200, "null", []string{"GET /things/7 returned 200 OK", `gone: "${body == null}"`, "`rest`"}},
		"rest, no body":   {`rest: {path: "/things", idempotent: falseGONE}`, 204, "", []string{"GET /things/7 returned 204 No Content", `gone: "${body == null}"`, "`rest`"}},
		"a step, null":    {`read: {http: {path: "/of/${id}"}GONE}`, 200, "null", []string{"GET /of/7 returned 200 OK", `gone: "${body == null}"`, "the step"}},
		"a step, no body": {`read: {http: {path: "/of/${id}"}GONE}`, 204, "", []string{"GET /of/7 returned 204 No Content", `gone: "${body == null}"`, "the step"}},
		"the last of two": {`read: steps: [{world: ask: what: "first"}, {http: {method: "QUERY", effect: "none", path: "/of/${id}"}GONE}]`, 200, "null", []string{"QUERY /of/7 returned 200 OK", "step 2", `gone: "${body == null}"`}},
		"another action":  {`read: {world: {ask: {what: "nothing"}}GONE}`, 200, "", []string{"world.ask", `gone: "${result.body == null}"`, "the step"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.status)
				if tc.body != "" {
					_, _ = w.Write([]byte(tc.body))
				}
			}))
			t.Cleanup(server.Close)
			read := func(gone string) (*engine.State, error) {
				w := newWorld().on("first", yields("id", "7"), yields("id", "7")).on("nothing", answers(nil), answers(nil))
				own := ""
				if !strings.HasPrefix(tc.read, "rest") {
					own = `create: world: do: what: "make"
	delete: world: do: what: "remove"
	id: "7"`
				}
				e, _ := w.engine(t, `http: baseURL: "`+server.URL+`"
resources: Thing: {
	inputs: name: string
	`+strings.Replace(tc.read, "GONE", gone, 1)+`
	`+own+`
}`)
				out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7", Inputs: object("name", "a"), Outputs: object("name", "a")}})
				return out.State, out.Err
			}
			_, err := read("")
			var failed *operation.StepError
			if !errors.As(err, &failed) || !strings.Contains(failed.Place, "<stdin>:") {
				t.Fatalf("the error has no step or place: %v", err)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("expected %q in: %v", part, err)
				}
			}
			gone, _, _ := strings.Cut(err.Error()[strings.Index(err.Error(), "gone: "):], "`")
			if state, err := read(", " + gone); err != nil || state != nil {
				t.Errorf("with %s: %+v, %v", gone, state, err)
			}
		})
	}
}
