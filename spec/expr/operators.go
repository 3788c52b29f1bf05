package expr

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
)

// operation is what an operator or a function does with evaluated operands.
type operation func(r *run, args []any) (any, error)

// operators are the operations that stand in for expr's own operators, which
// know neither json.Number nor limits, and speak of Go's types. The names
// cannot be written as functions in a template.
func operators() map[string]operation {
	ops := map[string]operation{
		"==": opEqual, "!=": func(r *run, a []any) (any, error) {
			eq, err := r.equal(a[0], a[1])
			return !eq, err
		},
		"<": ordering(func(o int) bool { return o < 0 }), "<=": ordering(func(o int) bool { return o <= 0 }),
		">": ordering(func(o int) bool { return o > 0 }), ">=": ordering(func(o int) bool { return o >= 0 }),
		"+": opAdd, "-": opSubtract, "*": opMultiply, "/": opDivide, "%": opModulo, "**": opPower, "^": opPower,
		"in": opIn, "..": opRange, "matches": opMatches,
		"contains":   textual("contains", strings.Contains),
		"startsWith": textual("startsWith", strings.HasPrefix),
		"endsWith":   textual("endsWith", strings.HasSuffix),
		"neg":        opNegate, "plus": opPlus, ".": opMember, "[": opStrictMember, "[:]": opSlice,
		"bool": opBool, "list": opList, "step": opStep, "int64": opInt, "group": opGroup, "sortBy": opSortBy, "sum": opSum, "text": opKey, "lastTrue": opLastTrue,
	}
	return ops
}

func opEqual(r *run, a []any) (any, error) { return r.equal(a[0], a[1]) }

// equal compares two values; numbers by value, whatever their form.
func (r *run) equal(a, b any) (bool, error) {
	if err := r.spend(1); err != nil {
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
		return ok && x == y, nil
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false, nil
		}
		for i := range x {
			if eq, err := r.equal(x[i], y[i]); !eq || err != nil {
				return false, err
			}
		}
		return true, nil
	case map[string]any:
		return r.equalMaps(x, b)
	case moment:
		y, ok := b.(moment)
		return ok && time.Time(x).Equal(time.Time(y)), nil
	case span:
		return a == b, nil
	case *spec.File:
		y, ok := b.(*spec.File)
		return ok && (x == y || reflect.DeepEqual(x, y)), nil
	}
	if !isNumber(a) || !isNumber(b) {
		return false, nil
	}
	if order, ok := compareNumbers(a, b); ok {
		return order == 0, nil
	}
	return reflect.DeepEqual(a, b), nil
}

func (r *run) equalMaps(x map[string]any, b any) (bool, error) {
	y, ok := b.(map[string]any)
	if !ok || len(x) != len(y) {
		return false, nil
	}
	for k, v := range x {
		w, ok := y[k]
		if !ok {
			return false, nil
		}
		if eq, err := r.equal(v, w); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

// compare orders two numbers, strings or times.
func (r *run) compare(a, b any) (int, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), r.spend(1)
		}
	case moment:
		if y, ok := b.(moment); ok {
			return time.Time(x).Compare(time.Time(y)), nil
		}
	case span:
		if y, ok := b.(span); ok {
			return compareOrdered(int64(x), int64(y)), nil
		}
	case bool:
		if y, ok := b.(bool); ok {
			return compareOrdered(boolRank(x), boolRank(y)), nil
		}
	}
	if order, ok := compareNumbers(a, b); ok {
		return order, r.spend(1)
	}
	return 0, faultf("%s and %s have no order", describeKind(a), describeKind(b))
}

func boolRank(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func ordering(holds func(int) bool) operation {
	return func(r *run, a []any) (any, error) {
		order, err := r.compare(a[0], a[1])
		return err == nil && holds(order), err
	}
}

// operands are two numbers, as an int64 or a float64 each.
func operands(op string, a []any) (x, y any, err error) {
	if x, err = operand(op, a[0]); err != nil {
		return nil, nil, err
	}
	y, err = operand(op, a[1])
	return x, y, err
}

func operand(op string, v any) (any, error) {
	n, ok := numeric(v)
	switch {
	case ok:
		return n, nil
	case isNumber(v):
		return nil, faultf("%s cannot reckon with %s: it has more digits than a number here can hold", op, numberText(v))
	case v == nil:
		return nil, faultf("%s needs numbers, and this is null", op)
	default:
		return nil, faultf("%s needs numbers, and this is %s", op, describeKind(v))
	}
}

func overflow(op string) error { return faultf("the result of %s does not fit an integer", op) }

func opAdd(r *run, a []any) (any, error) {
	if x, ok := a[0].(string); ok {
		y, ok := a[1].(string)
		if !ok {
			return nil, faultf("+ joins two strings, and this is %s: turn it into text with string(…)", describeKind(a[1]))
		}
		if err := r.grow(len(x) + len(y)); err != nil {
			return nil, err
		}
		return x + y, nil
	}
	if v, ok := addTimes(a[0], a[1]); ok {
		return v, nil
	}
	x, y, err := operands("+", a)
	if err != nil {
		return nil, err
	}
	if i, j, ok := ints(x, y); ok {
		if sum := i + j; (sum > i) == (j > 0) {
			return sum, nil
		}
		return nil, overflow("+")
	}
	return finite("+", toFloat(x)+toFloat(y))
}

func ints(x, y any) (i, j int64, ok bool) {
	i, ok1 := x.(int64)
	j, ok2 := y.(int64)
	return i, j, ok1 && ok2
}

// finite refuses what no number is.
func finite(op string, f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, faultf("the result of %s is no number", op)
	}
	return f, nil
}

func opSubtract(_ *run, a []any) (any, error) {
	if v, ok := subtractTimes(a[0], a[1]); ok {
		return v, nil
	}
	x, y, err := operands("-", a)
	if err != nil {
		return nil, err
	}
	if i, j, ok := ints(x, y); ok {
		if d := i - j; (d < i) == (j > 0) {
			return d, nil
		}
		return nil, overflow("-")
	}
	return finite("-", toFloat(x)-toFloat(y))
}

func opMultiply(_ *run, a []any) (any, error) {
	x, y, err := operands("*", a)
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
	return finite("*", toFloat(x)*toFloat(y))
}

func opDivide(_ *run, a []any) (any, error) {
	x, y, err := operands("/", a)
	if err != nil {
		return nil, err
	}
	if toFloat(y) == 0 {
		return nil, faultf("this divides by zero")
	}
	return finite("/", toFloat(x)/toFloat(y))
}

func opModulo(_ *run, a []any) (any, error) {
	x, ok1 := wholeNumber(a[0])
	y, ok2 := wholeNumber(a[1])
	switch {
	case !ok1 || !ok2:
		return nil, faultf("%% needs whole numbers, and has %s and %s", describeKind(a[0]), describeKind(a[1]))
	case y == 0:
		return nil, faultf("this divides by zero")
	case y == -1:
		return int64(0), nil
	}
	return x % y, nil
}

func opPower(_ *run, a []any) (any, error) {
	x, y, err := operands("**", a)
	if err != nil {
		return nil, err
	}
	return finite("**", math.Pow(toFloat(x), toFloat(y)))
}

func opNegate(_ *run, a []any) (any, error) {
	x, err := operand("-", a[0])
	if err != nil {
		return nil, err
	}
	if i, ok := x.(int64); ok {
		if i == math.MinInt64 {
			return nil, overflow("-")
		}
		return -i, nil
	}
	return -toFloat(x), nil
}

func opPlus(_ *run, a []any) (any, error) { return operand("+", a[0]) }

func opIn(r *run, a []any) (any, error) {
	switch list := a[1].(type) {
	case []any:
		for _, item := range list {
			if eq, err := r.equal(a[0], item); eq || err != nil {
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
		return nil, faultf("in looks into lists and maps, and this is %s", describeKind(a[1]))
	}
}

func opRange(r *run, a []any) (any, error) {
	from, ok1 := wholeNumber(a[0])
	to, ok2 := wholeNumber(a[1])
	if !ok1 || !ok2 {
		return nil, faultf(".. needs whole numbers, and has %s and %s", describeKind(a[0]), describeKind(a[1]))
	}
	if to < from {
		return []any{}, nil
	}
	if uint64(to)-uint64(from) >= maxItems {
		return nil, errSize
	}
	if err := r.items(int(to - from + 1)); err != nil {
		return nil, err
	}
	list := make([]any, to-from+1)
	for i := range list {
		list[i] = from + int64(i)
	}
	return list, nil
}

func textual(name string, f func(s, part string) bool) operation {
	return func(r *run, a []any) (any, error) {
		x, ok1 := a[0].(string)
		y, ok2 := a[1].(string)
		if !ok1 || !ok2 {
			if a[0] == nil || a[1] == nil {
				return false, nil
			}
			return nil, faultf("%s needs strings, and has %s and %s", name, describeKind(a[0]), describeKind(a[1]))
		}
		return f(x, y), r.read(x, y)
	}
}

func opMatches(r *run, a []any) (any, error) {
	s, ok := a[0].(string)
	if !ok {
		if a[0] == nil {
			return false, nil
		}
		return nil, faultf("matches needs strings, and this is %s", describeKind(a[0]))
	}
	re, err := r.regexpArg(a[1])
	if err != nil {
		return nil, err
	}
	// A byte costs a regular expression what an item costs a loop.
	if err := r.spend(len(s)); err != nil {
		return nil, err
	}
	return re.MatchString(s), nil
}

// opMember is a member of a value, null-safe: of what has no such member, null.
func opMember(r *run, a []any) (any, error) {
	v, _, err := memberValue(r, a[0], a[1])
	return v, err
}

// opStrictMember refuses an index beyond the end.
func opStrictMember(r *run, a []any) (any, error) {
	v, found, err := memberValue(r, a[0], a[1])
	if err == nil && !found {
		return nil, outOfRange(numberText(a[1]), a[0])
	}
	return v, err
}

// outOfRange is the error of an index that a list or string does not have.
func outOfRange(index string, base any) error {
	switch base := base.(type) {
	case []any:
		return faultf("index %s is out of range: there are %d items", index, len(base))
	case string:
		return faultf("index %s is out of range: there are %d characters", index, utf8.RuneCountInString(base))
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
		i, ok := wholeNumber(key)
		if !ok {
			if name, ok := key.(string); ok {
				return nil, false, faultf("a list has no member %q", name)
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
		i, ok := wholeNumber(key)
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
		b, ok := wholeNumber(v)
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

func opBool(_ *run, a []any) (any, error) {
	if b, ok := a[0].(bool); ok {
		return b, nil
	}
	return nil, faultf("a condition must be true or false, and this is %s", describeKind(a[0]))
}

func opList(r *run, a []any) (any, error) {
	list, ok := a[0].([]any)
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
		group, _ := out[key].([]any)
		out[key] = append(group, item)
	}
	return out, r.spend(len(list))
}

// opSortBy orders the items of the first list by the scalars of the second.
func opSortBy(r *run, a []any) (any, error) {
	list, keys := a[0].([]any), a[1].([]any)
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
		return faultf(`the order is "asc" or "desc", and this is %s`, describeValue(direction))
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

// scalarText is a scalar as text.
func scalarText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case nil:
		return "", faultf(`null cannot stand in text: say what does instead, with ?? ""`)
	case moment:
		return v.String(), nil
	case span:
		return v.String(), nil
	}
	if isNumber(v) {
		return numberText(v), nil
	}
	return "", faultf("%s cannot stand in text: use jsonencode(…) or join(…)", describeKind(v))
}
