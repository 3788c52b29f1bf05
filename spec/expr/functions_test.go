package expr

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/functions"
	"github.com/declprov/declprov/spec/types"
)

func stringNode(text string) *spec.Node {
	n := &spec.Node{Kind: spec.StringNode, Text: text}
	n.Range.File = "spec.cue"
	n.Range.Start.Line, n.Range.Start.Column = 1, 1
	n.Range.End.Line, n.Range.End.Column = 1, 1+len([]rune(text))
	n.Marks = []spec.Mark{{Offset: 0, Pos: n.Range.Start}}
	return n
}

// TestFunctionExamples runs the example of every documented function.
func TestFunctionExamples(t *testing.T) {
	for _, f := range functions.All() {
		t.Run(f.Name, func(t *testing.T) {
			if f.Summary == "" || f.Example == "" || f.Result == "" {
				t.Fatalf("%s is not documented in full", f.Name)
			}
			v, diags := Compile(stringNode("${"+f.Example+"}"), &Scope{}, nil)
			if len(diags) > 0 {
				t.Fatalf("%s: %+v", f.Example, diags)
			}
			got, err := v.Eval(&Vars{})
			if err != nil {
				t.Fatal(err)
			}
			text, err := functions.EncodeJSON(eval.NewRun(nil, eval.MaxWork), got, "")
			if err != nil {
				t.Fatal(err)
			}
			if text != f.Result {
				t.Errorf("%s = %s, but the documentation says %s", f.Example, text, f.Result)
			}
			if !json.Valid([]byte(f.Result)) {
				t.Errorf("the result %s is not JSON", f.Result)
			}
			if m := types.Fits(got, v.Type(), nil); m != nil {
				t.Errorf("%s is not of its type %s: %v", f.Example, types.Describe(v.Type()), m)
			}
		})
	}
}

// TestRepeatedKeysOfPairs: a key that occurs twice is an error with the key, unless it may be secret, whatever the types of
// the keys.
func TestRepeatedKeysOfPairs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys string
		want string // of the repeated key, "" for none
	}{
		{`'a', 'b'`, ""}, {`'a', 'A'`, ""}, {`'a', 'a'`, `"a"`}, {`'a', 'b', 'a'`, `"a"`}, {`1, '1'`, `"1"`}, {`true, 'true'`, `"true"`}, {`'', ''`, `""`},
	} {
		for _, secret := range []bool{false, true} {
			v, diags := Compile(stringNode("${fromPairs(map(["+tc.keys+"], [#, given]))}"), &Scope{Names: []Name{{Name: "given", Secret: secret}}}, nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			vars := &Vars{Values: map[string]any{"given": "x"}}
			if secret {
				vars.Secrets = [][]string{{"given"}}
			}
			_, err := v.Eval(vars)
			switch {
			case (err != nil) != (tc.want != ""):
				t.Errorf("%s, secret %t: %v", tc.keys, secret, err)
			case err != nil && strings.Contains(err.Error(), tc.want) == secret:
				t.Errorf("%s, secret %t: the key is in %v, or not", tc.keys, secret, err)
			}
		}
	}
}
