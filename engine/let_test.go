package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine"
)

// TestLocalNames shows local names in a whole life: of a resource in its operations, of an
// operation in its steps, over each attempt's response, and what is known of them.
func TestLocalNames(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.on("get", yields("pet", map[string]any{"name": "rex", "size": 3}))
	w.on("make", yields("id", "7"))
	e, _ := w.engine(t, `
resources: Thing: {
	let: {
		label: "${upper(inputs.name)}"
		both: {name: "${label}", size: "${inputs.size}"}
		pet: "${result.pet}"
	}
	inputs: {name: string, size: int}
	outputs: shout: string
	id: "${result.id}"
	create: {world: do: {what: "make", with: "${both}"}, return: shout: "${label}"}
	read: {
		let: shout: "${upper(pet.name)}"
		world: look: what: "get"
		gone: "${pet == null}"
		return: {name: "${pet.name}", size: "${pet.size}", shout: "${shout}"}
	}
	update: {world: do: {what: "change", with: "${label}"}, return: shout: "${label}"}
	delete: world: do: {what: "remove", with: "${label}"}
}`)
	state := created(t, e, "Thing", object("name", "rex", "size", 3))
	read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state})
	if read.Err != nil {
		t.Fatal(read.Err)
	}
	if got := read.State.Outputs.Get("shout").AsString(); got != "REX" {
		t.Errorf("shout %q", got)
	}
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("Thing"), State: *read.State}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"make map[name:REX size:3]", "get", "remove REX"}, w.log()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestMistakesInLocalNames shows that the value of a local name is checked with the names of
// each place that uses it, and that the finding stands in the value.
func TestMistakesInLocalNames(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ value, use, code, at string }{
		"an unknown member":       {`inputs.nmae`, `upper(x)`, "unknown-member", "nmae"},
		"a wrong argument":        {`upper(inputs.size)`, `x`, "wrong-argument", "inputs.size"},
		"a name of another place": {`upper(state.name)`, `x`, "name-not-here", "state"},
		"a null":                  {`inputs.perhaps`, `upper(x)`, "null-unguarded", "inputs.perhaps"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := `package test
name: "test"
version: "1.0.0"
resources: Thing: {
	inputs: {name: string @noRead(), size: int @noRead(), perhaps?: string @noRead()}
	id: "x"
	let: x: "${` + tc.value + `}"
	create: world: do: {what: "make", with: "${` + tc.use + `}"}
	delete: world: do: what: "remove"
}
`
			_, diags := newWorld().compile(t, src)
			if len(diags) != 1 || diags[0].Code != tc.code {
				t.Fatalf("%+v", diags)
			}
			got := diags[0].Subject
			if line := 7; got.Start.Line != line {
				t.Errorf("the finding is at %s: %s", got, diags[0].Summary)
			}
		})
	}
}
