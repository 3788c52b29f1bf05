package engine_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine"
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
