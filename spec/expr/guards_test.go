package expr

import (
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// TestGuardedCalls checks that a null check of a call guards the same call, unless it depends on
// an item or a variable from around it.
func TestGuardedCalls(t *testing.T) {
	const found, another = "find(inputs.rules, #.port == inputs.size)", "find(inputs.rules, #.port == 1)"
	for text, guarded := range map[string]bool{
		found + " != null ? " + found + ".port : 0":                                                                 true,
		found + " == null ? 0 : find(inputs.rules, .port == inputs.size).port":                                      true,
		found + " != null && " + found + ".port > 1":                                                                true,
		found + "?.note != null ? " + found + ".note + 'x' : ''":                                                    true,
		"first(inputs.rules) != null ? first(inputs.rules).port : 0":                                                true,
		"let f = " + found + "; f != null ? " + found + ".port + f.port : 0":                                        true,
		"let m = inputs.mode; (inputs.mode != null ? m + 'x' : '')":                                                 true,
		found + " != null ? " + another + ".port : 0":                                                               false,
		found + " == null ? " + found + ".port : 0":                                                                 false,
		found + " != null ? " + found + ".note + 'x' : ''":                                                          false,
		"let a = inputs.size; (find(inputs.rules, #.port == a) != null ? find(inputs.rules, #.port == a).port : 0)": false,
		"map(inputs.ports ?? [], find(inputs.rules, .port == #) != null ? find(inputs.rules, .port == #).port : 0)": false,
	} {
		_, diags := Compile(stringNode("${"+text+"}"), petScope(), nil)
		is := true
		for _, d := range diags {
			is = is && d.Code != types.CodeNullUnguarded
			if d.Code != types.CodeNullUnguarded {
				t.Logf("%s: %s: %s", text, d.Code, d.Summary)
			}
		}
		if is != guarded {
			t.Errorf("%s: guarded %v, want %v: %+v", text, is, guarded, diags)
		}
	}
}

// TestGuardedCallsOfATemplate checks that the check of a template guards the templates after it, and
// which names that depends on.
func TestGuardedCallsOfATemplate(t *testing.T) {
	scope := petScope()
	gone, diags := Compile(stringNode("${find(inputs.rules, #.port == inputs.size) == null}"), scope, nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	after := *scope
	after.Present = gone.Passed()
	if _, diags := Compile(stringNode("${find(inputs.rules, #.port == inputs.size).port}"), &after, nil); len(diags) > 0 {
		t.Error(diags)
	}
	if len(after.Present) != 1 {
		t.Fatal(after.Present)
	}
	for _, root := range RootsOf(after.Present[0]) {
		if root != "inputs" {
			t.Errorf("it depends on %s", root)
		}
	}
}

// TestConditionsThatRequire checks which conditions are true only if a part of them is.
func TestConditionsThatRequire(t *testing.T) {
	scope := &Scope{Names: []Name{{Name: "made", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "a", Type: &spec.Type{Kind: spec.Bool}, Required: true},
		{Name: "b", Type: &spec.Type{Kind: spec.Bool}, Required: true},
		{Name: "c", Type: &spec.Type{Kind: spec.Bool}},
	}}}}}
	for text, requires := range map[string]bool{
		"made.a":                                  true,
		"!made.a":                                 false,
		"not made.a":                              false,
		"!!made.a":                                true,
		"made.b":                                  false,
		"made.a && made.b":                        true,
		"made.b and made.a":                       true,
		"made.a || made.b":                        false,
		"made.a or true":                          false,
		"!(made.b || !made.a)":                    true,
		"!(made.b && !made.a)":                    false,
		"made.a == true":                          true,
		"true == made.a":                          true,
		"made.a == false":                         false,
		"made.a != true":                          false,
		"!(made.a != true)":                       true,
		"made.a == made.b":                        false,
		"(made.c ?? false) && made.a":             true,
		"made.b ? made.a : false":                 true,
		"made.b ? false : made.a":                 true,
		"made.b ? made.a : true":                  false,
		"made.b ? true : made.a":                  false,
		"made.a ? made.b : false":                 true,
		"made.a ? true : false":                   true,
		"made.a ? false : true":                   false,
		"made.b ? made.a : made.a && !made.b":     true,
		"let m = made.a; m && made.b":             true,
		"let m = made; m.a":                       true,
		"let m = made.a; !m":                      false,
		"any([made.a, made.b], #)":                false,
		"made.a in [true]":                        false,
		"(made.b || made.a) && (made.a || false)": false, // true, but that takes more than its parts
	} {
		v, diags := Compile(stringNode("${"+text+"}"), scope, nil)
		if diags.HasErrors() {
			t.Errorf("%s: %+v", text, diags)
			continue
		}
		if got := v.Requires("made", "a"); got != requires {
			t.Errorf("%s requires made.a: %v, want %v", text, got, requires)
		}
	}
	v, diags := Compile(stringNode("${made.c ?? false}"), scope, nil)
	if diags.HasErrors() || !v.Requires("made", "c") {
		t.Errorf("made.c ?? false: %+v", diags)
	}
}
