package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
	types "github.com/declprov/declprov/engine/value"
)

// Whatever becomes of a set, or of a list whose items have keys: no two changes are
// of one path or of a part of one another's, and an item that has come or gone is
// told: as such, or as an update of its place.
func TestChangesOfUnorderedListsDoNotMeet(t *testing.T) {
	e, _ := newWorld().engine(t, `resources: Thing: {
		inputs: {name: string, tags?: [...string] @set(), rules?: [...{key: string, port?: int, deep?: {a?: string}}] @key(key)}
		id: "${inputs.name}"
		create: world: do: what: "make"
		update: world: do: what: "change"
		delete: world: do: what: "remove"
	}`)
	rapid.Check(t, func(t *rapid.T) {
		tags := rapid.SliceOfN(rapid.SampledFrom([]any{"a", "b", "c", "d"}), 0, 5)
		rules := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) any {
			return property.New(object("key", rapid.SampledFrom([]string{"k", "l", "m", "n"}).Draw(t, "key"),
				"port", rapid.IntRange(1, 2).Draw(t, "port"), "deep", property.New(object("a", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "a")))))
		}), 0, 4, func(v any) string { return v.(property.Value).AsMap().Get("key").AsString() })
		old := object("name", "n", "tags", tags.Draw(t, "old tags"), "rules", rules.Draw(t, "old rules"))
		now := object("name", "n", "tags", tags.Draw(t, "new tags"), "rules", rules.Draw(t, "new rules"))
		out, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: engine.State{ID: "n", Inputs: old}, New: now})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range out.Changes {
			for j, b := range out.Changes {
				if i != j && (a.Path == b.Path || strings.HasPrefix(b.Path, a.Path)) {
					t.Fatalf("%s and %s: %v", a.Path, b.Path, out.Changes)
				}
			}
		}
		var came, gone int
		for _, c := range out.Changes {
			if strings.HasPrefix(c.Path, "tags") && c.Kind == engine.Add {
				came++
			} else if strings.HasPrefix(c.Path, "tags") && c.Kind == engine.Delete {
				gone++
			}
		}
		if more := now.Get("tags").AsArray().Len() - old.Get("tags").AsArray().Len(); came-gone != more {
			t.Fatalf("%d came and %d went, and there are %d more: %v", came, gone, more, out.Changes)
		}
	})
}

// TestRulesWithinUnorderedLists: a server that rewrites what is in the items of sets and keyed lists, as the rules of
// their types allow, and returns them in another order, has changed nothing: not for a refresh, and not for a diff.
func TestRulesWithinUnorderedLists(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e, _ := w.engine(t, `#T: {kind: string @equal(fold), address?: string @equal(trim), tags?: [...string] @set(), inner?: [...#U] @key(id), more?: [...#U] @set()}
#U: {id: string @equal(fold), at?: string @equal(path), free?: {[string]: string}}
resources: Thing: {
	inputs: {name: string @replace(), things?: [...#T] @set(), keyed?: [...#T] @key(kind), plain?: [...#T]}
	id: "${inputs.name}"
	create: world: do: what: "make"
	read: world: ask: what: "get"
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`)
	rapid.Check(t, func(t *rapid.T) {
		draw := itemsAndRewritten{t}
		things, rewrittenThings := draw.items("things", true)
		keyed, rewrittenKeyed := draw.items("keyed", true)
		plain, rewrittenPlain := draw.items("plain", false)
		inputs := object("name", "n", "things", things, "keyed", keyed, "plain", plain)
		server := object("name", "n", "things", rewrittenThings, "keyed", rewrittenKeyed, "plain", rewrittenPlain)
		shown := types.Untyped.Plain(property.New(server), nil, &types.Secrets{})
		w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome { return answers(shown) }
		read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "n", Inputs: inputs, Outputs: inputs}, Reason: engine.Refresh})
		if read.Err != nil || read.State == nil || !property.New(read.State.Inputs).Equals(property.New(inputs)) {
			t.Fatalf("%+v\nwas %v\nread %v", read, inputs, shown)
		}
		out, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: engine.State{ID: "n", Inputs: server}, New: inputs})
		if err != nil || len(out.Changes) > 0 && !hasEmptyMap(server) && !hasEmptyMap(inputs) {
			t.Fatalf("%+v: %v\nwas %v\nnow %v", out.Changes, err, server, inputs)
		}
	})
}

// itemsAndRewritten draws lists of items, and what a server makes of them.
type itemsAndRewritten struct{ *rapid.T }

// items returns items with different keys, and the same in the form of the server: in another order if they have none.
func (d itemsAndRewritten) items(label string, unordered bool) (program, server property.Value) {
	return d.list(label, []string{"A", "b", "cD"}, unordered, func(label, key string) (a, b map[string]property.Value) {
		a, b = map[string]property.Value{"kind": property.New(key)}, map[string]property.Value{"kind": property.New(strings.ToUpper(key))}
		if rapid.Bool().Draw(d.T, label+" address") {
			a["address"], b["address"] = property.New("x@y "), property.New(" x@y")
		}
		if rapid.Bool().Draw(d.T, label+" tags") {
			a["tags"], b["tags"] = property.New([]property.Value{property.New("s"), property.New("t")}), property.New([]property.Value{property.New("t"), property.New("s")})
		}
		for _, name := range []string{"inner", "more"} {
			if rapid.Bool().Draw(d.T, label+" "+name) {
				a[name], b[name] = d.list(label+" "+name, []string{"x", "Y"}, true, d.inner)
			}
		}
		return a, b
	})
}

func (d itemsAndRewritten) inner(label, key string) (a, b map[string]property.Value) {
	a, b = map[string]property.Value{"id": property.New(key)}, map[string]property.Value{"id": property.New(strings.ToLower(key))}
	if rapid.Bool().Draw(d.T, label+" at") {
		a["at"], b["at"] = property.New("/a/b/"), property.New("/a/b")
	}
	switch rapid.IntRange(0, 2).Draw(d.T, label+" free") {
	case 1:
		a["free"] = property.New(map[string]property.Value{}) // which the server leaves out
	case 2:
		b["free"] = property.New(map[string]property.Value{})
	}
	return a, b
}

func (d itemsAndRewritten) list(label string, keys []string, unordered bool, item func(label, key string) (a, b map[string]property.Value)) (program, server property.Value) {
	keys = rapid.Permutation(keys).Draw(d.T, label+" keys")[:rapid.IntRange(0, len(keys)).Draw(d.T, label+" length")]
	var as, bs []property.Value
	for _, key := range keys {
		a, b := item(label+" "+key, key)
		as, bs = append(as, property.New(a)), append(bs, property.New(b))
	}
	if unordered && len(bs) > 0 {
		bs = rapid.Permutation(bs).Draw(d.T, label+" order")
	}
	return property.New(as), property.New(bs)
}

// hasEmptyMap reports whether a value has an empty map, which is the same as none only in what was read.
func hasEmptyMap(v property.Map) bool {
	return strings.Contains(types.Canonical(property.New(v)), "{}")
}
