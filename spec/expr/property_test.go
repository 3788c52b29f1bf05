package expr

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// drawType draws a type. Its properties have names from a small set, so that
// expressions refer to them.
func drawType(t *rapid.T, depth int) *spec.Type {
	kinds := []spec.Kind{spec.Bool, spec.Int, spec.Number, spec.String, spec.Any}
	if depth > 0 {
		kinds = append(kinds, spec.List, spec.Map, spec.Object, spec.Object)
	}
	out := &spec.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Nullable: rapid.IntRange(0, 5).Draw(t, "nullable") == 0}
	switch out.Kind {
	case spec.String:
		if rapid.Bool().Draw(t, "enum") {
			out.Enum = []any{"x", "y"}
		}
	case spec.List, spec.Map:
		out.Elem = drawType(t, depth-1)
	case spec.Object:
		for _, name := range []string{"a", "b", "c"} {
			if rapid.IntRange(0, 3).Draw(t, "has") > 0 {
				out.Fields = append(out.Fields, &spec.Property{Name: name, Type: drawType(t, depth-1), Required: rapid.Bool().Draw(t, "required")})
			}
		}
	}
	return out
}

// drawValue draws a value of a type.
func drawValue(t *rapid.T, typ *spec.Type) any {
	if typ.Nullable && rapid.Bool().Draw(t, "null") {
		return nil
	}
	switch typ.Kind {
	case spec.Bool:
		return rapid.Bool().Draw(t, "bool")
	case spec.Int:
		return rapid.Int64Range(-3, 100).Draw(t, "int")
	case spec.Number:
		return rapid.Float64Range(-10, 10).Draw(t, "number")
	case spec.String:
		if typ.Enum != nil {
			return rapid.SampledFrom(typ.Enum).Draw(t, "enum value")
		}
		return rapid.SampledFrom([]string{"", "x", "é", "10.0.0.0/8", "1.2.3", "2024-01-01", "[1]"}).Draw(t, "string")
	case spec.List:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, drawValue(t, typ.Elem))
		}
		return list
	case spec.Map:
		m := map[string]any{}
		for _, k := range []string{"a", "x"} {
			if rapid.Bool().Draw(t, "entry") {
				m[k] = drawValue(t, typ.Elem)
			}
		}
		return m
	case spec.Object:
		m := map[string]any{}
		for _, f := range typ.Fields {
			if f.Required || rapid.Bool().Draw(t, "given") {
				m[f.Name] = drawValue(t, f.Type)
			}
		}
		return m
	default:
		return rapid.SampledFrom([]any{nil, true, int64(1), "s", []any{int64(1)}, map[string]any{"a": "b"}}).Draw(t, "any")
	}
}

// drawExpression draws an expression that parses, but may have type errors.
func drawExpression(t *rapid.T, depth int, inPredicate bool) string {
	atoms := []string{"v", "w", "v.a", "w.b", "v.a.b", "v?.a?.c", "w[0]", "w?.[0]", "v[\"a\"]", "1", "0", "2.5", "\"x\"", "\"a\"", "true", "null", "[]", "{}", "(v ?? w)", "keys({a: 1})"}
	if inPredicate {
		atoms = append(atoms, "#", "#", ".a", "#?.b", "#index")
	}
	if depth <= 0 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	sub := func() string { return drawExpression(t, depth-1, inPredicate) }
	body := func() string { return drawExpression(t, depth-1, true) }
	forms := []func() string{
		func() string { return rapid.SampledFrom(atoms).Draw(t, "atom") },
		func() string {
			op := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "**", "==", "!=", "<", ">=", "&&", "||", "in", "contains", "startsWith", "??", ".."}).Draw(t, "op")
			return "(" + sub() + " " + op + " " + sub() + ")"
		},
		func() string { return "(" + sub() + " ? " + sub() + " : " + sub() + ")" },
		func() string { p := sub(); return "(" + p + " != null ? " + p + " : " + sub() + ")" },
		func() string {
			return "(" + sub() + ")" + rapid.SampledFrom([]string{".a", "?.b", "[0]", "[-1]", "?.[1]", "[1:]", "[\"a\"]"}).Draw(t, "suffix")
		},
		func() string {
			f := rapid.SampledFrom([]string{"len", "upper", "string", "int", "float", "keys", "values", "toPairs", "first", "last", "sort", "reverse", "uniq", "flatten", "jsonencode", "yamlencode", "jsondecode", "yamldecode", "base64encode", "sha256", "type", "abs", "round", "max", "mean", "sum", "segments", "parsetime", "date", "coalesce", "merge", "join", "concat", "fromPairs"}).Draw(t, "function")
			return f + "(" + sub() + ")"
		},
		func() string {
			f := rapid.SampledFrom([]string{"merge", "coalesce", "concat", "get", "take", "join", "split", "min", "pick", "omit", "replace"}).Draw(t, "function of two")
			return f + "(" + sub() + ", " + sub() + ")"
		},
		func() string {
			f := rapid.SampledFrom([]string{"map", "filter", "find", "findLast", "findIndex", "findLastIndex", "count", "sum", "groupBy", "sortBy", "all", "any", "none", "one", "reduce"}).Draw(t, "predicate")
			return f + "(" + sub() + ", (" + body() + "))"
		},
		func() string { p := sub(); return "(\"a\" in " + p + " ? [" + p + ".a] : " + sub() + ")" },
		func() string { p := sub(); return "((" + p + " ?? 1) == 1 ? 2 : [" + p + "])" },
		func() string { p := sub(); return "(" + p + " == null || " + p + ".a == " + sub() + ")" },
		func() string { return "map(filter(" + sub() + ", (.a != null)), .a)" },
		func() string { return "{a: " + sub() + ", b: " + sub() + "}" },
		func() string { return "[" + sub() + ", " + sub() + "]" },
		func() string { return "(let q = " + sub() + "; [q, " + sub() + "])" },
		func() string { return "!(" + sub() + ")" },
	}
	return rapid.SampledFrom(forms).Draw(t, "form")()
}

// TestSoundness draws scopes, values and expressions: nothing panics, faults are
// EvalErrors, and results have the static type.
func TestSoundness(t *testing.T) {
	compiled, total := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		scope := &Scope{Names: []Name{{Name: "v", Type: drawType(t, 3)}, {Name: "w", Type: drawType(t, 2)}}}
		vars := &Vars{Values: map[string]any{}}
		for _, n := range scope.Names {
			vars.Values[n.Name] = drawValue(t, n.Type)
		}
		for range 20 {
			total++
			source := drawExpression(t, rapid.IntRange(0, 3).Draw(t, "depth"), false)
			v, diags := Compile(stringNode("${"+source+"}"), scope, nil)
			for _, d := range diags {
				if d.Code == "" || d.Summary == "" || d.Subject.IsZero() || strings.Contains(d.Summary, "interface {}") {
					t.Fatalf("%s: bad finding %+v", source, d)
				}
			}
			if diags.HasErrors() {
				continue
			}
			compiled++
			checkResult(t, source, v, vars, scope)
		}
	})
	if compiled*10 < total {
		t.Errorf("only %d of %d expressions compiled, which is too few", compiled, total)
	}
}

func checkResult(t *rapid.T, source string, v *Value, vars *Vars, scope *Scope) {
	got, err := v.Eval(vars)
	if err != nil {
		var e *EvalError
		if !errors.As(err, &e) {
			t.Fatalf("%s: %T %v", source, err, err)
		}
		for _, word := range []string{"interface", "reflect", "runtime error", "goroutine", "cannot be evaluated", "%!", "stack"} {
			if strings.Contains(e.Message, word) {
				t.Fatalf("%s over %v: %s", source, vars.Values, e.Message)
			}
		}
		return
	}
	if m := types.Fits(got, v.Type(), scope.Types); m != nil {
		t.Fatalf("%s over %s = %s, which is not %s: %v", source, fmt.Sprint(vars.Values), fmt.Sprint(got), types.Describe(v.Type()), m)
	}
}

// TestUnknownsAreContagious draws expressions over a scope in which everything is
// unknown. Every expression with a reference must be unknown, and not an error.
func TestUnknownsAreContagious(t *testing.T) {
	vars := &Vars{Values: map[string]any{"v": Unknown{}, "w": Unknown{}}, Secrets: [][]string{{"v"}, {"w"}}}
	rapid.Check(t, func(t *rapid.T) {
		scope := &Scope{Names: []Name{{Name: "v", Type: drawType(t, 2)}, {Name: "w"}}}
		source := drawExpression(t, 3, false)
		v, diags := Compile(stringNode("${"+source+"}"), scope, nil)
		if diags.HasErrors() || len(v.Refs()) == 0 {
			return
		}
		got, err := v.Eval(vars)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		secret := false
		Reveal(got, func(any) { secret = true })
		if !HasUnknown(got) || !secret {
			t.Fatalf("%s = %v", source, got)
		}
	})
}

// TestSecretsStayMarked draws expressions over a scope that contains a canary. It
// must not appear outside of a secret mark in a result, in a part that is not marked,
// or in an error.
func TestSecretsStayMarked(t *testing.T) {
	const canary = "c4n4ry"
	scope := &Scope{Names: []Name{{Name: "v"}, {Name: "w", Type: object(optionalProp("a", kind(spec.String)), required("b", types.MapOf(kind(spec.String))))}}}
	vars := &Vars{
		Values: map[string]any{
			"v": map[string]any{"a": map[string]any{"b": canary, "c": "c"}, "b": []any{"x", canary}},
			"w": map[string]any{"a": "x", "b": map[string]any{"a": canary, "x": "y"}},
		},
		Secrets: [][]string{{"v", "a", "b"}, {"v", "b", "1"}, {"w", "b", "a"}},
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			source := drawExpression(t, 3, false)
			v, diags := Compile(stringNode("${"+source+"}"), scope, nil)
			if diags.HasErrors() {
				continue
			}
			got, err := v.Eval(vars)
			if err != nil {
				if strings.Contains(err.Error(), canary) {
					t.Fatalf("%s: the error shows the secret: %v", source, err)
				}
				continue
			}
			if strings.Contains(fmt.Sprint(withoutSecrets(got)), canary) {
				t.Fatalf("%s = %v", source, got)
			}
			parts, _ := v.Parts(vars)
			for _, p := range parts {
				if strings.Contains(p.Text, canary) && !p.Secret {
					t.Fatalf("%s has the part %+v", source, p)
				}
			}
		}
	})
}

// withoutSecrets returns a value without the parts that are marked as secret.
func withoutSecrets(v any) any {
	switch v := v.(type) {
	case Secret:
		return nil
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = withoutSecrets(item)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			out[k] = withoutSecrets(item)
		}
		return out
	default:
		return v
	}
}
