package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestEmptyCountsAsAbsent shows which lists and maps of a program and of a read are the same
// if one is empty and the other is absent: those of optional properties, at any depth. What
// the program has is what is recorded, so the next update has nothing to do.
func TestEmptyCountsAsAbsent(t *testing.T) {
	t.Parallel()
	none := property.Map{}
	list, dict := object("p", []any{}), property.NewMap(map[string]property.Value{"p": property.New(property.Map{})})
	nested := func(inner property.Map) property.Map {
		return property.NewMap(map[string]property.Value{"p": property.New(inner.Set("n", property.New(1.0)))})
	}
	items := func(inner property.Map) property.Map {
		return property.NewMap(map[string]property.Value{"p": property.New([]property.Value{property.New(inner.Set("n", property.New(1.0)))})})
	}
	for name, tc := range map[string]struct {
		typ         string
		given, read property.Map
		changes     int
	}{
		"a list that is not read":            {`p?: [...string]`, list, none, 0},
		"a list that is read":                {`p?: [...string]`, none, list, 0},
		"a map that is not read":             {`p?: [string]: string`, dict, none, 0},
		"a map that is read":                 {`p?: [string]: string`, none, dict, 0},
		"in a struct, not read":              {`p?: {n: int, p?: [...string]}`, nested(list), nested(none), 0},
		"in a struct, read":                  {`p?: {n: int, p?: [...string]}`, nested(none), nested(list), 0},
		"in a list, read":                    {`p?: [...{n: int, p?: [string]: string}]`, items(none), items(dict), 0},
		"in a keyed list, read":              {`p?: [...{n: int, p?: [string]: string}] @key(n)`, items(none), items(dict), 0},
		"exactly, not read":                  {`p?: [...string] @equal(exact)`, list, none, 1},
		"exactly, read":                      {`p?: [string]: string @equal(exact)`, none, dict, 1},
		"nullable":                           {`p?: null | [...string]`, list, none, 1},
		"with a default":                     {`p: *["a"] | [...string]`, list, none, 1},
		"a list with items":                  {`p?: [...string]`, object("p", []any{"a"}), list, 1},
		"a list with items that is not read": {`p?: [...string]`, object("p", []any{"a"}), none, 1},
		"a struct":                           {`p?: {n?: int}`, dict, none, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			found := map[string]any{"id": "7"}
			for key, v := range tc.read.All {
				found[key] = plainOf(v)
			}
			w.on("get", yields(flat(found)...))
			w.on("make", yields("id", "7"))
			e, _ := w.engine(t, `
resources: Thing: {
	inputs: `+tc.typ+`
	id: "7"
	create: world: do: {what: "make", with: "${inputs}"}
	read: world: look: what: "get"
	update: world: do: {what: "change", with: "${changes}"}
	delete: world: do: what: "remove"
}`)
			given := check(t, e, "Thing", tc.given)
			state := created(t, e, "Thing", tc.given)
			read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: state})
			if read.Err != nil {
				t.Fatal(read.Err)
			}
			diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: *read.State, New: given})
			if err != nil || len(diff.Changes) != tc.changes {
				t.Errorf("%+v, %v; read %v", diff.Changes, err, read.State.Inputs)
			}
			if tc.changes == 0 {
				if d := cmp.Diff(given, read.State.Inputs, values); d != "" {
					t.Errorf("recorded (-want +got):\n%s", d)
				}
			}
			imported := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "7"}, Reason: engine.Import})
			if imported.Err != nil {
				t.Fatal(imported.Err)
			}
			again := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *imported.State})
			for _, state := range []engine.State{*imported.State, *again.State} {
				diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: given})
				if err != nil || len(diff.Changes) != tc.changes {
					t.Errorf("after an import: %+v, %v; read %v", diff.Changes, err, state.Inputs)
				}
			}
		})
	}
}

// plainOf is a value of a property as an action yields it.
func plainOf(v property.Value) any {
	switch {
	case v.IsArray():
		list := []any{}
		for _, item := range v.AsArray().All {
			list = append(list, plainOf(item))
		}
		return list
	case v.IsMap():
		m := map[string]any{}
		for name, item := range v.AsMap().All {
			m[name] = plainOf(item)
		}
		return m
	case v.IsNumber():
		return int64(v.AsNumber())
	default:
		return v.AsString()
	}
}

// flat is a map as names and values in turn.
func flat(m map[string]any) []any {
	var list []any
	for name, v := range m {
		list = append(list, name, v)
	}
	return list
}
