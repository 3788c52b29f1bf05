package eval

// Entries returns the entries of a map as structs with a key and a value.
func Entries(r *Run, m map[string]any) ([]any, error) {
	keys, err := r.SortedKeys(m)
	if err != nil {
		return nil, err
	}
	if err := r.Items(3 * len(m)); err != nil {
		return nil, err
	}
	list := make([]any, len(keys))
	for i, key := range keys {
		list[i] = map[string]any{"key": key, "value": m[key]}
	}
	return list, nil
}

// opEntriesOf returns the entries of the map of a loop over its values.
func opEntriesOf(r *Run, a []any) (any, error) {
	m, ok := a[0].(map[string]any)
	if !ok {
		remedy := ""
		if a[0] == nil {
			remedy = "; append `?? {}` to treat null as an empty map"
		}
		return nil, Faultf("mapValues requires a map or a struct, got %s%s", DescribeKind(a[0]), remedy)
	}
	return Entries(r, m)
}

// opWithValues returns a map of the keys of entries and a list of values.
func opWithValues(r *Run, a []any) (any, error) {
	entries, values := a[0].([]any), a[1].([]any)
	out := make(map[string]any, len(entries))
	for i, e := range entries {
		key, _ := e.(map[string]any)["key"].(string)
		out[key] = values[i]
	}
	return out, r.Items(len(out))
}
