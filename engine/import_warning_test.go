package engine_test

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/engine"
)

// TestImportNamesPlaceholders checks that an import warns of the inputs for which generated code
// has a placeholder, and of those that get a default because the API does not return them. Nothing
// else does.
func TestImportNamesPlaceholders(t *testing.T) {
	e, _ := newWorld().engine(t, `
resources: It: {
	inputs: {name: string @replace(), password: string @secret() @noRead(), note?: string @noRead(), kind: *"a" | string @noRead(), size: *1 | int}
	id: "${inputs.name}"
	create: world: do: what: "make"
	read: {world: look: what: "it", return: {name: "${id}", size: 3}}
	delete: world: do: what: "remove"
}`)
	for reason, want := range map[engine.ReadReason]bool{engine.Import: true, engine.Lookup: false, engine.Refresh: false} {
		var log messages
		state := engine.State{ID: "it"}
		if reason == engine.Refresh {
			state.Inputs, state.Outputs = object("name", "it", "password", "x"), object("name", "it", "password", "x")
		}
		out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("It"), Reason: reason, State: state, Log: &log})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		said := strings.Join(log.texts, "\n")
		if strings.Contains(said, "password") != want || strings.Contains(said, "kind") != want || strings.Contains(said, "note") || strings.Contains(said, "size") {
			t.Errorf("reason %v: %q", reason, said)
		}
	}
}
