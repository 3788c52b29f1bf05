package eval

import (
	"slices"

	"github.com/declprov/declprov/spec/stable"
)

func opBool(_ *Run, a []any) (any, error) {
	if b, ok := a[0].(bool); ok {
		return b, nil
	}
	if a[0] == nil {
		return nil, Faultf("a condition must be a boolean, got null; append `== true` to treat null as false")
	}
	return nil, Faultf("a condition must be a boolean, got %s", DescribeKind(a[0]))
}

func opList(r *Run, a []any) (any, error) {
	list, ok := a[0].([]any)
	if a[0] == nil {
		return nil, Faultf("expected a list, got null; append `?? []` to treat null as an empty list")
	}
	if !ok {
		return nil, Faultf("expected a list, got %s", DescribeKind(a[0]))
	}
	return list, r.Spend(len(list))
}

// opStep charges for one iteration of a nested loop, which costs more than an item.
func opStep(r *Run, a []any) (any, error) { return a[0], r.Spend(8) }

// opInt converts the virtual machine's integers to int64.
func opInt(_ *Run, a []any) (any, error) {
	if i, ok := a[0].(int); ok {
		return int64(i), nil
	}
	return a[0], nil
}

// opLastTrue returns the index of the last true item, or null.
func opLastTrue(_ *Run, a []any) (any, error) {
	list, _ := a[0].([]any)
	for i, item := range slices.Backward(list) {
		if item == true {
			return int64(i), nil
		}
	}
	return nil, nil
}

// opKey returns a computed key of a map literal.
func opKey(_ *Run, a []any) (any, error) {
	if s, ok := a[0].(string); ok {
		return s, nil
	}
	return nil, Faultf("a key must be a string, got %s", DescribeKind(a[0]))
}

// opGroup groups the items of the first list by the scalars of the second.
func opGroup(r *Run, a []any) (any, error) {
	list, keys := a[0].([]any), a[1].([]any)
	out := map[string]any{}
	for i, item := range list {
		key, err := ScalarText(keys[i])
		if err != nil {
			return nil, Faultf("groupBy: %v", err)
		}
		if err := r.Items(2); err != nil {
			return nil, err
		}
		group, _ := out[key].([]any)
		out[key] = append(group, item)
	}
	return out, nil
}

// OpSortBy orders the items of the first list by the scalars of the second.
func OpSortBy(r *Run, a []any) (any, error) {
	list, keys := a[0].([]any), a[1].([]any)
	if err := r.Items(2 * len(list)); err != nil {
		return nil, err
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	if err := r.sortIndices(order, keys, a[2]); err != nil {
		return nil, err
	}
	out := make([]any, len(list))
	for i, at := range order {
		out[i] = list[at]
	}
	return out, nil
}

// sortIndices orders indices by their keys, stably.
func (r *Run) sortIndices(order []int, keys []any, direction any) error {
	sign := 1
	switch direction {
	case "asc":
	case "desc":
		sign = -1
	default:
		return Faultf(`the order must be "asc" or "desc", got %s`, Quote(direction))
	}
	var failed error
	stable.Sort(order, func(i, j int) int {
		if failed != nil {
			return 0
		}
		o, err := r.compare(keys[i], keys[j])
		failed = err
		return sign * o
	})
	return failed
}

func opSum(r *Run, a []any) (any, error) {
	var total any = int64(0)
	var err error
	for _, v := range a[0].([]any) {
		if total, err = OpAdd(r, []any{total, v}); err != nil {
			return nil, err
		}
	}
	return total, nil
}
