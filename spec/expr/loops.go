package expr

import (
	"slices"
)

func opBool(_ *run, a []any) (any, error) {
	if b, ok := a[0].(bool); ok {
		return b, nil
	}
	return nil, faultf("a condition must be true or false, and this is %s", describeKind(a[0]))
}

func opList(r *run, a []any) (any, error) {
	list, ok := a[0].([]any)
	if a[0] == nil {
		return nil, faultf("this goes over a list, and there is null; write `?? []` behind it where null means none")
	}
	if !ok {
		return nil, faultf("this goes over a list, and there is %s", describeKind(a[0]))
	}
	return list, r.spend(len(list))
}

// opStep counts a turn of a loop within a loop, which costs more than an item.
func opStep(r *run, a []any) (any, error) { return a[0], r.spend(8) }

// opInt turns the machine's own integers into ours.
func opInt(_ *run, a []any) (any, error) {
	if i, ok := a[0].(int); ok {
		return int64(i), nil
	}
	return a[0], nil
}

// opLastTrue is the index of the last true item, or null.
func opLastTrue(_ *run, a []any) (any, error) {
	list, _ := a[0].([]any)
	for i, item := range slices.Backward(list) {
		if item == true {
			return int64(i), nil
		}
	}
	return nil, nil
}

// opKey is a computed key of a map literal.
func opKey(_ *run, a []any) (any, error) {
	if s, ok := a[0].(string); ok {
		return s, nil
	}
	return nil, faultf("a key must be a string, and this is %s", describeKind(a[0]))
}

// opGroup groups the items of the first list by the scalars of the second.
func opGroup(r *run, a []any) (any, error) {
	list, keys := a[0].([]any), a[1].([]any)
	out := map[string]any{}
	for i, item := range list {
		key, err := scalarText(keys[i])
		if err != nil {
			return nil, faultf("groupBy: %v", err)
		}
		if err := r.items(2); err != nil {
			return nil, err
		}
		group, _ := out[key].([]any)
		out[key] = append(group, item)
	}
	return out, nil
}

// opSortBy orders the items of the first list by the scalars of the second.
func opSortBy(r *run, a []any) (any, error) {
	list, keys := a[0].([]any), a[1].([]any)
	if err := r.items(2 * len(list)); err != nil {
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
func (r *run) sortIndices(order []int, keys []any, direction any) error {
	sign := 1
	switch direction {
	case "asc":
	case "desc":
		sign = -1
	default:
		return faultf(`the order is "asc" or "desc", and this is %s`, quote(direction))
	}
	var failed error
	slices.SortStableFunc(order, func(i, j int) int {
		if failed != nil {
			return 0
		}
		o, err := r.compare(keys[i], keys[j])
		failed = err
		return sign * o
	})
	return failed
}

func opSum(r *run, a []any) (any, error) {
	var total any = int64(0)
	var err error
	for _, v := range a[0].([]any) {
		if total, err = opAdd(r, []any{total, v}); err != nil {
			return nil, err
		}
	}
	return total, nil
}
