package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestLostOutputs: what only a response shows, and no read, is not known if that response was lost. A required output
// then fails, and an optional one warns, unless updates do not change it.
func TestLostOutputs(t *testing.T) {
	t.Parallel()
	type lost struct{ create, update bool }
	for attributes, optional := range map[string]bool{"": false, "?": true} {
		for _, stable := range []bool{false, true} {
			for _, lose := range []lost{{}, {true, false}, {false, true}} {
				t.Run(fmt.Sprintf("optional %v, stable %v, lost %+v", optional, stable, lose), func(t *testing.T) {
					t.Parallel()
					var mu sync.Mutex
					var thing map[string]any
					server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						mu.Lock()
						defer mu.Unlock()
						w.Header().Set("Content-Type", "application/json")
						shown := map[string]any{}
						switch r.Method {
						case http.MethodGet:
							list := []any{}
							if thing != nil {
								list = append(list, thing)
							}
							if r.URL.Path == "/things" {
								_ = json.NewEncoder(w).Encode(list)
							} else {
								_ = json.NewEncoder(w).Encode(thing)
							}
							return
						default:
							thing = map[string]any{"id": "7"}
							_ = json.NewDecoder(r.Body).Decode(&thing)
							if lose.create && r.Method == http.MethodPost || lose.update && r.Method == http.MethodPut {
								panic(http.ErrAbortHandler)
							}
							for name, v := range thing {
								shown[name] = v
							}
							shown["token"] = "token of " + r.Method
							_ = json.NewEncoder(w).Encode(shown)
						}
					}))
					defer server.Close()
					w := newWorld()
					w.journal = t.TempDir()
					mark := ""
					if stable {
						mark = " @stable()"
					}
					e, _ := w.engineWith(t, `config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: {name: string, size: int}
	outputs: token`+attributes+`: string @secret() @noRead()`+mark+`
	rest: {path: "/things", unique: "name", update: "PUT"}
}`, object("endpoint", property.New(server.URL)))
					var said messages
					made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "size", 1), Log: &said})
					warned := func() bool { return strings.Contains(strings.Join(said.texts, "\n"), "token") }
					if (made.Err != nil) != (lose.create && !optional) {
						t.Fatalf("create: %v", made.Err)
					}
					if made.Err != nil {
						return
					}
					if warned() != lose.create {
						t.Errorf("create: %q", said.texts)
					}
					said.texts = nil
					out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "a", "size", 2), Log: &said})
					if out.Err != nil {
						t.Fatal(out.Err)
					}
					if warned() != (lose.update && !stable) {
						t.Errorf("update: %q", said.texts)
					}
				})
			}
		}
	}
}
