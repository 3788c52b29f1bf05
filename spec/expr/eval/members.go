package eval

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/types"
)

// OpMember returns a member of a value, or null if there is none.
func OpMember(r *Run, a []any) (any, error) {
	v, _, err := memberValue(r, a[0], a[1])
	return v, err
}

// opStrictMember is like OpMember, but returns an error for an index beyond the end.
func opStrictMember(r *Run, a []any) (any, error) {
	v, found, err := memberValue(r, a[0], a[1])
	if err == nil && !found {
		return nil, outOfRangeError(Quote(a[1]), a[0])
	}
	return v, err
}

// opMemberOf returns the operation that is like OpMember, but returns an error if its base is not what it must be.
func opMemberOf(demand check.Demand) Operation {
	return func(r *Run, a []any) (any, error) {
		if err := checkDemand(demand, a[0], a[1]); err != nil {
			return nil, err
		}
		return OpMember(r, a)
	}
}

// opPresent returns a value that must not be null.
func opPresent(_ *Run, a []any) (any, error) {
	if a[0] == nil {
		return nil, Faultf("what is looked for an item of is absent or null, so nothing is known about the item. If that means that there is none, write `?? []`")
	}
	return a[0], nil
}

// checkDemand returns an error if a value is not what it must be where a member of it is read.
func checkDemand(demand check.Demand, base, key any) error {
	if demand == check.Anything {
		return nil
	}
	name, named := key.(string)
	switch base := base.(type) {
	case types.Unknown, types.Secret:
		return nil
	case map[string]any:
		if _, ok := base[name]; named && !ok && demand == check.ContainerWithMember {
			return Faultf("the response has no member %s here, so nothing is known about it. If that means that there is none, write `?.`", Quote(key))
		}
		return nil
	case []any:
		if _, err := strconv.Atoi(name); named && err != nil { // a chain has its indices as text
			return Faultf("a list has no member %s", Quote(key))
		}
		return nil
	case nil:
		if demand == check.ContainerOrNull {
			return nil
		}
		return Faultf("there is no response body, or null in place of an object, so nothing is known about its member %s. If that means that there is none, write `?.`", Quote(key))
	default:
		return Faultf("%s has no members", DescribeKind(base))
	}
}

// outOfRangeError returns the error for an index that is out of range.
func outOfRangeError(index Quoted, base any) error {
	switch base := base.(type) {
	case []any:
		return Faultf("index %s is out of range: there are %s items", index, Quote(int64(len(base))))
	case string:
		return Faultf("index %s is out of range: there are %s characters", index, Quote(int64(utf8.RuneCountInString(base))))
	default:
		return Faultf("index %s is out of range: got %s", index, DescribeKind(base))
	}
}

// memberValue returns base[key]. found is false if there is none.
func memberValue(r *Run, base, key any) (v any, found bool, err error) {
	switch base := base.(type) {
	case nil:
		return nil, false, nil
	case map[string]any:
		name, ok := key.(string)
		if !ok {
			return nil, false, Faultf("a key must be a string, got %s", DescribeKind(key))
		}
		v, found = base[name]
		return v, found, nil
	case []any:
		i, ok := types.WholeNumber(key)
		if !ok {
			if name, ok := key.(string); ok {
				return nil, false, Faultf("a list has no member %s", Quote(name))
			}
			return nil, false, Faultf("an index must be a whole number, got %s", DescribeKind(key))
		}
		if i < 0 {
			i += int64(len(base))
		}
		if i < 0 || i >= int64(len(base)) {
			return nil, false, nil
		}
		return base[i], true, nil
	case string:
		i, ok := types.WholeNumber(key)
		if !ok {
			return nil, false, Faultf("a string has no members")
		}
		if err := r.Read(base); err != nil {
			return nil, false, err
		}
		v, found = character(base, i)
		return v, found, nil
	default:
		return nil, false, Faultf("%s has no members", DescribeKind(base))
	}
}

// character returns the code point at an index. A negative index counts from the end.
func character(s string, i int64) (any, bool) {
	n := int64(utf8.RuneCountInString(s))
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return nil, false
	}
	for _, c := range s {
		if i == 0 {
			return string(c), true
		}
		i--
	}
	return nil, false
}

// opSlice returns base[from:to]. A missing bound is null.
func opSlice(r *Run, a []any) (any, error) {
	switch base := a[0].(type) {
	case nil:
		return nil, nil
	case []any:
		from, to, err := bounds(a[1], a[2], len(base))
		if err != nil {
			return nil, err
		}
		return slices.Clip(base[from:to]), nil
	case string:
		if err := r.Grow(len(base)); err != nil {
			return nil, err
		}
		runes := []rune(base)
		from, to, err := bounds(a[1], a[2], len(runes))
		if err != nil {
			return nil, err
		}
		return string(runes[from:to]), nil
	default:
		return nil, Faultf("only lists and strings can be sliced, got %s", DescribeKind(base))
	}
}

func bounds(from, to any, n int) (int, int, error) {
	at := [2]int{0, n}
	for i, v := range [...]any{from, to} {
		if v == nil {
			continue
		}
		b, ok := types.WholeNumber(v)
		if !ok {
			return 0, 0, Faultf("an index must be a whole number, got %s", DescribeKind(v))
		}
		if b < 0 {
			b += int64(n)
		}
		at[i] = int(min(max(b, 0), int64(n)))
	}
	return min(at[0], at[1]), at[1], nil
}
