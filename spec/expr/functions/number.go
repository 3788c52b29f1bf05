package functions

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// numberFunctions operate on numbers.
func numberFunctions() []*Function {
	return []*Function{
		def(eval.OfText, "int(v: any) int", "A string or a number as a whole number, truncated towards zero.", `int("42")`, `42`, fnInt),
		def(eval.OfText, "float(v: any) number", "A string or a number as a number.", `float("1.5")`, `1.5`, fnFloat),
		def(eval.Flat, "abs(n: number) number", "The absolute value.", `abs(-2)`, `2`, fnAbs).withType(sameNumber),
		def(eval.Flat, "ceil(n: number) int", "The number rounded up to a whole number.", `ceil(1.2)`, `2`, roundWith("ceil", math.Ceil)),
		def(eval.Flat, "floor(n: number) int", "The number rounded down to a whole number.", `floor(1.8)`, `1`, roundWith("floor", math.Floor)),
		def(eval.Flat, "round(n: number) int", "The nearest whole number, halves away from zero.", `round(1.5)`, `2`, roundWith("round", math.Round)),
		def(eval.Metered, "max(n...: any) number", "The largest of numbers, or of the numbers in lists.", `max(1, [3, 2])`, `3`, extremeOf("max", 1)).withType(typeOfExtreme),
		def(eval.Metered, "min(n...: any) number", "The smallest of numbers, or of the numbers in lists.", `min(1, [3, 2])`, `1`, extremeOf("min", -1)).withType(typeOfExtreme),
		def(eval.Metered, "mean(n...: any) number", "The mean of numbers, or of the numbers in lists; 0 if there are none.", `mean([1, 2])`, `1.5`, fnMean),
		def(eval.Metered, "median(n...: any) number", "The median of numbers, or of the numbers in lists; 0 if there are none.", `median([1, 5, 2])`, `2`, fnMedian),
		bits("bitand(a: int, b: int) int", "The bits that are set in both numbers.", `bitand(6, 3)`, `2`, func(x, y int64) int64 { return x & y }),
		bits("bitor(a: int, b: int) int", "The bits that are set in either number.", `bitor(6, 3)`, `7`, func(x, y int64) int64 { return x | y }),
		bits("bitxor(a: int, b: int) int", "The bits that are set in exactly one number.", `bitxor(6, 3)`, `5`, func(x, y int64) int64 { return x ^ y }),
		bits("bitnand(a: int, b: int) int", "The bits that are set in the first number and not in the second.", `bitnand(6, 3)`, `4`, func(x, y int64) int64 { return x &^ y }),
		bits("bitshl(a: int, by: int) int", "The bits shifted left.", `bitshl(1, 4)`, `16`, func(x, y int64) int64 { return x << uint64(y) }),
		bits("bitshr(a: int, by: int) int", "The bits shifted right, with the sign kept.", `bitshr(-16, 4)`, `-1`, func(x, y int64) int64 { return x >> uint64(y) }),
		bits("bitushr(a: int, by: int) int", "The bits shifted right, with zeros from the left.", `bitushr(16, 4)`, `1`, func(x, y int64) int64 { return int64(uint64(x) >> uint64(y)) }),
		def(eval.Flat, "bitnot(a: int) int", "All bits inverted.", `bitnot(0)`, `-1`, func(_ *eval.Run, a args) (any, error) {
			return ^a.whole(0, 0), nil
		}),
	}
}

func bits(signature, summary, example, result string, f func(x, y int64) int64) *Function {
	name, _, _ := strings.Cut(signature, "(")
	return def(eval.Flat, signature, summary, example, result, func(_ *eval.Run, a args) (any, error) {
		x, y := a.whole(0, 0), a.whole(1, 0)
		if y < 0 && (strings.HasPrefix(name, "bitsh") || name == "bitushr") {
			return nil, eval.Faultf("%s cannot shift by %s: the count must be at least 0", name, eval.Quote(y))
		}
		return f(x, y), nil
	})
}

// sameNumber returns the numeric type of the argument.
func sameNumber(cl *check.Call) check.TypedPart {
	if types.Resolve(cl.Args[0].T, cl.Types).Kind == spec.Int {
		return check.TypedPart{T: types.Int()}
	}
	return check.TypedPart{T: types.Number()}
}

func fnInt(_ *eval.Run, a args) (any, error) {
	if s, ok := a[0].(string); ok {
		i, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil {
			return nil, eval.Faultf("%s is not a whole number of 64 bits", eval.Quote(s))
		}
		return i, nil
	}
	n, err := eval.Operand("int", a[0])
	if err != nil {
		return nil, err
	}
	return toWhole("int", math.Trunc, n)
}

func fnFloat(_ *eval.Run, a args) (any, error) {
	if s, ok := a[0].(string); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, eval.Faultf("%s is not a number", eval.Quote(s))
		}
		if types.Underflows(f, s) {
			return nil, eval.Faultf("%s is too small to be distinguished from 0", eval.Quote(s))
		}
		return f, nil
	}
	n, err := eval.Operand("float", a[0])
	if err != nil {
		return nil, err
	}
	return types.ToFloat(n), nil
}

func fnAbs(r *eval.Run, a args) (any, error) {
	n := a.number(0)
	if i, ok := n.(int64); ok && i < 0 {
		return eval.OpNegate(r, []any{i})
	} else if ok {
		return i, nil
	}
	return math.Abs(types.ToFloat(n)), nil
}

func toWhole(name string, f func(float64) float64, n any) (any, error) {
	if i, ok := n.(int64); ok {
		return i, nil
	}
	i, ok := types.WholeNumber(f(types.ToFloat(n)))
	if !ok {
		return nil, eval.Faultf("%s: %s does not fit an integer", name, eval.Quote(n))
	}
	return i, nil
}

func roundWith(name string, f func(float64) float64) operation {
	return func(_ *eval.Run, a args) (any, error) {
		n := a.number(0)
		return toWhole(name, f, n)
	}
}

// numbersOf returns the numbers in the arguments, including those in lists.
func numbersOf(r *eval.Run, name string, args []any, into []any) ([]any, error) {
	for _, a := range args {
		// Ints and other numbers are compared as fractions.
		if err := r.Spend(8 + eval.Digits(a)); err != nil {
			return nil, err
		}
		if list, ok := a.([]any); ok {
			var err error
			if into, err = numbersOf(r, name, list, into); err != nil {
				return nil, err
			}
			continue
		}
		n, err := eval.Operand(name, a)
		if err != nil {
			return nil, err
		}
		into = append(into, n)
	}
	return into, nil
}

func extremeOf(name string, sign int) operation {
	return func(r *eval.Run, a args) (any, error) {
		numbers, err := numbersOf(r, name, a, nil)
		if err != nil {
			return nil, err
		}
		if len(numbers) == 0 {
			return nil, eval.Faultf("%s requires a number, got none", name)
		}
		return slices.MaxFunc(numbers, func(x, y any) int {
			order, _ := types.CompareNumbers(x, y)
			return sign * order
		}), nil
	}
}

// typeOfExtreme returns int if all numbers are ints.
func typeOfExtreme(cl *check.Call) check.TypedPart {
	out := types.Never()
	for i, a := range cl.Args {
		t := types.Resolve(a.T, cl.Types)
		if t.Kind == spec.List {
			t = types.Resolve(types.Elem(t), cl.Types)
		}
		if types.MayBeNull(t, cl.Types) && !types.IsAny(t) {
			cl.NonNull(check.TypedPart{T: t, At: a.At})
			continue
		}
		if !types.IsAny(t) && !types.IsNumeric(t) && !types.IsNever(t) && t.Kind != spec.List {
			cl.Fail(check.CodeWrongArgument, a.At, "", "%s: argument %d must be a number, got %s", cl.Fn.Name, i+1, types.Describe(a.T))
		}
		out = types.Join(out, t, cl.Types)
	}
	if out.Kind == spec.Int {
		return check.TypedPart{T: types.Int()}
	}
	return check.TypedPart{T: types.Number()}
}

func fnMean(r *eval.Run, a args) (any, error) {
	numbers, err := numbersOf(r, "mean", a, nil)
	if err != nil || len(numbers) == 0 {
		return 0.0, err
	}
	total := 0.0
	for _, n := range numbers {
		total += types.ToFloat(n)
	}
	return eval.Finite("mean", total/float64(len(numbers)))
}

func fnMedian(r *eval.Run, a args) (any, error) {
	numbers, err := numbersOf(r, "median", a, nil)
	if err != nil || len(numbers) == 0 {
		return 0.0, err
	}
	floats := lists.Map(numbers, types.ToFloat)
	slices.Sort(floats)
	middle := len(floats) / 2
	if len(floats)%2 == 1 {
		return floats[middle], nil
	}
	return (floats[middle-1] + floats[middle]) / 2, nil
}
