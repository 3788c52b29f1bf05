package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// What the type calls secret is not shown by a failure, though the user did not
// mark it; nor is anything within.
func TestFailuresHideSecrets(t *testing.T) {
	e, _ := newWorld().engine(t, `resources: Thing: {
		inputs: {
			kind:  "dog" | "cat" @secret()
			count: int @secret()
			login: {user: "a" | "b", pin: int} @secret()
			open:  "dog" | "cat"
		}
		id: "it"
		create: world: do: what: "make"
	}`)
	out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: object(
		"kind", "hunter2", "count", 1.25, "login", object("user", "hunter2", "pin", 47.5), "open", "dgo",
	)})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Failure{
		{Path: "kind", Reason: `must be one of "dog" or "cat"`},
		{Path: "count", Reason: "must be an int, not a number"},
		{Path: "login.user", Reason: `must be one of "a" or "b"`},
		{Path: "login.pin", Reason: "must be an int, not a number"},
		{Path: "open", Reason: `must be one of "dog" or "cat", not "dgo" (did you mean "dog"?)`},
	}
	if diff := cmp.Diff(want, out.Failures); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An action is told what a function keeps secret, as it is of a resource: what an
// answer that is refused says under such a name is shown to nobody.
func TestActionsKnowTheSecretsOfFunctions(t *testing.T) {
	w := newWorld()
	var told []string
	w.hooks["see"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		told = call.Secrets
		return yields("status", int64(200), "body", map[string]any{"apiKey": "k3y-of-the-world", "nested": map[string]any{"pin": "47"}})
	}
	e, _ := w.engine(t, `functions: reveal: {
		inputs: {}
		outputs: {key: string @secret() @wire(apiKey), nested: {pin: string @secret()}, open?: string}
		world: ask: what: "see"
	}`)
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "reveal"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(object("key", secret("k3y-of-the-world"), "nested", object("pin", secret("47"))), out.Return, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"apiKey", "pin"}, told); diff != "" {
		t.Errorf("the names on the wire (-want +got):\n%s", diff)
	}
}

// The results of a create that stopped may hold what only its answer knew.
func TestUnfinishedIsSecret(t *testing.T) {
	w := newWorld().on("make", yields("id", "7", "password", "s3cret-of-the-world")).on("finish", failed("no"))
	e, _ := w.engine(t, twoSteps)
	half := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: check(t, e, "Thing", object("name", "a"))})
	f := half.State.Private.Failed
	if text, _ := json.Marshal(f); !strings.Contains(string(text), "s3cret") || !f.Secret {
		t.Errorf("kept as %s", text)
	}
}

// A secret output that an update does not yield stays secret, however short.
func TestRecordedOutputStaysSecret(t *testing.T) {
	w := newWorld().on("make", yields("pin", "47", "login", map[string]any{"user": "a", "on": true}))
	e, _ := w.engine(t, `resources: Thing: {
		inputs: name: string
		outputs: {pin: string @secret(), login: {user: string, on: bool} @secret()}
		id: "it"
		create: world: do: what: "make"
		update: world: do: what: "change"
	}`)
	state := created(t, e, "Thing", object("name", "a"))
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object("name", "b")})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	want := object("name", "b", "pin", secret("47"), "login", secret(object("user", "a", "on", true)))
	if diff := cmp.Diff(want, out.State.Outputs, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An input that becomes secret without a change of value is hidden among the
// outputs, too.
func TestInputThatBecomesSecret(t *testing.T) {
	w := newWorld().on("make", yields("text", "plain", "rev", int64(1), "tags", map[string]any{"a": "1", "b": "2"}, "list", []any{"3", "4"}))
	e, _ := w.engine(t, `resources: Thing: {
		inputs: {text: string, tags: [string]: string, list: [...string]}
		outputs: {text: string, rev: int, tags: [string]: string, list: [...string]}
		id: "it"
		create: world: do: what: "make"
		update: world: do: what: "change"
	}`)
	state := created(t, e, "Thing", object("text", "plain", "tags", object("a", "1", "b", "2"), "list", []any{"3", "4"}))
	w.log()
	out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: object(
		"text", secret("plain"), "tags", object("a", "1", "b", secret("2")), "list", []any{secret("3"), "4"},
	)})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if diff := cmp.Diff(object(
		"text", secret("plain"), "rev", 1, "tags", object("a", "1", "b", secret("2")), "list", []any{secret("3"), "4"},
	), out.State.Outputs, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if calls := w.log(); len(calls) != 0 {
		t.Errorf("nothing in the world changes: %v", calls)
	}
}

// Secrets stay secret through every step of an upgrade, whatever they are.
func TestUpgradeKeepsSecrets(t *testing.T) {
	e, _ := newWorld().engine(t, `resources: Thing: {
		inputs: {pin: string, login: {pin: string, on: bool}}
		id: "it"
		create: world: do: what: "make"
		schemaVersion: 2
		upgrade: {
			"0": "${merge(omit(old, \"code\"), {number: old.code})}"
			"1": {pin: "${old.number}", login: {pin: "${old.number}", on: "${old.on}"}}
		}
	}`)
	old := engine.State{ID: "it", Inputs: object("code", secret("47"), "on", secret(true)), Outputs: object("code", secret("47"))}
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: old})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	want := object("pin", secret("47"), "login", object("pin", secret("47"), "on", secret(true)))
	if diff := cmp.Diff(want, out.State.Inputs, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What an import finds has the shape of today: nothing upgrades it.
func TestImportIsOfTheVersion(t *testing.T) {
	w := newWorld().on("read", yields("tags", []any{"t"}))
	e, _ := w.engine(t, `resources: Thing: {
		inputs: tags: [...string]
		id: "it"
		create: world: do: what: "make"
		read: world: look: what: "read"
		schemaVersion: 1
		upgrade: "0": "${merge(old, {tags: [old.tag]})}"
	}`)
	out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), Reason: engine.Import, State: engine.State{ID: "it"}})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *out.State, New: object("tags", []any{"t"})})
	if err != nil || len(diff.Changes) != 0 {
		t.Errorf("%+v, %v", diff, err)
	}
}

// A secret may not go where undo or find would show it either.
func TestSecretsOfUndoAndFind(t *testing.T) {
	e, _ := newWorld().engine(t, `resources: Thing: {
		inputs: {undone: string, found: string}
		id: "${result.id}"
		create: {world: post: what: "make", onFailure: [{world: do: what: "${inputs.undone}"}]}
		find: world: look: what: "${inputs.found}"
	}`)
	out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: object("undone", secret("abc"), "found", secret("def"))})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Failure{
		{Path: "undone", Reason: `may not be secret: it becomes argument "what" of world.do, which others can read`},
		{Path: "found", Reason: `may not be secret: it becomes argument "what" of world.look, which others can read`},
	}
	if diff := cmp.Diff(want, out.Failures); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// @secret() holds wherever it stands in an output: in a struct that is open, in
// the struct of a union, in the items of a list.
func TestSecretsWithinOutputs(t *testing.T) {
	answer := map[string]any{"kind": "b", "pin": "47", "more": "x"}
	w := newWorld().on("make", yields("open", answer, "either", answer, "all", []any{answer}))
	e, _ := w.engine(t, `resources: Thing: {
		inputs: name: string
		outputs: {
			open: {kind: string, pin: string @secret(), ...}
			either: {kind: "a", n: int} | {kind: "b", pin: string @secret()}
			all: [...{kind: string, pin: string @secret()}]
		}
		id: "it"
		create: world: do: what: "make"
	}`)
	got := created(t, e, "Thing", object("name", "a")).Outputs
	want := object(
		"name", "a", "open", object("kind", "b", "pin", secret("47"), "more", "x"),
		"either", object("kind", "b", "pin", secret("47")), "all", []any{object("kind", "b", "pin", secret("47"))},
	)
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.on("make", yields("open", answer, "either", answer, "all", []any{map[string]any{"kind": "b", "pin": true}}))
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
	if out.Err == nil || !strings.Contains(out.Err.Error(), "all[0].pin") {
		t.Errorf("an error names the whole path: %v", out.Err)
	}
}

// TestTheJournalGivesNoSecretToGuess: what stands in the journal for inputs, and for the
// keys of a secret map, is made with the folder's own key: who has the rest of it
// cannot try what the secret is.
func TestTheJournalGivesNoSecretToGuess(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		w := newWorld().on("make", lost()).on("each", lost())
		s := newScene(t, w, `inputs: {name: string @replace(), pin: string @secret() @noRead(), tags: {[string]: string} @secret() @noRead()}
	id: "${inputs.name}"
	create: steps: [
		{forEach: "${inputs.tags}", world: post: {what: "each", with: "${each.value}", key: true}, retry: attempts: 1},
	]
	delete: world: do: {what: "remove", with: "${id}"}`)
		if out := s.create("name", "a", "pin", secret("1234"), "tags", secret(value(object("k", "v")))); out.Err == nil {
			t.Fatalf("%+v", out)
		}
		list := intents(t, s.w.journal)
		if len(list) == 0 {
			t.Fatal("nothing is in the journal")
		}
		for _, i := range list {
			if seen[i.Hash] || seen[i.Element] || i.Hash == "" || i.Element == "" {
				t.Errorf("another folder has %q and %q, too", i.Hash, i.Element)
			}
			seen[i.Hash], seen[i.Element] = true, true
		}
	}
}

// An input with @secret() or @ephemeral() is secret wherever its value comes from.
func TestValuesOfSecretInputs(t *testing.T) {
	for _, attribute := range []string{"@secret()", "@ephemeral()"} {
		for origin, c := range map[string]struct {
			declared, in string
			given        any
		}{
			"given":             {declared: "pass: string ATTRIBUTE", given: "x"},
			"a default":         {declared: `pass: *"x" | string ATTRIBUTE`},
			"a computed one":    {declared: `pass: string @default("${inputs.name}-x") ATTRIBUTE`},
			"a generated one":   {declared: `pass: string @autoname() ATTRIBUTE`},
			"a list":            {declared: `pass: [...string] ATTRIBUTE`, given: []any{"x"}},
			"a computed member": {declared: `pass: {word: string ATTRIBUTE} @default("${{word: inputs.name}}")`, in: "word"},
			"a given member":    {declared: `pass: {word: string ATTRIBUTE}`, given: map[string]any{"word": "x"}, in: "word"},
		} {
			spec := `resources: Thing: {inputs: {name: string, ` + strings.Replace(c.declared, "ATTRIBUTE", attribute, 1) + `}, id: "x", create: world: do: what: "make", delete: world: do: what: "remove"}`
			e, _ := newWorld().engine(t, spec)
			inputs := object("name", "n")
			if c.given != nil {
				inputs = inputs.Set("pass", value(c.given))
			}
			got := check(t, e, "Thing", inputs).Get("pass")
			if c.in != "" && !got.Secret() {
				got = got.AsMap().Get(c.in)
			}
			if !got.Secret() {
				t.Errorf("%s of an input with %s is not secret: %v", origin, attribute, got)
			}
		}
	}
}
