package engine_test

import (
	"context"
	"maps"
	"slices"
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
		if more := len(itemsOf(now)) - len(itemsOf(old)); came-gone != more {
			t.Fatalf("%d came and %d went, and there are %d more: %v", came, gone, more, out.Changes)
		}
		tagsChange := slices.ContainsFunc(out.Changes, func(c engine.Change) bool { return strings.HasPrefix(c.Path, "tags") })
		if same := maps.Equal(itemsOf(now), itemsOf(old)); same == tagsChange {
			t.Fatalf("as sets the same %t: %v", same, out.Changes)
		}
	})
}

// itemsOf returns the tags, each once.
func itemsOf(inputs property.Map) map[string]bool {
	out := map[string]bool{}
	for _, v := range inputs.Get("tags").AsArray().All {
		out[v.AsString()] = true
	}
	return out
}

// TestRepeatedItemsOfSets: an item of a set counts once, also if it is repeated in another spelling that means the same. What the
// program wrote is sent and recorded; a server that drops or adds repetitions has changed nothing.
func TestRepeatedItemsOfSets(t *testing.T) {
	t.Parallel()
	w := newWorld()
	e, _ := w.engine(t, `#T: {kind: string @equal(fold)}
resources: Thing: {
	inputs: {name: string @replace(), tags?: [...string] @set(), things?: [...#T] @set()}
	id: "${inputs.name}"
	create: world: do: what: "make"
	read: world: ask: what: "get"
	update: world: do: what: "change"
	delete: world: do: what: "remove"
}`)
	spellings := []string{"a", "A", "b"}
	lists := [][]string{{}}
	for first := 0; len(lists) < 40; first++ { // all of up to three items
		for _, s := range spellings {
			lists = append(lists, append(slices.Clone(lists[first]), s))
		}
	}
	value := func(list []string, fold bool) (property.Value, map[string]bool) {
		items, set := []property.Value{}, map[string]bool{}
		for _, s := range list {
			if fold {
				set[strings.ToLower(s)] = true
				items = append(items, property.New(object("kind", s)))
			} else {
				set[s] = true
				items = append(items, property.New(s))
			}
		}
		return property.New(items), set
	}
	for _, fold := range []bool{false, true} {
		name := map[bool]string{false: "tags", true: "things"}[fold]
		for _, a := range lists {
			for _, b := range lists {
				if len(a) == 0 || len(b) == 0 {
					continue
				}
				old, oldSet := value(a, fold)
				now, newSet := value(b, fold)
				was, is := object("name", "n", name, old), object("name", "n", name, now)
				out, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("Thing"), State: engine.State{ID: "n", Inputs: was, Outputs: was}, New: is})
				if same := maps.Equal(oldSet, newSet); err != nil || same != (len(out.Changes) == 0) {
					t.Errorf("%s: %v to %v: %+v %v", name, a, b, out.Changes, err)
				}
				shown := types.Untyped.Plain(property.New(was), nil, &types.Secrets{})
				w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome { return answers(shown) }
				read := e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: engine.State{ID: "n", Inputs: is, Outputs: is}, Reason: engine.Refresh})
				if read.Err != nil || read.State == nil {
					t.Fatal(read.Err)
				}
				want := was
				if maps.Equal(oldSet, newSet) {
					want = is // as the program wrote it
				}
				if got := read.State.Inputs.Get(name); !got.Equals(want.Get(name)) {
					t.Errorf("%s: %v, and the server has %v: recorded %v", name, b, a, got)
				}
			}
		}
	}
	for _, tags := range lists {
		made, _ := value(tags, false)
		checked, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: object("name", "n", "tags", made)})
		if err != nil || !checked.Inputs.Get("tags").Equals(made) {
			t.Errorf("%v is checked as %v: %v", made, checked.Inputs, err)
		}
	}
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
