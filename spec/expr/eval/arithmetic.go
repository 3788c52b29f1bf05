package eval

import (
	"math"

	"github.com/declprov/declprov/spec/types"
)

// numberOperands returns two numbers as int64 or float64.
func numberOperands(op string, a []any) (x, y any, err error) {
	if x, err = Operand(op, a[0]); err != nil {
		return nil, nil, err
	}
	y, err = Operand(op, a[1])
	return x, y, err
}

// Operand returns a number as an int64 or a float64. op is the name of the operator,
// for errors.
func Operand(op string, v any) (any, error) {
	n, ok := types.Numeric(v)
	switch {
	case ok:
		return n, nil
	case types.IsNumber(v):
		return nil, Faultf("%s cannot calculate with %s: the number has too many digits", op, Quote(v))
	case v == nil:
		return nil, Faultf("%s requires numbers, got null", op)
	default:
		return nil, Faultf("%s requires numbers, got %s", op, DescribeKind(v))
	}
}

func overflow(op string) error { return Faultf("the result of %s does not fit an integer", op) }

// OpAdd adds numbers, joins strings, and adds durations to times.
func OpAdd(r *Run, a []any) (any, error) {
	if x, ok := a[0].(string); ok {
		y, ok := a[1].(string)
		if !ok {
			return nil, Faultf("+ requires two strings, got %s: convert it with string(…)", DescribeKind(a[1]))
		}
		if err := r.Grow(len(x) + len(y)); err != nil {
			return nil, err
		}
		return x + y, nil
	}
	if v, ok := addTimes(a[0], a[1]); ok {
		return v, nil
	}
	x, y, err := numberOperands("+", a)
	if err != nil {
		return nil, err
	}
	if i, j, ok := ints(x, y); ok {
		if sum := i + j; (sum > i) == (j > 0) {
			return sum, nil
		}
		return nil, overflow("+")
	}
	return Finite("+", types.ToFloat(x)+types.ToFloat(y))
}

func ints(x, y any) (i, j int64, ok bool) {
	i, ok1 := x.(int64)
	j, ok2 := y.(int64)
	return i, j, ok1 && ok2
}

// Finite returns f, or an error if it is infinite or not a number.
func Finite(op string, f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, Faultf("the result of %s is not a number", op)
	}
	return f, nil
}

// OpSubtract subtracts numbers, times and durations.
func OpSubtract(_ *Run, a []any) (any, error) {
	if v, ok := subtractTimes(a[0], a[1]); ok {
		return v, nil
	}
	x, y, err := numberOperands("-", a)
	if err != nil {
		return nil, err
	}
	if i, j, ok := ints(x, y); ok {
		if d := i - j; (d < i) == (j > 0) {
			return d, nil
		}
		return nil, overflow("-")
	}
	return Finite("-", types.ToFloat(x)-types.ToFloat(y))
}

func opMultiply(_ *Run, a []any) (any, error) {
	x, y, err := numberOperands("*", a)
	if err != nil {
		return nil, err
	}
	if i, j, ok := ints(x, y); ok {
		if i == 0 || j == 0 {
			return int64(0), nil
		}
		p := i * j
		if p/j == i && !(i == -1 && j == math.MinInt64) && !(j == -1 && i == math.MinInt64) {
			return p, nil
		}
		return nil, overflow("*")
	}
	return Finite("*", types.ToFloat(x)*types.ToFloat(y))
}

func opDivide(_ *Run, a []any) (any, error) {
	x, y, err := numberOperands("/", a)
	if err != nil {
		return nil, err
	}
	if types.ToFloat(y) == 0 {
		return nil, Faultf("division by zero")
	}
	return Finite("/", types.ToFloat(x)/types.ToFloat(y))
}

func opModulo(_ *Run, a []any) (any, error) {
	x, ok1 := types.WholeNumber(a[0])
	y, ok2 := types.WholeNumber(a[1])
	switch {
	case !ok1 || !ok2:
		return nil, Faultf("%% requires whole numbers, got %s and %s", DescribeKind(a[0]), DescribeKind(a[1]))
	case y == 0:
		return nil, Faultf("division by zero")
	case y == -1:
		return int64(0), nil
	}
	return x % y, nil
}

func opPower(_ *Run, a []any) (any, error) {
	x, y, err := numberOperands("**", a)
	if err != nil {
		return nil, err
	}
	return Finite("**", math.Pow(types.ToFloat(x), types.ToFloat(y)))
}

// OpNegate returns the negated number.
func OpNegate(_ *Run, a []any) (any, error) {
	x, err := Operand("-", a[0])
	if err != nil {
		return nil, err
	}
	if i, ok := x.(int64); ok {
		if i == math.MinInt64 {
			return nil, overflow("-")
		}
		return -i, nil
	}
	return -types.ToFloat(x), nil
}

func opPlus(_ *Run, a []any) (any, error) { return Operand("+", a[0]) }

func opRange(r *Run, a []any) (any, error) {
	from, ok1 := types.WholeNumber(a[0])
	to, ok2 := types.WholeNumber(a[1])
	if !ok1 || !ok2 {
		return nil, Faultf(".. requires whole numbers, got %s and %s", DescribeKind(a[0]), DescribeKind(a[1]))
	}
	if to < from {
		return []any{}, nil
	}
	if n := uint64(to) - uint64(from); n >= math.MaxInt32 || r.TooMany(int(n)+1) {
		return nil, r.Size()
	}
	if err := r.Items(int(to - from + 1)); err != nil {
		return nil, err
	}
	list := make([]any, to-from+1)
	for i := range list {
		list[i] = from + int64(i)
	}
	return list, nil
}
