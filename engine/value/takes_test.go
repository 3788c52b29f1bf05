package value

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
)

// taker is a path, types that a value with only that path may have, and types that may take it.
type taker struct {
	path     []string
	from, to *spec.Type
}

// drawTaker draws a path of the given length.
func drawTaker(t *rapid.T, steps int) taker {
	if steps == 0 {
		whole := &spec.Type{Kind: spec.Int}
		return taker{nil, rapid.SampledFrom([]*spec.Type{whole, {Kind: spec.Any}}).Draw(t, "from"), whole}
	}
	inner := drawTaker(t, steps-1)
	names := []string{"fullName", "FullName", "full_name", "other"}
	step := rapid.SampledFrom(append(slices.Clone(names), "*")).Draw(t, "step")
	out := taker{path: append([]string{step}, inner.path...)}
	untyped := inner.from.Kind == spec.Any
	if step == "*" {
		out.from, out.to = &spec.Type{Kind: spec.List, Elem: inner.from}, &spec.Type{Kind: spec.List, Elem: inner.to}
		if untyped && rapid.Bool().Draw(t, "any") {
			out.from = &spec.Type{Kind: spec.Any}
		}
		return out
	}
	out.from = &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: step, Wire: step, Type: inner.from, Required: true}}}
	if untyped {
		out.from = rapid.SampledFrom([]*spec.Type{out.from, {Kind: spec.Any}, {Kind: spec.Map, Elem: inner.from}, {Kind: spec.Object, Open: true}}).Draw(t, "from")
	}
	if rapid.IntRange(0, 4).Draw(t, "map") == 0 {
		out.to = &spec.Type{Kind: spec.Map, Elem: inner.to}
		return out
	}
	out.to = &spec.Type{Kind: spec.Object, Open: rapid.IntRange(0, 4).Draw(t, "open") == 0}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 2, rapid.ID[string]).Draw(t, "declared") {
		p := &spec.Property{Name: name, Type: inner.to}
		if rapid.Bool().Draw(t, "own name") {
			p.Wire = rapid.SampledFrom(names).Draw(t, "wire")
		}
		out.to.Fields = append(out.to.Fields, p)
	}
	if first, _ := out.to.WireConflict("snake_case"); first != nil {
		t.Skip("vet refuses it")
	}
	return out
}

// valueAt returns a value that only has a path.
func valueAt(path []string) any {
	switch {
	case len(path) == 0:
		return int64(1)
	case path[0] == "*":
		return []any{valueAt(path[1:])}
	default:
		return map[string]any{path[0]: valueAt(path[1:])}
	}
}

// survives reports whether the number in a value is kept by a type, which drops members that it
// does not declare.
func survives(v any, t *spec.Type) bool {
	switch v := v.(type) {
	case []any:
		return survives(v[0], t.Elem)
	case map[string]any:
		for name, item := range v {
			if p := t.Field(name); p != nil {
				return survives(item, p.Type)
			}
			return t.Kind == spec.Map && survives(item, t.Elem) || t.Kind == spec.Object && t.Open
		}
		return false
	default:
		return true
	}
}

// TestTakes: WireRule.Takes tells of each member whether FromWire keeps it.
func TestTakes(t *testing.T) {
	t.Parallel()
	const rule = WireRule("snake_case")
	rapid.Check(t, func(t *rapid.T) {
		tc := drawTaker(t, rapid.IntRange(1, 3).Draw(t, "steps"))
		got := rule.fromWire(valueAt(tc.path), tc.from, tc.to, nil)
		known, ok := rule.Takes(tc.from, tc.to, tc.path, nil)
		if want := survives(got, tc.to); ok != want {
			from, _ := json.Marshal(tc.from)
			to, _ := json.Marshal(tc.to)
			t.Fatalf("%v of %s for %s: takes it: %t, known %q; it became %v", tc.path, from, to, ok, known, got)
		}
		if ok && known != nil {
			t.Fatalf("known names %q of a member that is taken", known)
		}
	})
}
