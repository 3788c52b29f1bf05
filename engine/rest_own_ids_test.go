package engine_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/diag"
)

// TestListedByOwnIDs: a read of rest that looks through a list takes the item whose id, by the template next to rest, is that of the
// resource, and nothing is gone because an item has only a part of the id. Where the template does not tell the id of
// an item, that is an error.
func TestListedByOwnIDs(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		respond(w, http.StatusOK, []any{
			map[string]any{"id": 1, "team": "a", "kind": "x", "size": 1, "meta": map[string]any{"uuid": "u1"}},
			map[string]any{"id": 1, "team": "b", "kind": "x", "size": 2, "meta": map[string]any{"uuid": "u2"}},
			map[string]any{"id": 2, "team": "b", "kind": "y", "size": 3, "meta": map[string]any{"uuid": "u3"}},
		})
	}))
	t.Cleanup(server.Close)
	const pets = `rest: {path: "/pets", read: "list"}`
	for name, tc := range map[string]struct {
		rest, id string
		has      string // the recorded id
		size     int    // of what is found, 0 for nothing, -1 for an error of the spec
	}{
		"the id":                     {id: "${body.id}", has: "2", size: 3},
		"an id that is not there":    {id: "${body.id}", has: "3"},
		"another member":             {id: "${result.body.meta.uuid}", has: "u2", size: 2},
		"an input and the id":        {id: "${inputs.team}/${body.id}", has: "b/1", size: 2},
		"the first of two":           {id: "${inputs.team}/${body.id}", has: "a/1", size: 1},
		"of another team":            {id: "${inputs.team}/${body.id}", has: "a/2"},
		"two inputs":                 {id: "${inputs.team}:${inputs.kind}", has: "b:y", size: 3},
		"a setting":                  {id: "${config.org}/${body.id}", has: "o/2", size: 3},
		"text around it":             {id: "$${x}\\\"'${body.id}'", has: `${x}"'2'`, size: 3},
		"of types":                   {rest: `rest: {path: "/pets", read: "list", returns: #Pet}`, id: "${inputs.team}/${body.id}", has: "b/1", size: 2},
		"from a header":              {id: "${last(segments(headers.location ?? '')) ?? ''}", has: "2", size: 3},
		"what an item does not tell": {id: "${lower(inputs.team)}/${body.id}", has: "b/1", size: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest := tc.rest
			if rest == "" {
				rest = pets
			}
			text := `http: baseURL: "` + server.URL + `"
config: org: string
#Pet: {id: int, team: string, kind: string, size: int}
resources: Pet: {
	inputs: {team: string @replace(), kind: string @replace(), size: int}
	` + rest + `
	id: "` + tc.id + `"
}`
			if tc.size < 0 {
				wrong := false
				_, diags := newWorld().compile(t, text)
				for _, d := range diags {
					wrong = wrong || d.Severity == diag.Error
				}
				if !wrong {
					t.Error("nothing is wrong")
				}
				return
			}
			e, _ := newWorld().engineWith(t, text, object("org", "o"))
			inputs := object("team", "b", "kind", "x", "size", 9)
			if tc.has[0] == 'a' {
				inputs = object("team", "a", "kind", "x", "size", 9)
			}
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Pet"), State: engine.State{ID: tc.has, Inputs: inputs, Outputs: inputs}})
			switch {
			case out.Err != nil || out.Gone != (tc.size == 0):
				t.Errorf("gone: %v, %v", out.Gone, out.Err)
			case tc.size != 0 && out.State.Inputs.Get("size").AsNumber() != float64(tc.size):
				t.Errorf("found is %v, want %d", out.State.Inputs, tc.size)
			}
		})
	}
}
