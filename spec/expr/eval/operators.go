package eval

import (
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/types"
)

// Operation is the implementation of an operator or a function.
type Operation func(r *Run, args []any) (any, error)

// PricedOperation is an operation with the cost of a call.
type PricedOperation struct {
	Cost Cost
	Run  Operation
}

// Operators returns the operations that replace expr-lang's own operators, which do
// not support json.Number and limits, and whose messages use Go's types. Templates
// cannot contain their names as function names.
func Operators() map[string]PricedOperation {
	return map[string]PricedOperation{
		// The cost of a comparison depends on the common part of the operands, which
		// is only known during the comparison.
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
		".":          {Metered, OpMember}, "[": {Metered, opStrictMember}, "?.": {Metered, opMemberOf(check.ContainerOrNull)}, "!.": {Metered, opMemberOf(check.Container)},
		"!!.": {Metered, opMemberOf(check.ContainerWithMember)}, "!": {Flat, opPresent}, "[:]": {Metered, opSlice},
		// The values that the virtual machine's loops read and produce.
		"bool": {Flat, opBool}, "list": {Metered, opList}, "step": {Flat, opStep}, "int64": {Flat, opInt}, "text": {Flat, opKey},
		"group": {OfItems, opGroup}, "sortBy": {Metered, OpSortBy}, "sum": {OfItems, opSum}, "lastTrue": {OfItems, opLastTrue},
		"unique": {OfItems, opUnique}, "entries of": {Metered, opEntriesOf}, "with values": {OfItems, opWithValues},
	}
}

// Textual returns an operation that compares two strings. It is false if one of them
// is null.
func Textual(name string, f func(s, part string) bool) Operation {
	return func(r *Run, a []any) (any, error) {
		x, ok1 := a[0].(string)
		y, ok2 := a[1].(string)
		if !ok1 || !ok2 {
			if a[0] == nil || a[1] == nil {
				return false, nil
			}
			return nil, Faultf("%s requires strings, got %s and %s", name, DescribeKind(a[0]), DescribeKind(a[1]))
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
		return nil, Faultf("matches requires strings, got %s", DescribeKind(a[0]))
	}
	re, err := r.RegexpArg(a[1])
	if err != nil {
		return nil, err
	}
	return r.matches(re, s)
}

// ScalarText returns a scalar as a string.
func ScalarText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case nil:
		return "", Faultf(`null cannot be inserted into text: provide a default with ?? ""`)
	case Moment:
		return v.String(), nil
	case Span:
		return v.String(), nil
	}
	if types.IsNumber(v) {
		return types.NumberText(v), nil
	}
	return "", Faultf("%s cannot be inserted into text: use jsonencode(…) or join(…)", DescribeKind(v))
}
