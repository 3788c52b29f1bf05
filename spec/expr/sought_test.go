package expr_test

import (
	"errors"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// TestSought evaluates templates that look for an object, of which the list has several: those that take one of them fail, and those
// that take all, or one of something else, do not.
func TestSought(t *testing.T) {
	items := func(ids ...string) []any {
		out := []any{map[string]any{"id": "other", "name": "b", "tags": []any{"s", "t"}}}
		for _, id := range ids {
			out = append(out, map[string]any{"id": id, "name": "a", "tags": []any{"s", "t"}})
		}
		return out
	}
	for _, tc := range []struct {
		template string
		fails    bool
	}{
		{"find(body.items, .name == inputs.name)", true},
		{"find(body.items, .name == inputs.name)?.tags", true},
		{"findLast(body.items, .name == inputs.name)", true},
		{"let n = inputs.name; find(body.items, .name == n)", true},
		{"let f = find(body.items, .name == inputs.name); f == null ? null : {data: f}", true},
		{"find(body.items, .name == 'none') ?? find(body.items, .name == inputs.name)", true},
		{"first(filter(body.items, .name == inputs.name))", true},
		{"last(filter(body.items, .name == inputs.name) ?? [])", true},
		{"filter(body.items, .name == inputs.name)[0]", true},
		{"filter(body.items, .name == inputs.name)[-1]?.id", true},
		{"first(body.items)", true},
		{"first(body?.items ?? [])?.id", true},
		{"body.items[0]", true},
		{"body.items[0].tags", true},
		{"(body.items ?? [])[0] ?? null", true},
		{"filter(body.items, .name == inputs.name)", false},
		{"find(body.items, .name == 'a')", false},
		{"findIndex(body.items, .name == inputs.name)", false},
		{"any(body.items, .name == inputs.name)", false},
		{"body.items[1:]", false},
		{"{id: inputs.name, tag: first(body.items[1].tags)}", false},
		{"first(sort(map(body.items, .id)))", false},
		{"first(split(inputs.name, '/'))", false},
		{"map(body.items, find(.tags, # == inputs.name))", false},
		{"{n: first(['x', 'y'])}", false},
	} {
		scope := &expr.Scope{
			Names:  []expr.Name{{Name: "inputs"}, {Name: "body"}},
			Sought: &expr.Sought{ID: []string{"body", "id"}, Responses: true},
		}
		v, diags := expr.Compile(&spec.Node{Kind: spec.StringNode, Text: "${" + tc.template + "}"}, scope, nil)
		if diags.HasErrors() {
			t.Errorf("%s: %+v", tc.template, diags)
			continue
		}
		eval := func(items []any) error {
			_, err := v.Eval(&expr.Vars{Values: map[string]any{"inputs": map[string]any{"name": "a"}, "body": map[string]any{"items": items}}})
			return err
		}
		if err := eval(items("x", "y")); errors.Is(err, expr.ErrSeveral) != tc.fails || !tc.fails && err != nil {
			t.Errorf("%s of several: %v", tc.template, err)
		}
		if err := eval(items("x", "x")[1:]); err != nil {
			t.Errorf("%s of one that is listed twice: %v", tc.template, err)
		}
	}
}
