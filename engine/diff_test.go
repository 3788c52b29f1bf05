package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

const diffing = `resources: Thing: {
	inputs: {
		name:    string
		zone?:   string @replace()
		size?:   int
		shared?: string
		limits?: {mode: string, deep?: {n?: int @replace()}}
		tags?:   {[string]: string}
		list?:   [...string]
		set?:    [...string] @set()
		rules?:  [...{key: string, v?: int}] @key(key)
		fold?:   string @equal(fold)
		doc?:    string @equal(json)
		where?:  string @equal(path)
		close?:  string @equal("${trim(old) == trim(new)}")
	}
	outputs: {shared: string, at: string @stable()}
	id: "${inputs.name}"
	create: world: do: what: "make"
	read: world: look: what: "read"
	update: world: do: what: "change"
	delete: world: do: what: "remove"
	diff: rules: [{if: "${(inputs.size ?? 0) < (state.size ?? 0)}", replace: ["size"]}]
}`

func TestDiff(t *testing.T) {
	e, _ := newWorld().engine(t, diffing)
	type changes = []engine.Change
	for name, tc := range map[string]struct {
		old, new property.Map
		ignore   []string
		want     changes
	}{
		"nothing":                      {object("name", "a"), object("name", "a"), nil, nil},
		"a null is as good as absent":  {object("name", "a"), object("name", "a", "size", value(nil)), nil, nil},
		"update":                       {object("name", "a"), object("name", "b"), nil, changes{{Path: "name", Kind: engine.Update}}},
		"add and delete":               {object("size", 1), object("zone", "z"), nil, changes{{Path: "size", Kind: engine.Delete, Replace: true}, {Path: "zone", Kind: engine.Add, Replace: true}}},
		"nested":                       {object("limits", object("mode", "a")), object("limits", object("mode", "b")), nil, changes{{Path: "limits.mode", Kind: engine.Update}}},
		"replace deep down":            {object("limits", object("mode", "a", "deep", object("n", 1))), object("limits", object("mode", "a", "deep", object("n", 2))), nil, changes{{Path: "limits.deep.n", Kind: engine.Update, Replace: true}}},
		"a quoted key":                 {object("tags", object("x.y", "1")), object("tags", object("x.y", "2", "b", "3")), nil, changes{{Path: `tags.b`, Kind: engine.Add}, {Path: `tags["x.y"]`, Kind: engine.Update}}},
		"items by index":               {object("list", []any{"a", "b"}), object("list", []any{"a", "c", "d"}), nil, changes{{Path: "list[1]", Kind: engine.Update}, {Path: "list[2]", Kind: engine.Add}}},
		"a null at the end":            {object("list", []any{"a", value(nil)}), object("list", []any{"a"}), nil, changes{{Path: "list[1]", Kind: engine.Delete}}},
		"a set has no order":           {object("set", []any{"a", "b"}), object("set", []any{"b", "a"}), nil, nil},
		"a set's items":                {object("set", []any{"a", "b"}), object("set", []any{"c", "b"}), nil, changes{{Path: "set[0]", Kind: engine.Update}}},
		"a set's items, elsewhere":     {object("set", []any{"a", "b"}), object("set", []any{"b", "c"}), nil, changes{{Path: "set[0]", Kind: engine.Delete}, {Path: "set[1]", Kind: engine.Add}}},
		"a keyed list":                 {object("rules", []any{object("key", "a", "v", 1), object("key", "b")}), object("rules", []any{object("key", "b"), object("key", "a", "v", 2)}), nil, changes{{Path: "rules[1].v", Kind: engine.Update}}},
		"case folds":                   {object("fold", "Ab"), object("fold", "aB"), nil, nil},
		"equal json":                   {object("doc", `{"a": 1, "b": 2}`), object("doc", `{"b":2,"a":1}`), nil, nil},
		"other json":                   {object("doc", `{"a": 1}`), object("doc", `{"a": 2}`), nil, changes{{Path: "doc", Kind: engine.Update}}},
		"equal paths":                  {object("where", "a/./b/"), object("where", "a/b"), nil, nil},
		"equal by a template":          {object("close", " x"), object("close", "x "), nil, nil},
		"not equal by a template":      {object("close", " x"), object("close", "y "), nil, changes{{Path: "close", Kind: engine.Update}}},
		"unknown":                      {object("name", "a"), object("name", unknown, "zone", unknown), nil, changes{{Path: "name", Kind: engine.Update}, {Path: "zone", Kind: engine.Add, Replace: true}}},
		"only the secrecy":             {object("name", "a"), object("name", secret("a")), nil, changes{{Path: "name", Kind: engine.Update}}},
		"no longer secret":             {object("name", secret("a")), object("name", "a"), nil, nil},
		"what the server may choose":   {object("name", "a", "shared", "x"), object("name", "a"), nil, nil},
		"ignored":                      {object("name", "a"), object("name", "b"), []string{"name"}, nil},
		"ignored, below":               {object("limits", object("mode", "a")), object("limits", object("mode", "b")), []string{"limits"}, nil},
		"ignored, by a wildcard":       {object("tags", object("a", "1")), object("tags", object("a", "2")), []string{"tags.*"}, nil},
		"ignored, a quoted key":        {object("tags", object("x.y", "1")), object("tags", object("x.y", "2")), []string{`tags["x.y"]`}, nil},
		"another is not ignored":       {object("tags", object("a", "1")), object("tags", object("a", "2")), []string{"tags.b", "tag"}, changes{{Path: "tags.a", Kind: engine.Update}}},
		"a rule replaces":              {object("size", 3), object("size", 2), nil, changes{{Path: "size", Kind: engine.Update, Replace: true}}},
		"a rule that does not hold":    {object("size", 3), object("size", 4), nil, changes{{Path: "size", Kind: engine.Update}}},
		"the host's own keys are none": {object("name", "a", "__defaults", []any{"x"}), object("name", "a"), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := e.Diff(t.Context(), engine.DiffRequest{
				Ref: ref("Thing"), State: engine.State{ID: "other", Inputs: tc.old, Outputs: tc.old}, New: tc.new, Ignore: tc.ignore,
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.Changes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The original is deleted first if its replacement would have the same id, or if `find` would
// find it. Without an update, every change replaces.
func TestReplaceOrder(t *testing.T) {
	e, _ := newWorld().engine(t, `resources: Thing: {
		inputs: {name: string, size: int}
		id: "${inputs.name}"
		create: world: do: what: "make"
		delete: world: do: what: "remove"
	}`)
	state := engine.State{ID: "a", Inputs: object("name", "a", "size", 1)}
	for name, tc := range map[string]struct {
		new   property.Map
		first bool
	}{
		"the same id":  {object("name", "a", "size", 2), true},
		"another id":   {object("name", "b", "size", 1), false},
		"nobody knows": {object("name", unknown, "size", 1), false},
	} {
		out, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: state, New: tc.new})
		if err != nil || len(out.Changes) != 1 || !out.Changes[0].Replace || out.DeleteBeforeReplace != tc.first {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
}

func TestReplaceOrderOfFound(t *testing.T) {
	for name, tc := range map[string]struct {
		find  string
		new   property.Map
		first bool
	}{
		"find finds the original":              {`find: world: look: what: "${inputs.name}"`, object("name", "a", "size", 2), true},
		"find finds something else":            {`find: world: look: what: "${inputs.name}"`, object("name", "b", "size", 2), false},
		"find by everything":                   {`find: world: look: what: "${string(inputs)}"`, object("name", "a", "size", 2), false},
		"find does not run before the create":  {`find: {first: false, world: look: what: "${inputs.name}"}`, object("name", "a", "size", 2), false},
		"nothing looks for the created object": {"", object("name", "a", "size", 2), false},
	} {
		e, _ := newWorld().engine(t, `resources: Thing: {
			inputs: {name: string, size: int}
			id: "${result.id}"
			create: world: do: what: "make"
			`+tc.find+`
			delete: world: do: what: "remove"
		}`)
		out, err := e.Diff(t.Context(), engine.DiffRequest{
			Ref: ref("Thing"), State: engine.State{ID: "7", Inputs: object("name", "a", "size", 1)}, New: tc.new,
		})
		if err != nil || out.DeleteBeforeReplace != tc.first {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
	}
}

func TestUpdatePreview(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, diffing)
	out := e.Update(t.Context(), engine.UpdateRequest{
		Ref: ref("Thing"), Preview: true, Inputs: object("name", "b"),
		State: engine.State{ID: "a", Inputs: object("name", "a"), Outputs: object("name", "a", "shared", "s", "at", "here")},
	})
	want := object("name", "b", "shared", unknown, "at", "here")
	if diff := cmp.Diff(want, out.State.Outputs, values); diff != "" || out.Err != nil || len(w.log()) != 0 {
		t.Errorf("%v; outputs (-want +got):\n%s", out.Err, diff)
	}
}

// A change of secrecy alone writes the state, and touches nothing.
func TestSecrecyTouchesNothing(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, diffing)
	out := e.Update(t.Context(), engine.UpdateRequest{
		Ref: ref("Thing"), Inputs: object("name", secret("a")),
		State: engine.State{ID: "a", Inputs: object("name", "a"), Outputs: object("name", "a", "shared", "s", "at", "here")},
	})
	if out.Err != nil || !out.State.Outputs.Get("name").Secret() || len(w.log()) != 0 {
		t.Errorf("%+v", out)
	}
}
