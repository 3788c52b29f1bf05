package engine_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestGoneFirst combines operations, statuses and places of `refused`: where nothing needs to be done
// any more, `gone` comes before what says that the action was refused or has failed.
func TestGoneFirst(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"read", "update", "delete"} {
		for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
			for _, says := range []struct{ defaults, step string }{
				{}, {defaults: `, refused: "${body.error.message}"`}, {step: `, refused: "${body.error.message}"`}, {step: `, fail: "${body.error.message}"`},
			} {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					respond(w, status, map[string]any{"error": map[string]any{"code": 4, "message": "no such thing"}})
				}))
				t.Cleanup(server.Close)
				step := `{http: {method: "POST", path: "/x", json: {}, idempotent: true` + map[bool]string{true: `, effect: "none"`}[verb == "read"] + `}, gone: "${body.error.code == 4}"` + says.step + `}`
				text := `http: {baseURL: "` + server.URL + `"` + says.defaults + `}
resources: Thing: {inputs: a?: string, id: "x", create: http: {path: "/x", method: "PUT"}, ` + verb + ": " + step + `}`
				e, _ := newWorld().engine(t, text)
				state := engine.State{ID: "x"}
				switch verb {
				case "read":
					if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh}); !out.Gone {
						t.Errorf("status %d, %s: %v", status, text, out.Err)
					}
				case "update":
					if out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("a", "b")}); out.Err == nil {
						t.Errorf("status %d, %s: the update succeeded", status, text)
					}
				case "delete":
					if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: state}); err != nil {
						t.Errorf("status %d, %s: %v", status, text, err)
					}
				}
			}
		}
	}
}

// TestGoneGuardsWhatFollows checks that a null check counts as a guard of what is evaluated after it,
// and of nothing else.
func TestGoneGuardsWhatFollows(t *testing.T) {
	t.Parallel()
	for verb, goneFirst := range map[string]bool{"read": true, "delete": true, "update": false} {
		for _, goneGuards := range []bool{true, false} {
			gone, refused := `"${body.pet == null}"`, `"${body.pet.error}"`
			if !goneGuards {
				gone, refused = `"${body.pet.dead}"`, `"${body.pet == null ? 'no pet' : null}"`
			}
			http := `http: {path: "/x", method: "POST", json: {}, idempotent: true, returns: #Got` + map[bool]string{true: `, effect: "none"`}[verb == "read"] + `}`
			_, diags := newWorld().compile(t, `http: baseURL: "https://x.example.com"
#Got: {pet: null | {dead: bool, error: null | string}}
resources: Thing: {inputs: a?: string @noRead(), id: "x", create: http: {path: "/x", method: "PUT"}, `+verb+`: {`+http+`, gone: `+gone+`, refused: `+refused+`, return: {}}}
`)
			if got := diags.HasErrors(); got == (goneFirst == goneGuards) {
				t.Errorf("%s, gone guards: %t: errors: %t: %+v", verb, goneGuards, got, diags)
			}
		}
	}
}
