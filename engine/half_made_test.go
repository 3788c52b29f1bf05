package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestHalfMadeIsNeverUpdated: whatever inputs change while a create is refused, however often, and whatever a refresh
// between two attempts shows: no update runs before the create has made the rest, which somebody else may own. Each attempt
// first tries the inputs with which the create was begun, unless they have a file, which may not be there any more. At the end, the object has what the program has.
func TestHalfMadeIsNeverUpdated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var refuses bool
		var did, tried []string
		w := newWorld().on("make", yields("id", "7"))
		w.hooks["part"] = func(_ context.Context, call *actions.Call) actions.Outcome {
			tried = append(tried, fmt.Sprint(call.Args["with"]))
			if refuses {
				return refused("it exists, and is somebody else's")
			}
			did = append(did, "part")
			return yields()
		}
		w.hooks["change"] = func(_ context.Context, call *actions.Call) actions.Outcome {
			did = append(did, fmt.Sprint("change ", call.Args["with"]))
			return yields()
		}
		w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
			return answers(members("name", "a", "size", rapid.IntRange(1, 3).Draw(rt, "shown")))
		}
		e, _ := w.engine(t, `package test
import "declprov.dev/spec"
name: "test"
version: "1.0.0"
resources: Thing: {
	inputs: {name: string, size: int, pass?: string @secret() @noRead(), free?: {[string]: string} @noRead(), file?: spec.#Asset @noRead()}
	id: "${steps.it.id}"
	create: steps: [{as: "it", world: post: {what: "make", with: "${inputs.name}"}}, {world: post: {what: "part", with: "${inputs.size} ${inputs.pass ?? ''} ${inputs.free?.a ?? ''}"}}]
	read: world: ask: what: "get"
	update: world: do: {what: "change", with: "${inputs.size} ${inputs.pass ?? ''} ${inputs.free?.a ?? ''} ${inputs.file == null ? '' : sha256(inputs.file)}"}
	delete: world: do: {what: "remove", with: "${id}"}
}`)
		draw := func(label string) property.Map {
			given := map[string]property.Value{"name": property.New("a"), "size": property.New(float64(rapid.IntRange(1, 3).Draw(rt, label)))}
			value := func(name string) (property.Value, bool) {
				n := rapid.IntRange(0, 4).Draw(rt, label+" "+name)
				return property.New(fmt.Sprint("v", n)).WithSecret(name == "pass" || n == 1), n > 0
			}
			if v, set := value("pass"); set {
				given["pass"] = v
			}
			if v, set := value("free"); set {
				given["free"] = property.New(map[string]property.Value{"a": v})
			}
			if v, set := value("file"); set {
				a, err := asset.FromText(v.AsString())
				if err != nil {
					rt.Fatal(err)
				}
				given["file"] = property.New(a)
			}
			return property.NewMap(given)
		}
		refuses = true
		inputs := draw("first")
		_, hasFile := inputs.GetOk("file")
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
		if out.State == nil || out.Err == nil {
			rt.Fatalf("%+v", out)
		}
		state, first := *out.State, tried[0]
		attempts := rapid.IntRange(1, 4).Draw(rt, "attempts")
		for i := range attempts {
			if rapid.Bool().Draw(rt, "refresh") {
				read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
				if read.State == nil || read.Err != nil {
					rt.Fatalf("%+v", read)
				}
				state = *read.State
			}
			if rapid.Bool().Draw(rt, "other inputs") {
				inputs = draw(fmt.Sprint("inputs ", i))
			}
			refuses, tried = i < attempts-1, nil
			out = e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: inputs})
			if out.State == nil || (out.Err != nil) != refuses {
				rt.Fatalf("attempt %d: %+v", i, out)
			}
			if refuses && len(did) > 0 {
				rt.Fatalf("attempt %d, while the create is refused: %q", i, did)
			}
			if len(tried) == 0 || !hasFile && tried[0] != first {
				rt.Fatalf("attempt %d tries %q, and not at first what the create was begun with: %q", i, tried, first)
			}
			state = *out.State
			state.Inputs = inputs // as Pulumi records it
		}
		if !slices.Contains(did, "part") || did[0] != "part" {
			rt.Fatalf("the create was not completed: %q", did)
		}
		want := property.New(inputs)
		if !property.New(out.State.Inputs).Equals(want) || out.State.Private.Failed != nil {
			rt.Fatalf("recorded: %v, want %v (%+v)", out.State.Inputs, want, out.State.Private.Failed)
		}
	})
}

// TestMarksOfOtherInputs: a create that goes on with other inputs knows the files that it has written, and replaces
// them; not those of somebody else.
func TestMarksOfOtherInputs(t *testing.T) {
	t.Parallel()
	var marks []string
	w := newWorld().on("make", yields("id", "7"))
	w.hooks["part"] = func(_ context.Context, call *actions.Call) actions.Outcome {
		marks = append(marks, call.Mark)
		return refused("it exists")
	}
	s := newScene(t, w, `inputs: {name: string, size: int, other?: int}
	id: "${steps.it.id}"
	create: steps: [{as: "it", world: post: {what: "make", with: "${inputs.name}"}}, {world: marked: {what: "part", with: "${inputs.size}"}}]
	update: world: do: what: "change"
	delete: world: do: {what: "remove", with: "${id}"}`)
	made := s.create("name", "a", "size", 1)
	for i := range 3 {
		if made.State == nil || made.Err == nil {
			t.Fatalf("%+v", made)
		}
		state := *made.State
		state.Inputs = object("name", "a", "size", 1+i)
		made = s.update(&state, "name", "a", "size", 2+i)
	}
	for _, mark := range marks {
		if mark == "" || mark != marks[0] {
			t.Errorf("the marks are %q", marks)
		}
	}
	if _, err := s.e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *made.State, New: made.State.Inputs}); err != nil {
		t.Fatal(err) // the host has recorded it
	}
	if other := s.create("name", "a", "size", 9); other.Err == nil || marks[len(marks)-1] == marks[0] {
		t.Errorf("a create with other inputs has the mark of the first: %q", marks)
	}
}
