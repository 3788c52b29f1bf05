package expr

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/functions"
	"github.com/declprov/declprov/spec/types"
)

// operationsByName are all operations that a template can call: functions, methods
// and operators, except those that the virtual machine runs.
func operationsByName() map[string]eval.Operation {
	out := map[string]eval.Operation{}
	for _, table := range []map[string]eval.PricedOperation{eval.Operators(), functions.Operations()} {
		for name, op := range table {
			if out[name] == nil {
				out[name] = op.Run
			}
		}
	}
	for _, table := range []map[string]*functions.Function{functions.MethodsOfTime(), functions.MethodsOfDuration()} {
		for name, f := range table {
			if out[name] == nil {
				out[name] = f.Run
			}
		}
	}
	return out
}

// TestEveryOperationHasACost checks that each operation of the language has a cost.
// Methods have the cost of "method".
func TestEveryOperationHasACost(t *testing.T) {
	for _, table := range []map[string]eval.PricedOperation{eval.Operators(), functions.Operations()} {
		for name, op := range table {
			if op.Cost == nil || op.Run == nil {
				t.Errorf("%s has no cost, or nothing runs it", name)
			}
		}
	}
}

// isIndependentOfSize are the operations whose time does not depend on the size of an argument.
func isIndependentOfSize(name string) bool {
	return slices.Contains([]string{
		"type", "coalesce", "first", "last", "take", "text", "step", "bool", "int64", "get", ".", "[", "?.", "!.", "!!.", "!", "method", "list", "..", "lastTrue",
	}, name)
}

// hostileValues are values that are large in different ways.
func hostileValues() map[string]any {
	list, numbers, pairs, mixed := make([]any, 1<<12), make([]any, 1<<12), make([]any, 1<<10), make([]any, 1<<7)
	m := map[string]any{}
	for i := range list {
		list[i], numbers[i] = strings.Repeat("k", 40)+string(rune('a'+i%26)), int64(i)
	}
	for i := range pairs {
		key := strings.Repeat("key", 5) + types.NumberText(int64(i*7919%len(pairs)))
		pairs[i], m[key] = []any{key, int64(i)}, "v"
		mixed[i%len(mixed)] = []any{json.Number("1." + strings.Repeat("3", 400) + "e-300"), 1.5e300, int64(7)}[i%3]
	}
	return map[string]any{
		"text": strings.Repeat("a", 1<<16), "pieces": strings.Repeat("é/,0 ", 1<<13), "blank": strings.Repeat("\u00a0", 1<<15), "digits": strings.Repeat("7", 1<<16),
		"list": list, "numbers": numbers, "pairs": pairs, "mixed": mixed, "map": m, "deep": nested(90, list),
		"long number": json.Number(strings.Repeat("7", 4999)), "large number": json.Number("1.5e4999"), "small number": json.Number("1.5e-4999"),
		"short": "a", "two": int64(2), "sha256": "sha256",
	}
}

func nested(depth int, v any) any {
	for range depth {
		v = []any{v}
	}
	return v
}

func sizeOf(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		return len(v) >> 4
	case []any:
		n = len(v)
	case map[string]any:
		n = len(v)
	}
	return n
}

// TestCostsMatchTimes calls every operation with every combination of
// large arguments. Successful calls must have been charged, and no unit of work may
// take far longer than a unit should.
func TestCostsMatchTimes(t *testing.T) {
	values := hostileValues()
	keys := slices.Sorted(maps.Keys(values))
	machine := language()
	for name, op := range operationsByName() {
		t.Run(name, func(t *testing.T) {
			call := op
			if f := machine.Table[name]; f != nil {
				call = func(r *eval.Run, args []any) (any, error) { return f.Func(append([]any{r}, args...)...) }
			}
			took, units := time.Duration(0), 0
			try := func(args ...any) {
				r := eval.NewRun(nil, eval.MaxWork)
				start := cpuTime()
				err := tryOperation(call, r, args)
				took += cpuTime() - start
				units += r.Used()
				if read := sizeOf(args[0]) / 4; err == nil && !isIndependentOfSize(name) && !cheaper(name, args) && r.Used() < read {
					t.Errorf("%s of %v spends %d, and should at least %d", name, kindsOf(args), r.Used(), read)
				}
			}
			all := func() (slow bool) {
				took, units = 0, 0
				for _, a := range keys {
					try(values[a])
					try(values[a], values["short"])
					try(values[a], values["two"])
					try(values["short"], values[a])
					try(values[a], values[a])
					try(values[a], values["short"], values["two"])
					try(values["two"], values[a], values["short"])
					try(values[a], values[a], "asc")
					try(values["sha256"], values[a], values["text"])
				}
				return took > 50*time.Millisecond && took/time.Duration(max(units, 1)) > 4*time.Microsecond
			}
			// A machine with much else to do is slow now and then, an operation always.
			for range 3 {
				if !all() {
					return
				}
			}
			t.Errorf("%d units took %s", units, took)
		})
	}
}

// cheaper reports whether an operation reads less of these arguments than of the
// first ones.
func cheaper(name string, args []any) bool {
	switch name {
	case "==", "!=", "<", "<=", ">", ">=", "Before", "After", "Equal", "in", "len", "[:]", "contains", "pick", "max", "min", "sum":
		return true // compared as far as they are alike; found at once; of a length that is known
	default:
		return len(args) == 0
	}
}

func kindsOf(args []any) []string {
	var out []string
	for _, a := range args {
		out = append(out, eval.DescribeKind(a))
	}
	return out
}

// tryOperation calls an operation with arguments that the checker would reject.
func tryOperation(op eval.Operation, r *eval.Run, args []any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("panic")
		}
	}()
	_, err = op(r, args)
	return err
}

// hostileTemplates are short expressions that would take from seconds to years. Their
// references are values from a server or a user.
var hostileTemplates = map[string]string{
	"a regular expression":                  `${inputs.long matches "(((a?){20}){20})$"}`,
	"one for each item":                     `${count(inputs.many, inputs.long matches ("(a|b|ab)*c" + #))}`,
	"one of the other side":                 `${inputs.long matches inputs.pattern}`,
	"capture":                               `${capture(inputs.long, "(?P<x>(((a?){20}){20}))$")}`,
	"comparisons of long texts":             `${count(inputs.many, inputs.long < inputs.longer)}`,
	"equality of long texts":                `${count(inputs.many, inputs.long + "a" == inputs.long + "b")}`,
	"equal texts":                           `${count(inputs.many, inputs.long == inputs.copy)}`,
	"loops in loops":                        `${count(inputs.many, count(inputs.many, count(inputs.many, # == "x") > 1) > 1)}`,
	"a loop of nothing":                     `${map(inputs.many, map(inputs.many, map(inputs.many, 1)))}`,
	"replacing":                             `${count(inputs.many, len(replace(inputs.long, "a", "b")) > 1)}`,
	"trimming":                              `${count(inputs.many, trim(inputs.blank, inputs.blank) == "x")}`,
	"hashes":                                `${count(inputs.many, sha512(inputs.long) == "x")}`,
	"base64":                                `${count(inputs.many, base64decode(inputs.long) == "x")}`,
	"case":                                  `${count(inputs.many, lower(inputs.blank) == "x")}`,
	"sorting texts alike":                   `${sort(map(inputs.many, inputs.long + #))}`,
	"sorting again and again":               `${count(inputs.many, len(sortBy(inputs.many, #)) > 0)}`,
	"the keys of a map":                     `${count(inputs.many, len(keys(inputs.map)) > 0)}`,
	"JSON and back":                         `${count(inputs.many, len(jsonencode(inputs.map)) > 0)}`,
	"decoding":                              `${count(inputs.many, len(jsondecode(inputs.json)) > 0)}`,
	"YAML":                                  `${count(inputs.many, len(yamlencode(inputs.map)) > 0)}`,
	"decoding YAML":                         `${count(inputs.many, yamldecode(inputs.json) == 1)}`,
	"numbers of many digits":                `${count(inputs.many, inputs.small < inputs.small2)}`,
	"the largest of many":                   `${count(inputs.many, max(inputs.numbers, 1.5) > 0)}`,
	"every item once":                       `${uniq(inputs.many)}`,
	"grouping":                              `${count(inputs.many, len(groupBy(inputs.many, #)) > 0)}`,
	"flattening":                            `${count(inputs.many, len(flatten(inputs.deep)) > 0)}`,
	"merging":                               `${count(inputs.many, len(merge(inputs.map, inputs.map)) > 0)}`,
	"characters":                            `${count(inputs.many, inputs.blank[-1] == "x")}`,
	"splitting":                             `${count(inputs.many, len(split(inputs.long, "")) > 0)}`,
	"reduction":                             `${reduce(inputs.many, #acc + inputs.long, "")}`,
	"lists of lists":                        `${map(inputs.many, inputs.many)}`,
	"many results":                          `${map(inputs.many, 1..900000)}`,
	"versions":                              `${semver("1.0.0", "in", inputs.long)}`,
	"layouts":                               `${date("2024-01-01").Format(inputs.long)}`,
	"a set within a loop":                   `${count(inputs.many, "x" in inputs.many)}`,
	"conversions of many long texts":        `${count(inputs.many, join(inputs.many, inputs.long) == "")}`,
	"escapes":                               `${count(inputs.many, urlencode(inputs.blank) == "x")}`,
	"merge, outside of the virtual machine": "${[" + strings.Repeat("merge(inputs.map, {a: 1}), ", 400) + "1]}",
	"omit, outside of the virtual machine":  "${[" + strings.Repeat(`omit(inputs.map, "a"), `, 400) + "1]}",
	"text, outside of the virtual machine":  strings.Repeat("${inputs.long}x", 400),
	"many formulas over much":               "${[" + strings.Repeat("len(inputs.deep), ", 900) + "1]}",
	"segments":                              strings.Repeat(`/${segments(inputs.slashes)}`, 300),
}

func hostileVars() *Vars {
	many, numbers := make([]any, 40_000), make([]any, 40_000)
	m := map[string]any{}
	for i := range many {
		many[i], numbers[i] = "item "+types.NumberText(int64(i*7919%len(many))), int64(i)
		m[many[i].(string)] = "value"
	}
	long := strings.Repeat("a", 1<<19)
	text, _ := json.Marshal(many)
	small := json.Number(strings.Repeat("7", 4000) + "e-4900")
	return &Vars{Values: map[string]any{"inputs": map[string]any{
		"long": long, "copy": strings.Clone(long), "longer": strings.Clone(long) + "b", "blank": strings.Repeat("\u00c9\u2003", 1<<17), "slashes": strings.Repeat("a/", 1<<17),
		"many": many, "copies": slices.Clone(many), "numbers": numbers, "map": m, "deep": nested(80, many), "json": string(text),
		"pattern": strings.Repeat("a?", 200) + strings.Repeat("a", 200) + "$", "small": small, "small2": "1" + small,
	}}}
}

// TestHostileTemplatesEnd checks that every expression ends by its budget, and soon
// after its context.
func TestHostileTemplatesEnd(t *testing.T) {
	vars := hostileVars()
	scope := &Scope{Names: []Name{{Name: "inputs"}}}
	for name, text := range hostileTemplates {
		t.Run(name, func(t *testing.T) {
			v, diags := Compile(stringNode(text), scope, nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond)
			defer cancel()
			timed := *vars
			timed.Context = ctx
			start := time.Now()
			_, err := v.Eval(&timed)
			took := time.Since(start)
			var stopped *budget.Stopped
			var failed *EvalError
			switch {
			case errors.As(err, &stopped) && errors.As(err, &failed) && errors.Is(err, context.DeadlineExceeded):
			case err == nil && took < 5*time.Second, errors.Is(err, eval.ErrWork), err != nil && refusesSizes(err):
			default:
				t.Errorf("it ends after %s with %v", took, err)
			}
			if took > time.Minute {
				t.Errorf("it ends after %s", took)
			}
		})
	}
}

// refusesSizes reports whether an error is about the size of a value.
func refusesSizes(err error) bool {
	return slices.ContainsFunc([]string{"MiB", "may have", "more than", "at most", "no order", "no YAML"}, func(s string) bool { return strings.Contains(err.Error(), s) })
}

// TestBudgetIsOfTheWholeTree checks that the parts of a tree share one budget.
func TestBudgetIsOfTheWholeTree(t *testing.T) {
	// The references are checked once, so that only the evaluation has a cost.
	one := stringNode(`${sha256(inputs.long)}`)
	n := &spec.Node{Kind: spec.ListNode}
	for range 600 {
		n.Items = append(n.Items, one)
	}
	v, diags := Compile(n, &Scope{Names: []Name{{Name: "inputs"}}}, nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if _, err := v.Eval(hostileVars()); !errors.Is(err, eval.ErrWork) {
		t.Error(err)
	}
}
