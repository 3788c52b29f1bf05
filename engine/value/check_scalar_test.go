package value

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// TestChecksKeepTheRules holds values of a program against each rule, and expects what
// types.Breaches says of them, also where they are secret.
func TestChecksKeepTheRules(t *testing.T) {
	two, three, half := 2, json.Number("3"), json.Number("0.5")
	rules := []spec.Type{
		{},
		{Enum: []any{"a", three, true}},
		{Not: []any{"a", three, false}},
		{MinLen: two},
		{MaxLen: &two},
		{MultipleOf: "0.1"},
		{Min: &spec.Bound{Value: three}},
		{Min: &spec.Bound{Value: half, Exclusive: true}},
		{Max: &spec.Bound{Value: half}},
		{Max: &spec.Bound{Value: three, Exclusive: true}},
		{Min: &spec.Bound{Value: "a"}},
		{Min: &spec.Bound{Value: "a", Exclusive: true}},
		{Max: &spec.Bound{Value: "b"}},
		{Max: &spec.Bound{Value: "b", Exclusive: true}},
		{Patterns: []spec.Pattern{{Regexp: "^[a-z]*$"}, {Regexp: "b", Negated: true}}},
	}
	values := []any{true, false, "", "a", "b", "ab", "äöü", "A", 0.0, 0.5, 3.0, -1.0, 0.35, 1e300}
	for _, kind := range []spec.Kind{spec.Bool, spec.String, spec.Int, spec.Number} {
		for i, rule := range rules {
			rule.Kind = kind
			c := NewBuilder(nil, nil).Build(&rule)
			for _, plain := range values {
				v, err := property.Any(plain)
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				if !types.Takes(&rule, types.ShapeOf(plain, nil).Kind()) {
					want = []string{"must be " + types.Describe(&rule) + ", not "}
				} else {
					for _, b := range types.Breaches(plain, &rule, nil) {
						if b.Unlisted {
							b.Must = "must be one of "
						}
						want = append(want, b.Must)
					}
				}
				for _, given := range []property.Value{v, v.WithSecret(true)} {
					var found Findings
					c.Complete(given, "at", &found)
					if !slices.EqualFunc(found.List, want, func(f Failure, must string) bool { return strings.HasPrefix(f.Reason, must) }) {
						t.Errorf("rule %d of %s, %v: %v; expected %q", i, kind, plain, found.List, want)
					}
				}
			}
		}
	}
}
