package expr

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
)

// TestPositionsOverLines checks positions in a string that spans two lines of the
// document and contains an escape.
func TestPositionsOverLines(t *testing.T) {
	// The source is `"é\t${inputs.name}` and, on the next line, indented by
	// four, `and ${inputs.nme}`.
	n := &spec.Node{Kind: spec.StringNode, Text: "é\t${inputs.name}\nand ${inputs.nme}"}
	n.Range = diag.Range{File: "pet.cue", Start: diag.Position{Line: 7, Column: 3}, End: diag.Position{Line: 8, Column: 25}}
	n.Marks = []spec.Mark{
		{Offset: 0, Pos: diag.Position{Line: 7, Column: 6}},
		{Offset: 1, Pos: diag.Position{Line: 7, Column: 7}},
		{Offset: 2, Pos: diag.Position{Line: 7, Column: 9}},
		{Offset: 17, Pos: diag.Position{Line: 8, Column: 5}},
	}
	_, diags := Compile(n, petScope(), nil)
	if len(diags) != 1 {
		t.Fatalf("%+v", diags)
	}
	want := diag.Range{File: "pet.cue", Start: diag.Position{Line: 8, Column: 18}, End: diag.Position{Line: 8, Column: 21}}
	if diff := cmp.Diff(want, diags[0].Subject); diff != "" {
		t.Error(diff)
	}
}

// TestWarnings checks that code which is superfluous, but not wrong, causes a
// warning.
func TestWarnings(t *testing.T) {
	v, diags := Compile(stringNode("${inputs.name != null ? 1 : 2}"), petScope(), nil)
	if len(diags) != 1 || diags[0].Severity != diag.Warning || diags[0].Code != check.CodeNeverEqual {
		t.Fatalf("%+v", diags)
	}
	if got, err := v.Eval(petVars()); err != nil || got != int64(1) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestLanguageExamples compiles the templates of the language documentation.
func TestLanguageExamples(t *testing.T) {
	str := kind(spec.String)
	scope := &Scope{Names: []Name{
		{Name: "config", Type: object(required("root", str), required("endpoint", str), required("token", str))},
		{Name: "inputs", Type: object(required("path", str), required("content", str), required("owner", str), required("force", kind(spec.Bool)))},
		{Name: "changes"},
		{Name: "body"},
		{Name: "result"},
		{Name: "steps"},
		{Name: "id", Type: str},
		{Name: "old", Type: str},
		{Name: "new", Type: str},
	}}
	for _, text := range []string{
		"${config.root}/**", "${config.root}", "${inputs.path}", "${inputs.force}", "${body.message ?? body.error}", "${inputs}", "${result.body.id}",
		"/pets/${id}", "${changes}", "/operations/${steps.start.body.operation.id}", "${body.done}", "${body.error.message}", "${body.phase}: ${body.percent}%",
		"${inputs.owner}/${id}", "${lower(old) == lower(new)}",
	} {
		if _, diags := Compile(stringNode(text), scope, nil); len(diags) > 0 {
			t.Errorf("%s: %+v", text, diags)
		}
	}
}
