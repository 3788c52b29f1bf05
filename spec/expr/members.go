package expr

import (
	"github.com/declprov/declprov/spec/types"
	"slices"
	"unicode/utf8"
)

// opMember is a member of a value, null-safe: of what has no such member, null.
func opMember(r *run, a []any) (any, error) {
	v, _, err := memberValue(r, a[0], a[1])
	return v, err
}

// opStrictMember refuses an index beyond the end.
func opStrictMember(r *run, a []any) (any, error) {
	v, found, err := memberValue(r, a[0], a[1])
	if err == nil && !found {
		return nil, outOfRange(quote(a[1]), a[0])
	}
	return v, err
}

// outOfRange is the error of an index that a list or string does not have.
func outOfRange(index quoted, base any) error {
	switch base := base.(type) {
	case []any:
		return faultf("index %s is out of range: there are %s items", index, quote(int64(len(base))))
	case string:
		return faultf("index %s is out of range: there are %s characters", index, quote(int64(utf8.RuneCountInString(base))))
	default:
		return faultf("index %s is out of range: there is %s", index, describeKind(base))
	}
}

// memberValue is base[key]; found is false where there is none.
func memberValue(r *run, base, key any) (v any, found bool, err error) {
	switch base := base.(type) {
	case nil:
		return nil, false, nil
	case map[string]any:
		name, ok := key.(string)
		if !ok {
			return nil, false, faultf("a key must be a string, and this is %s", describeKind(key))
		}
		v, found = base[name]
		return v, found, nil
	case []any:
		i, ok := types.WholeNumber(key)
		if !ok {
			if name, ok := key.(string); ok {
				return nil, false, faultf("a list has no member %s", quote(name))
			}
			return nil, false, faultf("an index must be a whole number, and this is %s", describeKind(key))
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
			return nil, false, faultf("a string has no members")
		}
		if err := r.read(base); err != nil {
			return nil, false, err
		}
		v, found = character(base, i)
		return v, found, nil
	default:
		return nil, false, faultf("%s has no members", describeKind(base))
	}
}

// character is the code point at an index, from the end where it is negative.
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

// opSlice is base[from:to], with null for a bound that is not given.
func opSlice(r *run, a []any) (any, error) {
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
		if err := r.grow(len(base)); err != nil {
			return nil, err
		}
		runes := []rune(base)
		from, to, err := bounds(a[1], a[2], len(runes))
		if err != nil {
			return nil, err
		}
		return string(runes[from:to]), nil
	default:
		return nil, faultf("only lists and strings have slices, and this is %s", describeKind(base))
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
			return 0, 0, faultf("an index must be a whole number, and this is %s", describeKind(v))
		}
		if b < 0 {
			b += int64(n)
		}
		at[i] = int(min(max(b, 0), int64(n)))
	}
	return min(at[0], at[1]), at[1], nil
}
