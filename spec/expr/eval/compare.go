package eval

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

func opUnequal(r *Run, a []any) (any, error) {
	eq, err := r.Equal(a[0], a[1])
	return !eq, err
}

func opEqual(r *Run, a []any) (any, error) { return r.Equal(a[0], a[1]) }

// Equal compares two values. Numbers compare by value, regardless of their Go type.
func (r *Run) Equal(a, b any) (bool, error) {
	if err := r.Spend(1); err != nil {
		return false, err
	}
	switch x := a.(type) {
	case nil:
		return b == nil, nil
	case bool:
		y, ok := b.(bool)
		return ok && x == y, nil
	case string:
		y, ok := b.(string)
		if !ok || len(x) != len(y) {
			return false, nil
		}
		return x == y, r.Spend(len(x) >> 4)
	case []any:
		return r.equalLists(x, b)
	case map[string]any:
		return r.equalMaps(x, b)
	case Moment:
		y, ok := b.(Moment)
		return ok && time.Time(x).Equal(time.Time(y)), nil
	case Span:
		return a == b, nil
	case *spec.File:
		y, ok := b.(*spec.File)
		return ok && (x == y || reflect.DeepEqual(x, y)), nil
	}
	if !types.IsNumber(a) || !types.IsNumber(b) {
		return false, nil
	}
	if err := r.Spend(Digits(a) + Digits(b)); err != nil {
		return false, err
	}
	if order, ok := types.CompareNumbers(a, b); ok {
		return order == 0, nil
	}
	return reflect.DeepEqual(a, b), nil
}

func (r *Run) equalLists(x []any, b any) (bool, error) {
	y, ok := b.([]any)
	if !ok || len(x) != len(y) {
		return false, nil
	}
	for i := range x {
		if eq, err := r.Equal(x[i], y[i]); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (r *Run) equalMaps(x map[string]any, b any) (bool, error) {
	y, ok := b.(map[string]any)
	if !ok || len(x) != len(y) {
		return false, nil
	}
	for k, v := range x {
		w, ok := y[k]
		if !ok {
			return false, nil
		}
		if eq, err := r.Equal(v, w); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

// compare orders two numbers, strings or times.
func (r *Run) compare(a, b any) (int, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), r.Spend(1 + min(len(x), len(y))>>4)
		}
	case Moment:
		if y, ok := b.(Moment); ok {
			return time.Time(x).Compare(time.Time(y)), r.Spend(1)
		}
	case Span:
		if y, ok := b.(Span); ok {
			return cmp.Compare(int64(x), int64(y)), r.Spend(1)
		}
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(boolRank(x), boolRank(y)), r.Spend(1)
		}
	}
	if err := r.Spend(1 + Digits(a) + Digits(b)); err != nil {
		return 0, err
	}
	if order, ok := types.CompareNumbers(a, b); ok {
		return order, nil
	}
	return 0, Faultf("cannot compare %s with %s", DescribeKind(a), DescribeKind(b))
}

// Digits returns the cost of comparing a json.Number, which is compared exactly as a
// fraction of big integers. It returns 0 for other values.
func Digits(v any) int {
	s, ok := v.(json.Number)
	if !ok {
		return 0
	}
	n := len(s)
	if i := strings.IndexAny(string(s), "eE"); i >= 0 {
		e, _ := strconv.Atoi(string(s[i+1:]))
		n += max(e, -e, 0)
	}
	n = min(n, types.MaxNumberLen+types.MaxExponent)
	return n>>2 + n*n>>12
}

func boolRank(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Ordering returns the operation that compares two values by order.
func Ordering(holds func(int) bool) Operation {
	return func(r *Run, a []any) (any, error) {
		order, err := r.compare(a[0], a[1])
		return err == nil && holds(order), err
	}
}

// OpIn reports whether a list contains an item, or a map a key.
func OpIn(r *Run, a []any) (any, error) {
	switch list := a[1].(type) {
	case []any:
		for _, item := range list {
			if eq, err := r.Equal(a[0], item); eq || err != nil {
				return eq, err
			}
		}
		return false, nil
	case map[string]any:
		key, ok := a[0].(string)
		if !ok {
			return false, nil
		}
		_, ok = list[key]
		return ok, nil
	case nil:
		return false, nil
	default:
		return nil, Faultf("in requires a list or a map, got %s", DescribeKind(a[1]))
	}
}
