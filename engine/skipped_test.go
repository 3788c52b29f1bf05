package engine_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestSkippedStepsHaveNoResponse checks that what a step with `if` responds may be null after it, by
// each name, unless the use is guarded.
func TestSkippedStepsHaveNoResponse(t *testing.T) {
	t.Parallel()
	for use, fits := range map[string]bool{
		"${upper(result.body.name)}": false, "${upper(body.name)}": false, "${upper(steps.last.body.name)}": false, "${1 + status}": false, "${upper(headers['x'])}": false,
		"${body == null ? 'none' : upper(body.name)}": true, "${upper(body?.name ?? 'none')}": true, "${status == null ? 0 : status + 1}": true,
	} {
		for _, conditional := range []bool{true, false} {
			condition := ""
			if conditional {
				condition = `if: "${inputs.more}", `
			}
			_, diags := newWorld().compile(t, `http: baseURL: "https://x.example.com"
#G: {name: string}
resources: Thing: {
	inputs: {name: string @replace() @noRead(), more: bool @noRead()}
	outputs: shown: string | int
	id: "${inputs.name}"
	create: {steps: [
		{http: {method: "PUT", path: "/a", returns: #G}},
		{as: "last", `+condition+`http: {method: "PUT", path: "/b", returns: #G}},
	], return: shown: "`+use+`"}
	update: {http: {method: "PUT", path: "/b"}, return: shown: "x"}
	delete: http: {method: "DELETE", path: "/a"}
}
`)
			header := use == "${upper(headers['x'])}" // a header may be missing anyway
			if got := diags.HasErrors(); got != (!fits && (conditional || header)) {
				t.Errorf("%s, with if: %t: errors: %t: %+v", use, conditional, got, diags)
			}
		}
	}
}

// TestSkippedWhole checks that a create or update whose only step is skipped returns nothing: read
// gives the outputs.
func TestSkippedWhole(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			t.Error("the step was not skipped")
		}
		respond(w, http.StatusOK, map[string]any{"name": "a", "size": 7})
	}))
	t.Cleanup(server.Close)
	e, _ := newWorld().engine(t, `http: baseURL: "`+server.URL+`"
#G: {name: string, size: int}
resources: Thing: {
	inputs: {name: string @replace(), note: string @noRead(), more: bool @noRead()}
	outputs: size: int
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/a", returns: #G}
	read: http: {path: "/a", returns: #G}
	update: {if: "${inputs.more}", http: {method: "PATCH", path: "/a", json: "${changes}", returns: #G}}
	delete: http: {method: "DELETE", path: "/a"}
	return: {name: "${body.name}", size: "${body.size}"}
}
`)
	made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a", "note", "x", "more", false)})
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: object("name", "a", "note", "y", "more", false)})
	if out.Err != nil || out.State.Outputs.Get("size").AsNumber() != 7 {
		t.Errorf("%+v, %v", out.State, out.Err)
	}
}
