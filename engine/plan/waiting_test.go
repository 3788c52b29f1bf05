package plan

import (
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// TestRoles has the role of a last step, after a step that only reads and one with an effect, and what follows from it.
func TestRoles(t *testing.T) {
	t.Parallel()
	scope := &expr.Scope{Names: []expr.Name{{Name: "id"}, {Name: "inputs"}, {Name: "steps"}, {Name: "body"}}}
	compile := func(text string) *expr.Value {
		if text == "" {
			return nil
		}
		v, diags := expr.Compile(&spec.Node{Kind: spec.StringNode, Text: text, Range: diag.Range{}}, scope, nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return v
	}
	const made, looked = "/jobs/${steps.made.body.job}", "/things/${steps.looked.body.name}"
	for name, tc := range map[string]struct {
		path, until, fail string
		inherited, writes bool
		want              Role
		vague, decides    bool
	}{
		"a check by the inputs":             {path: "/things/${inputs.name}", want: Checks},
		"a check by the id":                 {path: "/things/${id}", want: Checks},
		"a check by what was read":          {path: looked, want: Checks},
		"of a response":                     {path: made, want: Asks, vague: true},
		"of the latest response":            {path: "/jobs/${body.job}", want: Asks, vague: true},
		"until, by the id":                  {path: "/things/${id}", until: "${body.done}", want: Awaits, vague: true, decides: true},
		"until, of a response":              {path: made, until: "${body.done}", want: Awaits, vague: true, decides: true},
		"until and fail":                    {path: made, until: "${body.done}", fail: "${body.error}", want: Awaits, vague: true, decides: true},
		"fail, by the id":                   {path: "/things/${id}", fail: "${body.error}", want: Judges, decides: true},
		"fail, of a response":               {path: made, fail: "${body.error}", want: Awaits, vague: true, decides: true},
		"fail of the family":                {path: "/things/${id}", fail: "${body.error}", inherited: true, want: Checks},
		"fail of the family, of a response": {path: made, fail: "${body.error}", inherited: true, want: Asks, vague: true},
		"an effect":                         {path: "/parts", writes: true, want: Acts},
		"an effect on what was made":        {path: made, writes: true, want: Acts},
		"an effect with fail":               {path: made, fail: "${body.error}", writes: true, want: Judges, decides: true},
		"an effect until":                   {path: "/parts", until: "${body.done}", writes: true, want: Judges, decides: true},
	} {
		looks := &Step{Model: &spec.Step{As: "looked"}}
		makes := &Step{Model: &spec.Step{As: "made"}, Index: 1, Effect: actions.Write}
		makes.Family, makes.Result = &actions.Family{Shorthands: true}, &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "body", Type: &spec.Type{}}}}
		s := &Step{Model: &spec.Step{}, Index: 2}
		s.Args = map[string]Argument{"path": {Value: compile(tc.path)}}
		s.Until, s.Fail, s.Inherits.Fail = compile(tc.until), compile(tc.fail), tc.inherited
		if tc.writes {
			s.Effect = actions.Write
		}
		op := Waiting{&Operation{Steps: []*Step{looks, makes, s}}}
		role := RoleOf(s, op.Steps[:s.Index])
		if role != tc.want || role.IsVague() != tc.vague || role.Decides() != tc.decides || op.decides(s) != tc.decides {
			t.Errorf("%s: role %d, vague %v, decides %v; want %d, %v, %v", name, role, role.IsVague(), role.Decides(), tc.want, tc.vague, tc.decides)
		}
	}
}
