package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// look is a refresh: what read returns for p, what is recorded of it then, and how many changes
// the program's value is. nil is none.
type look struct {
	server, recorded any
	changes          int
}

// TestNormalised shows what counts as a change of an input with @normalised(), of every kind of
// property and whatever the write returns: it has changed unless the program's value and the
// server's value are those of the last write.
func TestNormalised(t *testing.T) {
	t.Parallel()
	list := func(items ...any) []any { return items }
	for name, tc := range map[string]struct {
		inputs, outputs string
		given           any
		wrote           actions.Outcome // of the create
		read            any             // of a read right after it
		calls           []string
		looks           []look
	}{
		"the write returns it": {
			inputs: `p: string`, given: "past", wrote: yields("p", "now"), calls: []string{"make"},
			looks: []look{{"now", "past", 0}, {"later", "later", 1}, {"now", "past", 0}, {"past", "past", 0}},
		},
		"the write returns nothing": {
			inputs: `p: string`, given: "past", wrote: yields(), read: "now", calls: []string{"make", "get"},
			looks: []look{{"now", "past", 0}, {"later", "later", 1}},
		},
		"the server drops it": {
			inputs: `p?: string`, given: "past", wrote: yields(), read: nil, calls: []string{"make", "get"},
			looks: []look{{nil, "past", 0}, {"x", "x", 1}, {nil, "past", 0}},
		},
		"the server fills it in": {
			inputs: `p?: string`, given: nil, wrote: yields("p", "filled"), calls: []string{"make"},
			looks: []look{{"filled", nil, 0}, {"other", "other", 1}, {nil, nil, 0}},
		},
		"it is empty": {
			inputs: `p?: [...string]`, given: list(), wrote: yields("p", list("a")), calls: []string{"make"},
			looks: []look{{list("a"), list(), 0}, {nil, list(), 0}, {list("b"), list("b"), 1}},
		},
		"it may be null": {
			inputs: `p?: null | string`, given: "past", wrote: yields(), read: nil, calls: []string{"make", "get"},
			looks: []look{{nil, "past", 0}, {"x", "x", 1}},
		},
		"it has a default": {
			inputs: `p: *"past" | string`, given: nil, wrote: yields("p", "now"), calls: []string{"make"},
			looks: []look{{"now", "past", 0}, {"later", "later", 1}},
		},
		"it is also an output, and set": {
			inputs: `p?: string`, outputs: `p?: string`, given: "past", wrote: yields("p", "now"), calls: []string{"make"},
			looks: []look{{"now", "past", 0}, {"later", "later", 1}},
		},
		"it is also an output, and not set": {
			inputs: `p?: string`, outputs: `p?: string`, given: nil, wrote: yields("p", "now"), calls: []string{"make"},
			looks: []look{{"now", nil, 0}, {"later", "later", 1}},
		},
		"a list": {
			inputs: `p: [...string]`, given: list("b", "a"), wrote: yields("p", list("A", "B")), calls: []string{"make"},
			looks: []look{{list("A", "B"), list("b", "a"), 0}, {list("B", "A"), list("B", "A"), 2}},
		},
		"a set": {
			inputs: `p: [...string] @set()`, given: list("b", "a"), wrote: yields("p", list("A", "B")), calls: []string{"make"},
			looks: []look{{list("B", "A"), list("b", "a"), 0}, {list("B"), list("B"), 2}},
		},
		"with a rule of its own": {
			inputs: `p: string @equal(fold)`, given: "past", wrote: yields("p", "NOW"), calls: []string{"make"},
			looks: []look{{"now", "past", 0}, {"PAST", "past", 0}, {"later", "later", 1}},
		},
		"a struct": {
			inputs: `p: {a: string, b?: string}`, given: map[string]any{"a": "x"}, wrote: yields("p", map[string]any{"a": "X", "b": "filled"}), calls: []string{"make"},
			looks: []look{{map[string]any{"a": "X", "b": "filled"}, map[string]any{"a": "x"}, 0}, {map[string]any{"a": "X", "b": "y"}, map[string]any{"a": "x", "b": "y"}, 1}},
		},
		"a secret": {
			inputs: `p: string @secret()`, given: "past", wrote: yields("p", "now"), calls: []string{"make"},
			looks: []look{{"now", secret("past"), 0}, {"later", secret("later"), 1}, {"now", secret("past"), 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.on("make", tc.wrote)
			w.on("get", normalisedRead(tc.read))
			e, _ := w.engine(t, normalised(tc.inputs, tc.outputs))
			inputs := withP(tc.given)
			given := check(t, e, "Thing", inputs)
			state := created(t, e, "Thing", inputs)
			if d := cmp.Diff(tc.calls, names(w.log())); d != "" {
				t.Errorf("the create called (-want +got):\n%s", d)
			}
			for i, now := range tc.looks {
				w.on("get", normalisedRead(now.server))
				out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				state = *out.State
				if d := cmp.Diff(withP(now.recorded), state.Inputs, values); d != "" {
					t.Errorf("refresh %d recorded (-want +got):\n%s", i, d)
				}
				diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: given})
				if err != nil || len(diff.Changes) != now.changes {
					t.Errorf("refresh %d: %+v, %v", i, diff.Changes, err)
				}
			}
		})
	}
}

// TestNormalisedFollowsWrites shows that each write sets what the server's value is compared with:
// an import has nothing to compare, an update does, and a failed update keeps what was before it.
func TestNormalisedFollowsWrites(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.on("get", normalisedRead("now"))
	e, _ := w.engine(t, normalised(`p?: string`, `p?: string`))
	imported := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}, Reason: engine.Import})
	if imported.Err != nil {
		t.Fatal(imported.Err)
	}
	state := *imported.State
	for i, step := range []struct {
		program    any
		changes    int
		wrote      actions.Outcome
		read       any
		unfinished bool // the update before failed
	}{
		{program: "past", changes: 1, wrote: yields(), read: "now"},          // what was imported is not what the program says
		{program: "past", read: "now"},                                       // after the update it is
		{program: "now", changes: 1, wrote: yields("p", "NOW"), read: "NOW"}, // the program adopts what the server shows
		{program: "other", changes: 1, wrote: failed("full"), read: "NOW"},   // of which nothing was done
		{program: "now", wrote: yields("p", "NOW"), read: "NOW", unfinished: true},
		{changes: 1, wrote: yields("p", "fill"), read: "fill"}, // the program no longer says anything
		{read: "fill"},    // and the server keeps its own
		{read: "changed"}, // until somebody changes that
		{changes: 1, wrote: yields("p", "fill"), read: "fill"}, // which an update mends
	} {
		inputs := withP(step.program)
		diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: inputs})
		if err != nil || len(diff.Changes) != step.changes || diff.Force != step.unfinished {
			t.Errorf("step %d: %+v, %v", i, diff.Changes, err)
		}
		w.on("change", step.wrote)
		w.on("get", normalisedRead(step.read))
		if len(diff.Changes) > 0 || diff.Force {
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: state, Inputs: inputs})
			if out.State != nil {
				state = *out.State
			}
		}
		if sent := slices.Contains(names(w.log()), "change"); sent != (step.changes > 0 || step.unfinished) {
			t.Errorf("step %d: an update was sent: %t", i, sent)
		}
		out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state, Reason: engine.Refresh})
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		state = *out.State
	}
}

// normalised is a spec whose input p has @normalised().
func normalised(inputs, outputs string) string {
	return `
resources: Thing: {
	inputs: {` + inputs + ` @normalised()}
	outputs: {` + outputs + `}
	id: "${result.id ?? \"7\"}"
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: what: "get"
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: what: "remove"
}`
}

func normalisedRead(p any) actions.Outcome {
	if p == nil {
		return yields("id", "7")
	}
	return yields("id", "7", "p", p)
}

// withP is an object with the property p, or without it.
func withP(p any) property.Map {
	if p == nil {
		return property.Map{}
	}
	return object("p", p)
}

// names are calls without what was sent.
func names(calls []string) []string {
	var out []string
	for _, call := range calls {
		for i := range call {
			if call[i] == ' ' {
				call = call[:i]
				break
			}
		}
		out = append(out, call)
	}
	return out
}

// TestNormalisedThatIsKept: if the program removes something of an input with @normalised(), and the API shows the same as
// before, it has not removed it, which no refresh can find. An update says so, and nothing of other changes.
func TestNormalisedThatIsKept(t *testing.T) {
	t.Parallel()
	list := func(items ...any) any { return items }
	for name, tc := range map[string]struct {
		was, is, shown, now any
		warns               bool
	}{
		"the whole":                     {list("a"), nil, list("a"), list("a"), true},
		"the whole, which is gone":      {list("a"), nil, list("a"), list(), false},
		"an item":                       {list("a", "b"), list("a"), list("A", "B"), list("A", "B"), true},
		"an item, which is gone":        {list("a", "b"), list("a"), list("A", "B"), list("A"), false},
		"another item":                  {list("a"), list("A"), list("A"), list("A"), false},
		"an item more":                  {list("a"), list("a", "a"), list("A"), list("A"), false},
		"a member":                      {map[string]any{"r": list("x"), "w": list("y")}, map[string]any{"r": list("x")}, map[string]any{"r": list("x"), "w": list("y")}, map[string]any{"r": list("x"), "w": list("y")}, true},
		"all members":                   {map[string]any{"r": list("x")}, map[string]any{}, map[string]any{"r": list("x")}, map[string]any{"r": list("x")}, true},
		"an item of a member":           {map[string]any{"r": list("x", "y")}, map[string]any{"r": list("x")}, map[string]any{"r": list("x", "y")}, map[string]any{"r": list("x", "y")}, true},
		"a member that is always there": {map[string]any{"r": "x"}, map[string]any{"r": "y"}, map[string]any{"r": "X"}, map[string]any{"r": "X"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			shown := tc.shown
			w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome { return answers(map[string]any{"p": shown}) }
			e, _ := w.engine(t, `resources: Thing: {
	inputs: {name: string @replace(), p?: _ @normalised()}
	id: "${inputs.name}"
	create: world: do: what: "make"
	read: world: ask: what: "get"
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`)
			inputs := func(p any) property.Map {
				if p == nil {
					return object("name", "n")
				}
				return object("name", "n", "p", p)
			}
			made := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs(tc.was)})
			if made.Err != nil {
				t.Fatal(made.Err)
			}
			shown = tc.now
			log := &messages{}
			out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("Thing"), State: *made.State, Inputs: inputs(tc.is), Log: log})
			if out.Err != nil || (len(log.texts) > 0) != tc.warns {
				t.Errorf("it says %q: %+v", log.texts, out)
			}
		})
	}
}
