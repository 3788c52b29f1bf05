package types

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
)

// Breach is a rule of a type that a value of its kind breaks.
type Breach struct {
	// Must is what the rule wants, as it reads after the name of the value: "must be at least 3".
	Must string
	// Unlisted says that the value is none of the literals that the type lists. No other
	// rule is told beside it.
	Unlisted bool
}

// Breaches returns the rules of a resolved type for single values that a bool, a string
// or a number breaks: literals, bounds, multiples, lengths and patterns. It is the only
// place that knows them: the defaults of a document, the constants of its expressions and
// the values of a user's program are held against the same rules.
//
// keeps reports whether a string keeps a pattern, given by its index in the type; nil
// stands for keepsPattern.
func Breaches(v any, t *spec.Type, keeps func(s string, pattern int) bool) (broken []Breach) {
	must := func(format string, args ...any) {
		broken = append(broken, Breach{Must: "must " + fmt.Sprintf(format, args...)})
	}
	if len(t.Enum) > 0 && !among(v, t.Enum) {
		return []Breach{{Must: "must be " + OneOf(t.Enum), Unlisted: true}}
	}
	for _, literal := range t.Not {
		if SameLiteral(v, literal) {
			must("not be %s", DescribeValue(literal))
		}
	}
	if s, ok := v.(string); ok {
		if wrong := WrongCount(utf8.RuneCountInString(s), "characters", t); wrong != "" {
			broken = append(broken, Breach{Must: wrong})
		}
		for i, p := range t.Patterns {
			switch kept := keeps == nil && keepsPattern(s, p) || keeps != nil && keeps(s, i); {
			case kept:
			case p.Negated:
				must("not match %s", p.Regexp)
			default:
				must("match %s", p.Regexp)
			}
		}
	}
	if b := t.Min; b != nil {
		if order, ok := CompareLiterals(v, b.Value); ok && (order < 0 || order == 0 && b.Exclusive) {
			must("%s %s", bound(b, "at least", "more than", "after"), DescribeValue(b.Value))
		}
	}
	if b := t.Max; b != nil {
		if order, ok := CompareLiterals(v, b.Value); ok && (order > 0 || order == 0 && b.Exclusive) {
			must("%s %s", bound(b, "at most", "less than", "before"), DescribeValue(b.Value))
		}
	}
	if t.MultipleOf != "" && IsNumber(v) && !IsMultiple(LiteralNumber(v), t.MultipleOf) {
		must("be a multiple of %s", t.MultipleOf)
	}
	return broken
}

// bound returns how a bound reads after "must".
func bound(b *spec.Bound, inclusive, exclusive, side string) string {
	_, isText := b.Value.(string)
	switch {
	case isText && b.Exclusive:
		return "come " + side
	case isText:
		return "come " + side + " or be"
	case b.Exclusive:
		return "be " + exclusive
	default:
		return "be " + inclusive
	}
}

// WrongCount returns why a value cannot have so many characters, items or entries, or "".
func WrongCount(n int, of string, t *spec.Type) string {
	switch {
	case n < t.MinLen:
		return fmt.Sprintf("must have at least %d %s, and has %d", t.MinLen, of, n)
	case t.MaxLen != nil && n > *t.MaxLen:
		return fmt.Sprintf("must have at most %d %s, and has %d", *t.MaxLen, of, n)
	default:
		return ""
	}
}

// keepsPattern reports whether a string matches a pattern, or does not match a negated one.
func keepsPattern(s string, p spec.Pattern) bool {
	re, err := Pattern(p.Regexp)
	return err != nil || re.MatchString(s) != p.Negated
}

// Takes reports whether a type that is no union has values of a kind, which is that of a Shape.
func Takes(t *spec.Type, kind spec.Kind) bool {
	switch t.Kind {
	case spec.Any, kind:
		return true
	case spec.Number:
		return kind == spec.Int
	case spec.Map:
		return kind == spec.Object
	default:
		return false
	}
}

func among(v any, list []any) bool {
	return slices.ContainsFunc(list, func(l any) bool { return SameLiteral(v, l) })
}

// SameLiteral reports whether a value is a literal of a type; numbers compare by value.
func SameLiteral(v, literal any) bool {
	if IsNumber(v) && IsNumber(literal) {
		order, ok := CompareLiterals(v, literal)
		return ok && order == 0
	}
	return reflect.DeepEqual(v, literal)
}

// CompareLiterals orders a value and a literal of a type: strings by their bytes, numbers
// exactly. A float, which is how hosts send numbers, stands for all the decimals that it is
// nearest to. ok is false where the two have no order.
func CompareLiterals(v, literal any) (order int, ok bool) {
	switch v := v.(type) {
	case string:
		l, ok := literal.(string)
		return cmp.Compare(v, l), ok
	case float64:
		if l, isLiteral := literal.(json.Number); isLiteral {
			f, _ := l.Float64() // infinite where it is beyond all floats
			return cmp.Compare(v, f), true
		}
	}
	return CompareNumbers(v, literal)
}
