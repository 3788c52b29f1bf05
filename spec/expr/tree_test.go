package expr

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// tree returns the node of a value. Each node has its own line, in order.
func tree(v any, line *int) *spec.Node {
	*line++
	n := &spec.Node{Range: diag.Point("spec.cue", *line, 1)}
	switch v := v.(type) {
	case nil:
		n.Kind, n.Text = spec.NullNode, "null"
	case bool:
		n.Kind, n.Text = spec.BoolNode, fmt.Sprint(v)
	case int:
		n.Kind, n.Text = spec.NumberNode, fmt.Sprint(v)
	case json.Number:
		n.Kind, n.Text = spec.NumberNode, string(v)
	case string:
		n.Kind, n.Text = spec.StringNode, v
	case []any:
		n.Kind = spec.ListNode
		for _, item := range v {
			n.Items = append(n.Items, tree(item, line))
		}
	case map[string]any:
		n.Kind = spec.MapNode
		for _, k := range slices.Sorted(maps.Keys(v)) {
			child := tree(v[k], line)
			n.Fields = append(n.Fields, spec.Field{Name: k, NameRange: diag.Point("spec.cue", child.Range.Start.Line, 100), Value: child})
		}
	}
	return n
}

func treeOf(v any) *spec.Node {
	line := 0
	return tree(v, &line)
}

type fields = map[string]any

// TestTrees checks the values of lists and structs of templates.
func TestTrees(t *testing.T) {
	tests := []struct {
		name  string
		tree  any
		want  *spec.Type
		value any
		fixed bool
	}{
		{
			"scalars",
			[]any{nil, true, 1, json.Number("2.50"), json.Number("12345678901234567890"), "x"},
			nil,
			[]any{nil, true, int64(1), 2.5, json.Number("12345678901234567890"), "x"},
			true,
		},
		{"all digits are kept", json.Number("0.12345678901234567890123"), nil, json.Number("0.12345678901234567890123"), true},
		{
			"templates",
			fields{"a": "${inputs.size}", "b": []any{"${id}-x", fields{"c": "${inputs.force}"}}},
			nil,
			fields{"a": int64(3), "b": []any{"p/1-x", fields{"c": true}}},
			false,
		},
		{"literal", fields{"literal": "${x}"}, nil, "${x}", true},
		{"literal for a string", fields{"literal": "${x}"}, kind(spec.String), "${x}", true},
		{"literal as a member", fields{"literal": "${id}"}, object(required("literal", kind(spec.String))), fields{"literal": "p/1"}, false},
		{"literal in a map", fields{"literal": "${id}"}, types.MapOf(kind(spec.String)), fields{"literal": "p/1"}, false},
		{"literal within", fields{"a": fields{"literal": "${"}}, nil, fields{"a": "${"}, true},
		{"an absent optional", fields{"mode": "${inputs.mode}"}, object(optionalProp("mode", kind(spec.String))), fields{"mode": nil}, false},
		{"a tagged union", fields{"from": "git", "url": "${id}"}, petScope().Names[0].Type.Field("source").Type, fields{"from": "git", "url": "p/1"}, false},
		{
			"a named type",
			fields{"label": "${id}", "leaves": []any{fields{"label": "x", "leaves": []any{}}}},
			&spec.Type{Ref: "Tree"},
			fields{"label": "p/1", "leaves": []any{fields{"label": "x", "leaves": []any{}}}},
			false,
		},
		{"a named value", "${inputs.tree}", &spec.Type{Ref: "Tree"}, fields{"label": "root", "leaves": []any{}}, false},
		{"a struct for a map", "${pick(inputs, \"name\", \"kind\")}", types.MapOf(kind(spec.String)), fields{"name": "Rex", "kind": "dog"}, false},
		{"segments where a string is expected", "${ segments(id) }", kind(spec.String), "p/1", false},
		{"segments with a local name", "${let p = id; segments(p)}", kind(spec.String), "p/1", false},
		{"too large to fold", "${len(repeat(\"x\", 2000000))}", nil, int64(2000000), false},
		{"folded", fields{"a": "${1 + 1}", "b": "x${2}"}, nil, fields{"a": int64(2), "b": "x2"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, diags := Compile(treeOf(test.tree), petScope(), test.want)
			if len(diags) > 0 {
				t.Fatalf("%+v", diags)
			}
			got, err := v.Eval(petVars())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.value, got); diff != "" {
				t.Error(diff)
			}
			if _, ok := v.Const(); ok != test.fixed {
				t.Errorf("constant: %v, want %v", ok, test.fixed)
			}
		})
	}
}

// TestTreeErrors checks the code and line of each mistake in a tree. The name of a
// member is in column 100.
func TestTreeErrors(t *testing.T) {
	rules := types.ListOf(&spec.Type{Ref: "Rule"})
	one := 1
	tests := []struct {
		name string
		tree any
		want *spec.Type
		out  []string
	}{
		{"a list for a string", []any{"x"}, kind(spec.String), []string{"type-mismatch 1:1"}},
		{"a struct for a list", fields{}, rules, []string{"type-mismatch 1:1"}},
		{"a string for a struct", "x", &spec.Type{Ref: "Rule"}, []string{"type-mismatch 1:1"}},
		{"several", []any{fields{"port": "x", "prt": 1, "protocol": "icmp"}}, rules, []string{"type-mismatch 3:1", "value-not-allowed 4:1", "unknown-member 5:100"}},
		{"missing", []any{fields{"port": 1}}, rules, []string{"missing-member 2:1"}},
		{"too many", []any{1, 2}, &spec.Type{Kind: spec.List, MaxLen: &one}, []string{"value-not-allowed 1:1"}},
		{"a bad key", fields{"A": "x"}, &spec.Type{Kind: spec.Map, Keys: []string{"^[a-z]$"}}, []string{"value-not-allowed 2:100"}},
		{"null", fields{"port": nil, "protocol": "tcp"}, &spec.Type{Ref: "Rule"}, []string{"null-unguarded 2:1"}},
		{"a union by its tag", fields{"from": "git", "path": "x"}, petScope().Names[0].Type.Field("source").Type, []string{"unknown-member 3:100", "missing-member 1:1"}},
		{"a template within", fields{"port": "${inputs.name}", "protocol": "tcp"}, &spec.Type{Ref: "Rule"}, []string{"type-mismatch 2:1"}},
		{"an unrelated struct", "${inputs.tree}", &spec.Type{Ref: "Rule"}, []string{"missing-member 1:1"}},
		{"too large", strings.Repeat("x", parse.MaxTemplate+1), nil, []string{"template-too-large 1:1"}},
		{"parentheses", "${" + strings.Repeat("(", 30000) + "1" + strings.Repeat(")", 30000) + "}", nil, nil},
		{"negations", "${" + strings.Repeat("!", 60000) + "true}", nil, []string{"template-syntax 1:1"}},
		{"a chain", "${body" + strings.Repeat(".a", 900) + "}", nil, nil},
		{"too long a chain", "${body" + strings.Repeat(".a", 20000) + "}", nil, []string{"template-syntax 1:1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diags := Compile(treeOf(test.tree), petScope(), test.want)
			var got []string
			for _, d := range diags {
				got = append(got, fmt.Sprintf("%s %d:%d", d.Code, d.Subject.Start.Line, d.Subject.Start.Column))
			}
			if diff := cmp.Diff(test.out, got); diff != "" {
				t.Errorf("%s\n%+v", diff, diags)
			}
		})
	}
}
