package engine_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// unshown are declarations of an input whose value an import does not show, and whose changes replace
// the resource.
var unshown = map[string]struct {
	inputs, body string
	shows        any            // of key, by read
	first, then  property.Value // of key
	// noUpdate means that the resource cannot be changed, and sends that the first value is sent.
	noUpdate, sends bool
}{
	"optional":       {inputs: "key?: string @replace() @noRead()", first: property.New("a"), then: property.New("b")},
	"required":       {inputs: "key: string @replace() @noRead()", first: property.New("a"), then: property.New("b")},
	"with a default": {inputs: `key: *"d" | string @replace() @noRead()`, first: property.New("a"), then: property.New("b")},
	"a mask":         {inputs: "key?: string @replace() @secret() @normalised()", shows: "***", first: property.New("a"), then: property.New("b")},
	"a struct": {
		inputs: "key?: {a: string @replace(), b?: int} @noRead()",
		first:  property.New(object("a", "x")), then: property.New(object("a", "y")), sends: true, // as a whole it can be changed
	},
	"a list": {inputs: "key?: [...string] @replace() @noRead()", first: property.New([]property.Value{property.New("a")}), then: property.New([]property.Value{property.New("b")})},
	"a secret map": {
		inputs: `key: *{a: "d"} | {[string]: string} @secret() @replace() @noRead()`,
		first:  property.New(object("hush", "x")).WithSecret(true), then: property.New(object("hush", "y")).WithSecret(true),
	},
	"by a rule": {inputs: "key?: string @noRead()", body: `diff: rules: [{if: "${inputs.key != state.key}", replace: ["key"]}]`, first: property.New("a"), then: property.New("b"), sends: true},
	"no update": {inputs: "key?: string @noRead()", noUpdate: true, first: property.New("a"), then: property.New("b")},
}

// TestImportOfUnshownInputs imports an object, of which read does not show an input whose changes replace it.
// The first value that a program gives the input is recorded and replaces nothing, whatever else the program
// changes, before or at the same time, and whether or not a refresh follows. The next value replaces it.
func TestImportOfUnshownInputs(t *testing.T) {
	t.Parallel()
	for name := range unshown {
		for _, other := range []string{"nothing", "size with it", "size before"} {
			for _, refreshes := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, changes %s, refresh %v", name, other, refreshes), func(t *testing.T) {
					t.Parallel()
					if unshown[name].noUpdate && other != "nothing" {
						return // which would replace the resource
					}
					importsUnshown(t, name, other, refreshes)
				})
			}
		}
	}
}

func importsUnshown(t *testing.T, name, other string, refreshes bool) {
	t.Helper()
	of, w := unshown[name], newWorld()
	held := map[string]any{"name": "it", "size": 1}
	w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
		shown := maps.Clone(held)
		if of.shows != nil {
			shown["key"] = of.shows
		}
		return actions.Succeed(shown)
	}
	w.hooks["patch"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		with, _ := call.Args["with"].(map[string]any)
		held["size"] = with["size"]
		return yields()
	}
	update := `update: world: post: {what: "patch", with: size: "${inputs.size}"}` // no mask
	if of.noUpdate {
		update = ""
	}
	s := newScene(t, w, `inputs: {name: string @replace(), size: int, `+of.inputs+`}
	id: "${inputs.name}"
	create: world: do: {what: "make", with: "${inputs}"}
	read: {world: look: what: "get"}
	`+update+`
	`+of.body+`
	delete: world: do: what: "remove"`)
	log := &messages{}
	out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "it"}, Reason: engine.Import, Log: log})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	state, inputs := *out.State, object("name", "it", "size", 1)
	if key, given := state.Inputs.GetOk("key"); given {
		inputs = inputs.Set("key", key) // the default
	}
	up := func(wants bool) {
		t.Helper()
		diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: inputs})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range diff.Changes {
			if c.Replace {
				t.Fatalf("%s replaces", c.Path)
			}
		}
		if wants != (len(diff.Changes) > 0) {
			t.Fatalf("changes %v", diff.Changes)
		}
		if len(diff.Changes) > 0 {
			out := s.e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: inputs, Log: log})
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			state = *out.State
		}
		if !refreshes {
			return
		}
		out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		state = *out.State
	}
	up(false)
	if other == "size before" {
		inputs = inputs.Set("size", property.New(2.0))
		up(true)
	}
	inputs = inputs.Set("key", of.first)
	if other == "size with it" {
		inputs = inputs.Set("size", property.New(2.0))
	}
	w.log()
	up(true)
	sent := strings.Join(w.log(), "\n")
	if sends := of.sends || other == "size with it"; sends != strings.Contains(sent, "patch") {
		t.Errorf("it was sent: %s", sent)
	}
	if said := strings.Join(log.texts, "\n"); strings.Contains(said, "hush") {
		t.Errorf("a key of a secret map is logged: %s", said)
	}
	up(false)
	want := 1.0
	if other != "nothing" {
		want = 2
	}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(held["size"])); diff != "" {
		t.Error(diff)
	}
	inputs = inputs.Set("key", of.then)
	diff, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: inputs})
	if err != nil {
		t.Fatal(err)
	}
	if len(diff.Changes) != 1 || !diff.Changes[0].Replace {
		t.Errorf("another value does not replace: %+v", diff.Changes)
	}
}
