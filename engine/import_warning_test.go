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

// TestImportsSayWhatNothingShows imports by a text with a parent. If read neither asks for the parent nor returns it, a warning says that nothing
// shows whether it is right; and another one if read asks for a parent whose end is a slash, and does not return it.
func TestImportsSayWhatNothingShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		read, text, owner, says string
	}{
		{`{world: look: {what: "it", with: "${id}"}, return: size: 3}`, "7/me", "me", "neither asks for inputs.owner"},
		{`{world: look: {what: "it", with: "${id}"}, return: {owner: "me", size: 3}}`, "7/me", "me", ""},
		{`{world: look: {what: "it", with: "${inputs.owner}/${id}"}, return: size: 3}`, "7/me", "me", ""},
		{`{world: look: {what: "it", with: "${inputs.owner}/${id}"}, return: size: 3}`, "7/me/", "me/", `import it as "7/me"`},
		{`{world: look: {what: "it", with: "${inputs.owner}/${id}"}, return: {owner: "me/", size: 3}}`, "7/me/", "me/", ""},
	} {
		e, _ := newWorld().engine(t, `
resources: It: {
	inputs: {owner: string @replace() @noRead(), size: int}
	id: "${result.id}"
	import: "${id}/${inputs.owner}"
	create: world: do: what: "make"
	read: `+c.read+`
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`)
		var log messages
		out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("It"), Reason: engine.Import, State: engine.State{ID: c.text}, Log: &log})
		if out.Err != nil || out.State.Inputs.Get("owner").AsString() != c.owner {
			t.Fatalf("%+v", out)
		}
		said := strings.Join(log.texts, "\n")
		if c.says == "" && strings.Contains(said, "inputs.owner") || !strings.Contains(said, c.says) {
			t.Errorf("%s by %s: %q, want %q", c.read, c.text, said, c.says)
		}
	}
}
