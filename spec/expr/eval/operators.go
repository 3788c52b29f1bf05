package eval

import (
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec/types"
)

// Operation is what an operator or a function does with evaluated operands.
type Operation func(r *Run, args []any) (any, error)

// Operators returns the operations that stand in for expr-lang's own operators, which
// know neither json.Number nor limits, and speak of Go's types. The names
// cannot be written as functions in a template.
func Operators() map[string]Operation {
	ops := map[string]Operation{
		"==": opEqual, "!=": func(r *Run, a []any) (any, error) {
			eq, err := r.equal(a[0], a[1])
			return !eq, err
		},
		"<": Ordering(func(o int) bool { return o < 0 }), "<=": Ordering(func(o int) bool { return o <= 0 }),
		">": Ordering(func(o int) bool { return o > 0 }), ">=": Ordering(func(o int) bool { return o >= 0 }),
		"+": OpAdd, "-": OpSubtract, "*": opMultiply, "/": opDivide, "%": opModulo, "**": opPower, "^": opPower,
		"in": OpIn, "..": opRange, "matches": opMatches,
		"contains":   Textual("contains", strings.Contains),
		"startsWith": Textual("startsWith", strings.HasPrefix),
		"endsWith":   Textual("endsWith", strings.HasSuffix),
		"neg":        OpNegate, "plus": opPlus, ".": OpMember, "[": opStrictMember, "[:]": opSlice,
		"bool": opBool, "list": opList, "step": opStep, "int64": opInt, "group": opGroup, "sortBy": OpSortBy, "sum": opSum, "text": opKey, "lastTrue": opLastTrue,
	}
	return ops
}

// Textual returns an operation that compares two strings; of null it is false.
func Textual(name string, f func(s, part string) bool) Operation {
	return func(r *Run, a []any) (any, error) {
		x, ok1 := a[0].(string)
		y, ok2 := a[1].(string)
		if !ok1 || !ok2 {
			if a[0] == nil || a[1] == nil {
				return false, nil
			}
			return nil, Faultf("%s needs strings, and has %s and %s", name, DescribeKind(a[0]), DescribeKind(a[1]))
		}
		return f(x, y), r.Read(x, y)
	}
}

func opMatches(r *Run, a []any) (any, error) {
	s, ok := a[0].(string)
	if !ok {
		if a[0] == nil {
			return false, nil
		}
		return nil, Faultf("matches needs strings, and this is %s", DescribeKind(a[0]))
	}
	re, err := r.RegexpArg(a[1])
	if err != nil {
		return nil, err
	}
	return r.matches(re, s)
}

// ScalarText returns a scalar as text.
func ScalarText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case nil:
		return "", Faultf(`null cannot stand in text: say what does instead, with ?? ""`)
	case Moment:
		return v.String(), nil
	case Span:
		return v.String(), nil
	}
	if types.IsNumber(v) {
		return types.NumberText(v), nil
	}
	return "", Faultf("%s cannot stand in text: use jsonencode(…) or join(…)", DescribeKind(v))
}
