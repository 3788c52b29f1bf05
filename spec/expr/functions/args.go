package functions

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// operation is the implementation of a function, with arguments of the types in its
// signature.
type operation func(r *eval.Run, a args) (any, error)

// bind returns an operation that checks its arguments against a signature and calls
// run. The first receivers arguments are not part of the signature. The operation
// itself must check arguments whose types allow null or any value, times, and regular
// expressions.
func bind(f *check.Function, receivers int, run operation) eval.Operation {
	return func(r *eval.Run, values []any) (any, error) {
		for i, v := range values[receivers:] {
			if len(f.Params) == 0 {
				break
			}
			if err := checkArgument(f.Name, f.Param(i), v); err != nil {
				return nil, err
			}
		}
		return run(r, values)
	}
}

// checkArgument returns an error if an argument does not have the type of its parameter.
func checkArgument(name string, p check.Param, v any) error {
	if p.T.Nullable || p.Pattern || types.IsTime(p.T) {
		return nil
	}
	want, ok := "", true
	switch p.T.Kind {
	case spec.String:
		want = "a string"
		_, ok = v.(string)
	case spec.List:
		want = "a list"
		_, ok = v.([]any)
	case spec.Map:
		want = "a map"
		_, ok = v.(map[string]any)
	case spec.Union:
		want = "a string or an asset"
		f, isFile := v.(*spec.File)
		_, ok = v.(string)
		ok = ok || isFile && !f.Archive
	case spec.Int:
		want = "a whole number"
		_, ok = types.WholeNumber(v)
	case spec.Number:
		_, err := eval.Operand(name, v)
		return err
	}
	if !ok {
		return eval.Faultf("%s requires %s, got %s", name, want, eval.DescribeKind(v))
	}
	return nil
}

// args are the arguments of a call, which have the types in the signature.
type args []any

func (a args) text(i int) string { return a[i].(string) }

func (a args) list(i int) []any { return a[i].([]any) }

func (a args) dict(i int) map[string]any { return a[i].(map[string]any) }

// whole returns a whole number, or absent if the argument is missing.
func (a args) whole(i int, absent int64) int64 {
	if i >= len(a) {
		return absent
	}
	n, _ := types.WholeNumber(a[i])
	return n
}

// number returns a number as an int64 or a float64.
func (a args) number(i int) any {
	n, _ := types.Numeric(a[i])
	return n
}
