package types_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// TestRules checks values of each kind on both sides of each rule, and expects
// Breaches and Fits to say the same.
func TestRules(t *testing.T) {
	number, three := json.Number("1.5"), 3
	min := func(v any, exclusive bool) spec.Type {
		return spec.Type{Min: &spec.Bound{Value: v, Exclusive: exclusive}}
	}
	max := func(v any, exclusive bool) spec.Type {
		return spec.Type{Max: &spec.Bound{Value: v, Exclusive: exclusive}}
	}
	pattern := func(regexp string, negated bool) spec.Type {
		return spec.Type{Patterns: []spec.Pattern{{Regexp: regexp, Negated: negated}}}
	}
	for _, c := range []struct {
		kind spec.Kind
		rule spec.Type
		keep []any
		must string
		lose []any
	}{
		{spec.Bool, spec.Type{}, []any{true, false}, "", nil},
		{spec.Bool, spec.Type{Enum: []any{true}}, []any{true}, `must be true`, []any{false}},
		{spec.Bool, spec.Type{Not: []any{true}}, []any{false}, `must not be true`, []any{true}},

		{spec.String, spec.Type{Enum: []any{"a", "b"}}, []any{"a", "b"}, `must be "a" or "b"`, []any{"", "c", "ab"}},
		{spec.String, spec.Type{Not: []any{"a"}}, []any{"", "b"}, `must not be "a"`, []any{"a"}},
		{spec.String, spec.Type{MinLen: 2}, []any{"ab", "äö"}, `must have at least 2 characters, got 1`, []any{"a", "ä"}},
		{spec.String, spec.Type{MaxLen: &three}, []any{"", "äöü"}, `must have at most 3 characters, got 4`, []any{"abcd", "äöüß"}},
		{spec.String, pattern("^[a-z]+$", false), []any{"a"}, `must match ^[a-z]+$`, []any{"", "A"}},
		{spec.String, pattern("^[a-z]+$", true), []any{"", "A"}, `must not match ^[a-z]+$`, []any{"a"}},
		{spec.String, min("b", false), []any{"b", "c"}, `must come after or be "b"`, []any{"", "a"}},
		{spec.String, min("b", true), []any{"ba", "c"}, `must come after "b"`, []any{"a", "b"}},
		{spec.String, max("b", false), []any{"", "b"}, `must come before or be "b"`, []any{"ba", "c"}},
		{spec.String, max("b", true), []any{"", "a"}, `must come before "b"`, []any{"b", "c"}},
		{spec.String, min(number, false), []any{"", "a"}, "", nil}, // no order between the two

		{spec.Number, spec.Type{Enum: []any{number}}, []any{1.5, json.Number("1.50"), json.Number("15e-1")}, `must be 1.5`, []any{int64(1), 1.6}},
		{spec.Number, spec.Type{Not: []any{json.Number("0.1")}}, []any{0.2}, `must not be 0.1`, []any{0.1, json.Number("1e-1")}},
		{spec.Number, min(number, false), []any{1.5, int64(2), json.Number("1.50")}, `must be at least 1.5`, []any{int64(1), 1.4, json.Number("1.49")}},
		{spec.Number, min(number, true), []any{1.6, int64(2)}, `must be more than 1.5`, []any{1.5, json.Number("15e-1"), int64(1)}},
		{spec.Number, max(number, false), []any{1.5, int64(-2)}, `must be at most 1.5`, []any{1.6, int64(2), json.Number("1e99")}},
		{spec.Number, max(number, true), []any{1.4, int64(1)}, `must be less than 1.5`, []any{1.5, int64(2)}},
		{spec.Number, spec.Type{MultipleOf: "0.1"}, []any{0.3, int64(7), json.Number("1e1")}, `must be a multiple of 0.1`, []any{0.35, json.Number("1e-2")}},

		{spec.Int, spec.Type{}, []any{int64(1), 1.0, json.Number("1.0"), json.Number("10e-1")}, "", nil},
		{spec.Int, min(json.Number("-2"), false), []any{int64(-2), 0.0}, `must be at least -2`, []any{int64(-3), -3.0}},
		{spec.Int, spec.Type{MultipleOf: "4"}, []any{int64(0), -8.0}, `must be a multiple of 4`, []any{int64(6), json.Number("-2")}},
		// A float equals each decimal that rounds to it. An integer is exact.
		{spec.Int, min(json.Number("9007199254740993"), false), []any{9007199254740992.0, int64(9007199254740993)}, `must be at least 9007199254740993`, []any{int64(9007199254740992)}},
		{spec.Int, spec.Type{Enum: []any{json.Number("9007199254740993")}}, []any{9007199254740992.0}, `must be 9007199254740993`, []any{int64(9007199254740992)}},
	} {
		typ := c.rule
		typ.Kind = c.kind
		check := func(v any, want ...string) {
			t.Helper()
			what := fmt.Sprintf("%v (%T)", v, v)
			var got []string
			for _, b := range types.Breaches(v, &typ, nil) {
				got = append(got, b.Must)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", what, diff)
			}
			if m := types.Fits(v, &typ, nil); (m == nil) != (want == nil) || m != nil && !strings.HasSuffix(m.Reason, want[0]) {
				t.Errorf("%s: Fits says %v; expected %q", what, m, want)
			}
		}
		for _, v := range c.keep {
			check(v)
		}
		for _, v := range c.lose {
			check(v, c.must)
		}
	}
}

// TestKinds checks a value of each kind against each kind of type.
func TestKinds(t *testing.T) {
	values := []any{true, "a", int64(1), 1.0, json.Number("1.5"), []any{}, map[string]any{}, &spec.File{}, &spec.File{Archive: true}, nil}
	for kind, want := range map[spec.Kind]string{
		spec.Any: "true a 1 1 1.5 [] map[] asset archive null", spec.Bool: "true", spec.String: "a", spec.Int: "1 1", spec.Number: "1 1 1.5",
		spec.List: "[]", spec.Map: "map[]", spec.Object: "map[]", spec.Asset: "asset", spec.Archive: "archive",
	} {
		var fit []string
		for _, v := range values {
			if types.Fits(v, &spec.Type{Kind: kind}, nil) != nil {
				continue
			}
			name := fmt.Sprint(v)
			switch v := v.(type) {
			case *spec.File:
				name = map[bool]string{false: "asset", true: "archive"}[v.Archive]
			case nil:
				name = "null"
			}
			fit = append(fit, name)
		}
		if got := strings.Join(fit, " "); got != want {
			t.Errorf("%s takes %s; expected %s", kind, got, want)
		}
	}
}

// TestAllBreachesAreReported checks that all rules that a value breaks are reported,
// in a fixed order.
func TestAllBreachesAreReported(t *testing.T) {
	typ := &spec.Type{
		Kind: spec.String, Not: []any{"x"}, MinLen: 2,
		Patterns: []spec.Pattern{{Regexp: "^[a-c]"}, {Regexp: "x", Negated: true}, {Regexp: "y"}},
		Max:      &spec.Bound{Value: "d"},
	}
	want := []string{`must not be "x"`, "must have at least 2 characters, got 1", "must match ^[a-c]", "must not match x", "must match y", `must come before or be "d"`}
	var got []string
	for _, b := range types.Breaches("x", typ, nil) {
		got = append(got, b.Must)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Callers that charge for patterns match them themselves.
	kept := func(_ string, pattern int) bool { return pattern != 2 }
	got = nil
	for _, b := range types.Breaches("x", typ, kept) {
		got = append(got, b.Must)
	}
	if diff := cmp.Diff([]string{want[0], want[1], want[4], want[5]}, got); diff != "" {
		t.Error(diff)
	}
}
