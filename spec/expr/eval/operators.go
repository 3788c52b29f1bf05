package eval

import (
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec/types"
)

// Operation is what an operator or a function does with evaluated operands.
type Operation func(r *Run, args []any) (any, error)

// Priced is an operation, and what a call of it costs.
type Priced struct {
	Cost Cost
	Run  Operation
}

// Operators returns the operations that stand in for expr-lang's own operators, which
// know neither json.Number nor limits, and speak of Go's types. The names
// cannot be written as functions in a template.
func Operators() map[string]Priced {
	return map[string]Priced{
		// What is compared costs what it has in common, which is known only then.
		"==": {Flat, opEqual}, "!=": {Flat, opUnequal},
		"<":  {Flat, Ordering(func(o int) bool { return o < 0 })},
		"<=": {Flat, Ordering(func(o int) bool { return o <= 0 })},
		">":  {Flat, Ordering(func(o int) bool { return o > 0 })},
		">=": {Flat, Ordering(func(o int) bool { return o >= 0 })},
		"+":  {Metered, OpAdd}, "-": {Flat, OpSubtract}, "*": {Flat, opMultiply}, "/": {Flat, opDivide}, "%": {Flat, opModulo},
		"**": {Flat, opPower}, "^": {Flat, opPower}, "neg": {Flat, OpNegate}, "plus": {Flat, opPlus},
		"in": {Metered, OpIn}, "..": {Metered, opRange}, "matches": {Metered, opMatches},
		"contains":   {OfText, Textual("contains", strings.Contains)},
		"startsWith": {OfText, Textual("startsWith", strings.HasPrefix)},
		"endsWith":   {OfText, Textual("endsWith", strings.HasSuffix)},
		".":          {Metered, OpMember}, "[": {Metered, opStrictMember}, "[:]": {Metered, opSlice},
		// What the machine's loops go over, and make.
		"bool": {Flat, opBool}, "list": {Metered, opList}, "step": {Flat, opStep}, "int64": {Flat, opInt}, "text": {Flat, opKey},
		"group": {OfItems, opGroup}, "sortBy": {Metered, OpSortBy}, "sum": {OfItems, opSum}, "lastTrue": {OfItems, opLastTrue},
	}
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
