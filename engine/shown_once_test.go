package engine_test

import (
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestValuesShownOnce shows an output with @noRead(): the value that the create gave stands,
// whatever a read says of it; an update may give another one; an import lacks it.
func TestValuesShownOnce(t *testing.T) {
	t.Parallel()
	const spec = `
resources: Key: {
	inputs: name: string
	outputs: {token: string @secret() @noRead(), status: string}
	id: "${result.id}"
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: what: "get"
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: what: "remove"
}`
	token := func(s *engine.State) string {
		v := s.Outputs.Get("token")
		if v.IsNull() {
			return ""
		}
		if !v.Secret() {
			t.Error("the token is not secret")
		}
		return v.AsString()
	}
	for name, read := range map[string][]any{
		"a read without it":    {"name", "a", "status", "on"},
		"a read that masks it": {"name", "a", "status", "on", "token", "***"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.on("make", yields("id", "7", "token", "t0k3n")) // without status, so read runs
			w.on("get", yields(read...))
			w.on("change", yields("status", "off"), yields("status", "on", "token", "n3w"))
			e, _ := w.engine(t, spec)
			state := created(t, e, "Key", object("name", "a"))
			if token(&state) != "t0k3n" || state.Outputs.Get("status").AsString() != "on" {
				t.Errorf("created: %v", state.Outputs)
			}
			out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Key"), State: state, Reason: engine.Refresh})
			if out.Err != nil || token(out.State) != "t0k3n" {
				t.Errorf("read: %v, %v", out.State, out.Err)
			}
			for i, want := range []string{"t0k3n", "n3w"} {
				name := []string{"b", "c"}[i]
				out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Key"), State: *out.State, Inputs: object("name", name)})
				if out.Err != nil || token(out.State) != want {
					t.Errorf("update %d: %v, %v", i, out.State, out.Err)
				}
			}
			imported := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Key"), State: engine.State{ID: "7"}, Reason: engine.Import})
			if imported.Err != nil || imported.State == nil {
				t.Fatalf("import: %v", imported.Err)
			}
		})
	}
}
