package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestResponsesWithoutEnvelope reads responses with the status of a success that lack the member that
// `unwrap` names, or have null. None of them says that the object is gone; an empty list does, and so does
// what `gone` names.
func TestResponsesWithoutEnvelope(t *testing.T) {
	t.Parallel()
	const object = `{"id": 7, "name": "a"}`
	const found, gone, fails = "found", "gone", "fails"
	cases := map[string]map[string]string{ // the body, and what it says
		"data": {
			`{"data": ` + object + `}`: found, `{}`: fails, `null`: fails, `[]`: fails, `"ok"`: fails, `true`: fails, `7`: fails, ``: fails,
			`{"error": "not found"}`: fails, `{"data": null}`: fails, `{"Data": ` + object + `}`: fails, `{"data": {}}`: fails, object: fails, `{"data": {"deleted": true}}`: gone,
		},
		"result.data": {
			`{"result": {"data": ` + object + `}}`: found, `{"result": {}}`: fails, `{"result": null}`: fails, `{"data": ` + object + `}`: fails, `{}`: fails, ``: fails,
		},
		"data?": {
			`{"data": ` + object + `}`: found, object: found, `{}`: fails, `null`: fails, `[]`: fails, `"ok"`: fails, `true`: fails, `7`: fails, ``: fails,
			`{"error": "not found"}`: fails, `{"data": null}`: fails, `{"Data": ` + object + `}`: fails, `{"data": {}}`: fails, `{"data": {"deleted": true}}`: gone,
		},
		"result.data?": {
			`{"result": {"data": ` + object + `}}`: found, object: found, `{"result": {}}`: fails, `{"result": null}`: fails, `{"data": ` + object + `}`: fails, `{}`: fails, ``: fails,
			`{"result": {"data": null}}`: fails, `{"result": []}`: fails,
		},
		"results.0": {
			`{"results": [` + object + `]}`: found, `{"results": []}`: gone, `{"results": null}`: fails, `{}`: fails, `{"error": "no"}`: fails, ``: fails, `{"results": [{}]}`: fails,
		},
	}
	for unwrap, bodies := range cases {
		for body, want := range bodies {
			for _, importing := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s, import %v", unwrap, body, importing), func(t *testing.T) {
					t.Parallel()
					server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Type", "application/json")
						switch {
						case r.Method == "POST":
							envelope := map[string]string{"data": `{"data": %s}`, "result.data": `{"result": {"data": %s}}`, "results.0": `{"results": [%s]}`, "data?": `%s`, "result.data?": `%s`}[unwrap]
							fmt.Fprint(w, strings.Replace(envelope, "%s", object, 1))
						case body == "":
							w.WriteHeader(http.StatusNoContent)
						default:
							fmt.Fprint(w, body)
						}
					}))
					defer server.Close()
					w := newWorld()
					w.journal = t.TempDir()
					e, _ := w.engineWith(t, `config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: name: string
	rest: {path: "/things", unwrap: "`+unwrap+`", gone: "${body.data?.deleted == true}", idempotent: false}
}`, object1("endpoint", server.URL).AsMap())
					req := engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}}
					if !importing {
						made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: property.NewMap(map[string]property.Value{"name": property.New("a")})})
						if made.Err != nil {
							t.Fatal(made.Err)
						}
						req.State = *made.State
					}
					out := e.Read(t.Context(), req)
					got := fails
					switch {
					case out.Gone && out.Err == nil:
						got = gone
					case out.State != nil && out.Err == nil:
						got = found
					}
					if got != want {
						t.Errorf("%s, want %s: %v", got, want, out.Err)
					}
				})
			}
		}
	}
}
