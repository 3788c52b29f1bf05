package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestMultipleOf: multiples are exact, and of several all count.
func TestMultipleOf(t *testing.T) {
	e, _ := newWorld().engine(t, `package test
import "math"
name: "test"
version: "1.0.0"
resources: Thing: {
	inputs: {
		tenth?:  math.MultipleOf(0.1)
		cent?:   math.MultipleOf(0.01)
		both?:   math.MultipleOf(4) & math.MultipleOf(6)
		three?:  int & math.MultipleOf(2) & >0 & math.MultipleOf(3) & math.MultipleOf(5)
		mixed?:  math.MultipleOf(0.4) & math.MultipleOf(1)
		list?:   [...math.MultipleOf(0.1)]
		map?: {[string]: math.MultipleOf(0.1)}
	}
	id: "thing"
	create: world: do: what: "make"
	delete: world: do: what: "remove"
}`)
	for name, values := range map[string]struct{ good, bad []float64 }{
		"tenth": {[]float64{0, 0.1, 0.3, 0.7, 1.1, 2, -0.3, 123456.7, 1e15}, []float64{0.05, 0.31, 1.25}},
		"cent":  {[]float64{0.07, 0.29, 1.1, 19.99, 1234567.89}, []float64{0.001, 19.995}},
		"both":  {[]float64{0, 12, 24}, []float64{4, 6, 8, 18}},
		"three": {[]float64{30, 60}, []float64{2, 6, 10, 15}},
		"mixed": {[]float64{2, 4}, []float64{0.4, 1, 1.2}},
	} {
		for _, n := range values.good {
			if f := failuresOf(t, e, object(name, n)); len(f) > 0 {
				t.Errorf("%s of %v: %v", name, n, f)
			}
		}
		for _, n := range values.bad {
			if f := failuresOf(t, e, object(name, n)); len(f) != 1 || !strings.Contains(f[0], "must be a multiple of") {
				t.Errorf("%s of %v: %v", name, n, f)
			}
		}
	}
	if f := failuresOf(t, e, object("list", []any{0.3, 0.35}, "map", object("a", 0.7, "b", 0.75))); !cmp.Equal(f, []string{"list[1] must be a multiple of 0.1", "map.b must be a multiple of 0.1"}) {
		t.Error(f)
	}
}

func failuresOf(t *testing.T, e *engine.Engine, inputs property.Map) []string {
	t.Helper()
	out, err := e.Check(t.Context(), engine.CheckRequest{Ref: ref("Thing"), New: inputs})
	if err != nil {
		t.Fatal(err)
	}
	var failures []string
	for _, f := range out.Failures {
		failures = append(failures, f.Path+" "+f.Reason)
	}
	return failures
}

// TestPatternsBesideNames: what a struct says of the members that it does not name
// holds beside those that it names: types, defaults, keys.
func TestPatternsBesideNames(t *testing.T) {
	for name, inputs := range map[string]string{
		"beside a name": `settings?: {known?: string, {[=~"^x-"]: {size: int | *3, deep: {flag: bool | *true}}}}`,
		"alone":         `settings?: {[=~"^x-"]: {size: int | *3, deep: {flag: bool | *true}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newWorld().engine(t, `
resources: Thing: {
	inputs: {`+inputs+`}
	id: "thing"
	create: world: do: what: "make"
	delete: world: do: what: "remove"
}`)
			got := check(t, e, "Thing", object("settings", object("x-a", object("deep", object()), "x-b", object("size", 5, "deep", object()))))
			want := map[string]any{"settings": map[string]any{
				"x-a": map[string]any{"size": 3.0, "deep": map[string]any{"flag": true}}, "x-b": map[string]any{"size": 5.0, "deep": map[string]any{"flag": true}},
			}}
			if diff := cmp.Diff(want, shown(property.New(got))); diff != "" {
				t.Error(diff)
			}
			if f := failuresOf(t, e, object("settings", object("other", object()))); len(f) == 0 || !strings.Contains(f[0], `the key must match ^x-`) {
				t.Error(f)
			}
			if f := failuresOf(t, e, object("settings", object("x-a", object("size", "large", "deep", object())))); len(f) != 1 || !strings.Contains(f[0], "size") {
				t.Error(f)
			}
		})
	}
}

// TestForEachIsTypedAsItYields: the results of a forEach are a list or a map, as what
// it goes over is, also by the name of a type, and never null.
func TestForEachIsTypedAsItYields(t *testing.T) {
	for name, test := range map[string]struct{ inputs, use, want string }{
		"a list":                    {`over: [...string]`, `${type(result)}`, "array"},
		"a map":                     {`over: {[string]: string}`, `${type(result)}`, "map"},
		"a named map":               {`over: #Map`, `${join(keys(result), ",")}`, "a,b"},
		"a struct":                  {`over: {a: string, b: string}`, `${join(keys(result), ",")}`, "a,b"},
		"a named struct":            {`over: #Struct`, `${join(keys(result), ",")}`, "a,b"},
		"a named list":              {`over: #List`, `${string(len(result))}`, "2"},
		"a list that is left out":   {`over?: [...string]`, `${string(len(result))}`, "0"},
		"a struct that is left out": {`over?: #Struct`, `${join(keys(result), ",")}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			var got any
			w.on("each", yields("x", 1), yields("x", 1)).on("use", yields("x", 1))
			e, _ := w.engine(t, `
#Struct: {a: string, b: string}
#Map: {[string]: string}
#List: [...string]
resources: Thing: {
	inputs: {`+test.inputs+`}
	outputs: seen: string
	id: "thing"
	create: {
		steps: [{forEach: "${inputs.over}", world: look: what: "each"}, {world: do: {what: "use", with: "`+strings.ReplaceAll(test.use, `"`, `\"`)+`"}}]
		return: seen: "x"
	}
	delete: world: do: what: "remove"
}`)
			w.hooks["use"] = func(_ context.Context, c *actions.Call) actions.Outcome {
				got = c.Args["with"]
				return yields("x", 1)
			}
			inputs := object("over", object("a", "1", "b", "2"))
			if strings.Contains(name, "list") {
				inputs = object("over", []any{"1", "2"})
			}
			if strings.Contains(name, "left out") {
				inputs = object()
			}
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: inputs})
			if out.Err != nil || got != test.want {
				t.Errorf("%v, want %q: %v", got, test.want, out.Err)
			}
		})
	}
}

// TestMethodsSeeStatesAsDeclared: a state that an older spec wrote is converted before
// a method sees it.
func TestMethodsSeeStatesAsDeclared(t *testing.T) {
	w := newWorld()
	e, _ := w.engine(t, `
resources: Thing: {
	inputs: {name: string, count: int}
	outputs: size: int
	id: "thing"
	create: world: do: what: "make"
	delete: world: do: what: "remove"
	methods: next: {outputs: {size: int, count: int}, world: look: what: "ask", return: {size: "${state.size + 1}", count: "${state.count + 1}"}}
}`)
	w.on("ask", yields("x", 1))
	out, err := e.CallMethod(t.Context(), engine.MethodRequest{
		Ref: ref("Thing"), Method: "next", State: engine.State{ID: "thing", Outputs: object("name", "a", "count", "7", "size", "7", "dropped", true)},
	})
	if err != nil || len(out.Failures) > 0 {
		t.Fatal(out.Failures, err)
	}
	if diff := cmp.Diff(map[string]any{"size": 8.0, "count": 8.0}, shown(property.New(out.Return))); diff != "" {
		t.Error(diff)
	}
}
