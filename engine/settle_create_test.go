package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestFoundForOtherInputsHasOutputs: what find finds of an earlier create, with other
// inputs, stands for the response: the outputs are those that the create yields of it.
func TestFoundForOtherInputsHasOutputs(t *testing.T) {
	const typed = `#Thing: {id: string, serialNumber: string @wire(serial), ...}`
	for name, tc := range map[string]struct{ id, create, find, more string }{
		"the body":        {"body.id", `http: {method: "POST", path: "/things", json: "${inputs}"}`, `http: path: "/named/${inputs.name}"`, ""},
		"a typed body":    {"body.id", `http: {method: "POST", path: "/things", json: "${inputs}", returns: #Thing}`, `http: {path: "/named/${inputs.name}", returns: #Thing}`, ""},
		"a return":        {"body.id", `{http: {method: "POST", path: "/things", json: "${inputs}"}, return: {serialNumber: "${body.serial}"}}`, `http: path: "/named/${inputs.name}"`, ""},
		"a return of all": {"body.id", `http: {method: "POST", path: "/things", json: "${inputs}"}`, `http: path: "/named/${inputs.name}"`, `return: serialNumber: "${body.serial}"`},
		"steps": {"steps.made.body.id", `{steps: [{as: "made", http: {method: "POST", path: "/things", json: "${inputs}"}}, {http: {method: "PUT", path: "/things/${id}", json: {}}}],
			return: {serialNumber: "${steps.made.body.serial}"}}`, `http: path: "/named/${inputs.name}"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			made, blind := false, 1
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case r.Method == "POST":
					made = true
					panic(http.ErrAbortHandler) // nobody is told
				case !made:
					http.NotFound(w, r)
				case blind > 0:
					blind--
					http.NotFound(w, r)
				default:
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprint(w, `{"id": "7", "serial": "s-7", "name": "a", "size": 1}`)
				}
			}))
			defer server.Close()
			w := newWorld()
			w.journal = t.TempDir()
			e, _ := w.engineWith(t, typed+`
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	outputs: serialNumber?: string @wire(serial)
	id: "${`+tc.id+`}"
	consistency: "0s"
	create: `+tc.create+`
	find: `+tc.find+`
	read: {http: path: "/things/${id}", return: {name: "${body.name}", size: "${int(body.size)}", serialNumber: "${body.serial}"}}
	update: http: {method: "PUT", path: "/things/${id}", json: "${inputs}"}
	delete: http: {method: "DELETE", path: "/things/${id}"}
	`+tc.more+`
}`, object("endpoint", property.New(server.URL)))
			create := func(size int) engine.Result {
				return e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", size)})
			}
			if out := create(1); out.State != nil {
				t.Fatalf("%+v", out)
			}
			out := create(2)
			if out.State == nil || out.State.ID != "7" {
				t.Fatalf("%+v", out)
			}
			if got := out.State.Outputs.Get("serialNumber"); !got.IsString() || got.AsString() != "s-7" {
				t.Errorf("the serial number is %v", got)
			}
		})
	}
}
