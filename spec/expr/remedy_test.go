package expr

import (
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
)

// TestRemedies checks that each kind of finding has a remedy, and that the most
// common mistakes have a specific one.
func TestRemedies(t *testing.T) {
	scope := &Scope{Names: []Name{{Name: "inputs", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "path", Type: &spec.Type{Kind: spec.String}, Required: true},
		{Name: "force", Type: &spec.Type{Kind: spec.Bool}, Required: true},
		{Name: "some", Type: &spec.Type{Kind: spec.Any, Nullable: true}},
	}}}}}
	text, truth := &spec.Type{Kind: spec.String}, &spec.Type{Kind: spec.Bool}
	for name, tc := range map[string]struct {
		node   *spec.Node
		want   *spec.Type
		remedy string
	}{
		"text for a flag":    {&spec.Node{Kind: spec.StringNode, Text: "yes"}, truth, "Write true or false, without quotes."},
		"number for text":    {&spec.Node{Kind: spec.NumberNode, Text: "7"}, text, "Write it in quotes."},
		"text for a number":  {&spec.Node{Kind: spec.StringNode, Text: "7"}, &spec.Type{Kind: spec.Int}, "Write the number without quotes."},
		"a near literal":     {&spec.Node{Kind: spec.StringNode, Text: "fiel"}, &spec.Type{Kind: spec.String, Enum: []any{"file", "directory"}}, `Did you mean "file"?`},
		"a far literal":      {&spec.Node{Kind: spec.StringNode, Text: "socket"}, &spec.Type{Kind: spec.String, Enum: []any{"file", "directory"}}, "Write one of them."},
		"a path for a flag":  {&spec.Node{Kind: spec.StringNode, Text: "${inputs.path}"}, truth, `Write a comparison: x == "yes", x > 0, x != null.`},
		"a flag for an id":   {&spec.Node{Kind: spec.StringNode, Text: "${inputs.force}"}, &spec.Type{Kind: spec.Union, Variants: []*spec.Type{text, {Kind: spec.Int}}}, "Convert it with string(…)."},
		"text for a list":    {&spec.Node{Kind: spec.StringNode, Text: "${inputs.path}"}, &spec.Type{Kind: spec.List}, "Write [x] for a list with one item."},
		"text in arithmetic": {&spec.Node{Kind: spec.StringNode, Text: "${inputs.path * 2}"}, nil, "Convert it with int(…) or float(…)."},
		"null for a list":    {&spec.Node{Kind: spec.StringNode, Text: "${first(inputs.some)}"}, nil, "Use it only if it is not null (inputs.some != null ? … : …), or provide a default (inputs.some ?? [])."},
		"null for items":     {&spec.Node{Kind: spec.StringNode, Text: "${map(inputs.some, 1)}"}, nil, "Use it only if it is not null (inputs.some != null ? … : …), or provide a default (inputs.some ?? [])."},
		"a line break":       {&spec.Node{Kind: spec.StringNode, Text: "${inputs.path + '\n'}"}, nil, `Close the quotes. A string of an expression ends on its line: for a line break in it, write \n, which is '\\n' in a string of the spec in double quotes.`},
		"half an expression": {&spec.Node{Kind: spec.StringNode, Text: "${inputs.path +}"}, nil, check.RemedyOf(parse.CodeSyntax)},
	} {
		_, diags := Compile(tc.node, scope, tc.want)
		if len(diags) != 1 || diags[0].Detail != tc.remedy {
			t.Errorf("%s: want the remedy %q, got %+v", name, tc.remedy, diags)
		}
	}
}

// TestUnclosedReference checks which templates without a closing brace have a suggested edit:
// those where a reference ends, but no part of a longer expression.
func TestUnclosedReference(t *testing.T) {
	scope := &Scope{Names: []Name{{Name: "inputs"}}}
	for text, want := range map[string]string{
		"${inputs.path": "${inputs.path}", "${inputs.path/sub": "${inputs.path}", "${inputs.a ${inputs.b}": "${inputs.a}",
		"${map(inputs.a,": "", "${inputs.a[0": "", "${inputs.a == 1": "", "${ filter(": "",
	} {
		_, diags := Compile(&spec.Node{Kind: spec.StringNode, Text: text}, scope, nil)
		got := ""
		if len(diags) == 1 && len(diags[0].Edits) == 1 {
			got = diags[0].Edits[0].Text
		}
		if got != want || len(diags) != 1 {
			t.Errorf("%s: want the edit %q, got %q in %+v", text, want, got, diags)
		}
	}
}

// TestItemMembers checks what is proposed for a name in a predicate that may be a member of the item: an edit if the type of the item has
// the member, and words if nothing tells whether the item or an input is meant.
func TestItemMembers(t *testing.T) {
	text, untyped := &spec.Type{Kind: spec.String}, &spec.Type{Kind: spec.Any}
	pet := &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "name", Type: text, Required: true}, {Name: "kind", Type: text, Required: true}}}
	list := func(name string, of *spec.Type) *spec.Property {
		return &spec.Property{Name: name, Type: &spec.Type{Kind: spec.List, Elem: of}, Required: true}
	}
	scope := &Scope{Names: []Name{{Name: "inputs", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "name", Type: text, Required: true}, list("pets", pet), list("words", text), list("things", untyped),
	}}}}}
	for expression, want := range map[string]struct{ edit, remedy string }{
		"map(inputs.pets, name)":                         {".name", "Write .name."},
		"filter(inputs.pets, kind == 'cat')":             {".kind", "Write .kind."},
		"any(inputs.pets, .name == 'a' and kind != 'b')": {".kind", "Write .kind."},
		"map(inputs.things, map(inputs.pets, name))":     {".name", "Write .name."},
		"map(inputs.things, name)":                       {"", "Write .name for the member of the item, or inputs.name."},
		"map(inputs.things, kind)":                       {"", "Write .kind if it is a member of the item."},
		"map(inputs.pets, map(inputs.things, kind))":     {"", "Write .kind if it is a member of the item."},
		"filter(inputs.words, # == name)":                {"inputs.name", "Write inputs.name."},
		"map(inputs.things, input.name)":                 {"inputs", "Did you mean \"inputs\"?"},
		"len(name)":                                      {"inputs.name", "Write inputs.name."},
	} {
		_, diags := Compile(&spec.Node{Kind: spec.StringNode, Text: "${" + expression + "}"}, scope, nil)
		var edit, remedy string
		if len(diags) == 1 {
			remedy = diags[0].Detail
			for _, e := range diags[0].Edits {
				edit += e.Text
			}
		}
		if edit != want.edit || remedy != want.remedy {
			t.Errorf("%s: expected the edit %q and %q, got %q and %q in %+v", expression, want.edit, want.remedy, edit, remedy, diags)
		}
	}
}

// TestNoneDeclared: what has no members says where to declare one.
func TestNoneDeclared(t *testing.T) {
	none := &spec.Type{Kind: spec.Object}
	scope := &Scope{Names: []Name{{Name: "inputs", Type: none}, {Name: "config", Type: none}, {Name: "body", Type: none}}}
	for expression, want := range map[string]string{
		"inputs.owner":         "No inputs are declared here. Lists, methods and functions have inputs of their own: add `inputs: owner: string`.",
		"a/${inputs.owner}":    "No inputs are declared here. Lists, methods and functions have inputs of their own: add `inputs: owner: string`.",
		"x=${upper(config.x)}": "The spec has no settings. Add `config: x: string`.",
		"body.id":              "It is declared without members.",
	} {
		if !strings.Contains(expression, "$") {
			expression = "${" + expression + "}"
		}
		_, diags := Compile(&spec.Node{Kind: spec.StringNode, Text: expression}, scope, nil)
		if len(diags) != 1 || diags[0].Detail != want {
			t.Errorf("%s: expected %q, got %+v", expression, want, diags)
		}
	}
}
