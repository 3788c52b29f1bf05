package types_test

import (
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// Types that only differ in their places in the spec, in their documentation, or in null are one.
func TestJoinOfEqualStructs(t *testing.T) {
	t.Parallel()
	at := func(line int, typ *spec.Type) *spec.Type {
		p := must("x", typ)
		p.Doc, p.Range = "line", diag.Range{Start: diag.Position{Line: line}}
		return object(p)
	}
	str := kind(spec.String)
	for _, c := range []struct {
		a, b *spec.Type
		want string
	}{
		{at(1, str), at(2, str), "a struct {x}"},
		{at(1, str), types.Nullable(at(2, str)), "a struct {x} or null"},
		{at(1, types.ListOf(at(3, str))), at(2, types.ListOf(at(4, str))), "a struct {x}"},
		{at(1, str), at(2, kind(spec.Int)), "a struct {x} or a struct {x}"},
		{at(1, str), &spec.Type{Kind: spec.Union, Variants: []*spec.Type{str, at(2, str)}}, "a struct {x} or a string"},
	} {
		for _, pair := range [][2]*spec.Type{{c.a, c.b}, {c.b, c.a}} {
			got := types.Join(pair[0], pair[1], spec.Types{})
			if n := len(types.Present(got, spec.Types{}).Variants); (n == 0) != (c.want == "a struct {x}" || c.want == "a struct {x} or null") || n > 2 {
				t.Errorf("%s with %s: %s", types.Describe(pair[0]), types.Describe(pair[1]), types.Describe(got))
			}
		}
	}
}

func TestMayBeNull(t *testing.T) {
	t.Parallel()
	named := spec.Types{
		"A":    {Type: types.Nullable(kind(spec.String))},
		"C":    {Type: &spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Ref: "A"}, kind(spec.Bool)}}},
		"Loop": {Type: &spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Ref: "Loop"}, kind(spec.Bool)}}},
	}
	for name, c := range map[string]struct {
		of   *spec.Type
		want bool
	}{
		"a string":              {kind(spec.String), false},
		"a reference":           {&spec.Type{Ref: "A"}, true},
		"a union":               {&spec.Type{Ref: "C"}, true},
		"a union of a union":    {&spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Ref: "C"}, kind(spec.Int)}}, true},
		"a union of itself":     {&spec.Type{Ref: "Loop"}, false},
		"any":                   {kind(spec.Any), false},
		"a list with nulls":     {types.ListOf(types.Null()), false},
		"a literal that is one": {&spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Kind: spec.Any, Enum: []any{nil}}}}, true},
	} {
		if got := types.MayBeNull(c.of, named); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
