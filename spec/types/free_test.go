package types

import (
	"fmt"
	"testing"

	"github.com/declprov/declprov/spec"
)

// TestFreeText states which types let a value contain text that a program could interpret.
func TestFreeText(t *testing.T) {
	text := func(patterns ...string) *spec.Type {
		out := &spec.Type{Kind: spec.String}
		for _, p := range patterns {
			out.Patterns = append(out.Patterns, spec.Pattern{Regexp: p})
		}
		return out
	}
	named := spec.Types{"#Name": {Name: "Name", Type: text("^[a-z]+$")}, "#Tree": {Name: "Tree", Type: &spec.Type{Kind: spec.List, Elem: &spec.Type{Ref: "#Tree"}}}}
	for _, tc := range []struct {
		is   *spec.Type
		want bool
	}{
		{nil, true},
		{&spec.Type{}, true},
		{text(), true},
		{&spec.Type{Kind: spec.Bool}, false},
		{&spec.Type{Kind: spec.Number}, false},
		{&spec.Type{Kind: spec.String, Enum: []any{"a", "b"}}, false},
		{&spec.Type{Ref: "#Name"}, false},
		{text("^[a-z][a-z0-9_-]{0,62}$"), false},
		{text("^(dev|prod)-[0-9]+$"), false},
		{text(`^\d+\.\d+$`), false},
		{text("^O'[A-Z][a-z]*$"), false},
		{text(".", "^[a-z]+$"), false},
		{text("[a-z]+"), true},
		{text("^[a-z]+"), true},
		{text("(?m)^[a-z]+$"), true},
		{text("^[^,]*$"), true},
		{text("^.+$"), true},
		{text("^(a|.*)$"), true},
		{text(`^\S+$`), true},
		{text("^[!-~]+$"), true},
		{&spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: "^[a-z]+$", Negated: true}}}, true},
		{&spec.Type{Kind: spec.List, Elem: &spec.Type{Ref: "#Name"}}, false},
		{&spec.Type{Kind: spec.List, Elem: text()}, true},
		{&spec.Type{Kind: spec.Map, Elem: &spec.Type{Ref: "#Name"}}, true},
		{&spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "a", Type: &spec.Type{Kind: spec.Int}}}}, false},
		{&spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "a", Type: text()}}}, true},
		{&spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Kind: spec.Int}, {Ref: "#Name"}}}, false},
		{&spec.Type{Kind: spec.Union, Variants: []*spec.Type{{Kind: spec.Int}, text()}}, true},
		{&spec.Type{Ref: "#Tree"}, true},
		{&spec.Type{Ref: TimeRef}, false},
	} {
		whole := &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "inputs", Type: tc.is}}}
		if got := IsFree(whole, []string{"inputs"}, named); got != tc.want {
			t.Errorf("%+v is free: %t, want %t", tc.is, got, tc.want)
		}
	}
	// What a shell interprets, in double quotes or outside.
	for _, c := range "'\"`\\;$\n\r\t |&()<>*?[]{}!#" {
		pattern := fmt.Sprintf(`^[a-z\x%02x]+$`, c)
		if !IsFree(text(pattern), nil, named) {
			t.Errorf("%s is not free", pattern)
		}
	}
}
