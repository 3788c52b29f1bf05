package expr

import (
	"github.com/declprov/declprov/spec/types"
	"strconv"
	"strings"
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
	return r.matches(re, s)
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
	if types.IsNumber(v) {
		return types.NumberText(v), nil
	}
	return "", faultf("%s cannot stand in text: use jsonencode(…) or join(…)", describeKind(v))
}
