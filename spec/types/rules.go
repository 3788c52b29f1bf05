package types

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
)

// Breach is a rule of a type that a value breaks.
type Breach struct {
	// Must is the rule as it reads after the name of the value: "must be at least 3".
	Must string
	// Unlisted means that the value is not one of the literals in the enum. It is
	// then the only breach that is reported.
	Unlisted bool
}

// Breaches returns the rules for scalars of a resolved type that v breaks: literals,
// bounds, multiples, lengths and patterns. All checks share it: those of the defaults
// of a document, of the constants in expressions, and of the values of a user's
// program.
//
// keeps reports whether a string satisfies a pattern, given by its index in the type.
// nil means keepsPattern.
func Breaches(v any, t *spec.Type, keeps func(s string, pattern int) bool) (broken []Breach) {
	must := func(format string, args ...any) {
		broken = append(broken, Breach{Must: "must " + fmt.Sprintf(format, args...)})
	}
	if len(t.Enum) > 0 && !containsLiteral(v, t.Enum) {
		return []Breach{{Must: "must be " + OneOf(t.Enum), Unlisted: true}}
	}
	for _, literal := range t.Not {
		if SameLiteral(v, literal) {
			must("not be %s", DescribeValue(literal))
		}
	}
	if s, ok := v.(string); ok {
		broken = append(broken, textBreaches(s, t, keeps)...)
	}
	if b := t.Min; b != nil {
		if order, ok := CompareLiterals(v, b.Value); ok && (order < 0 || order == 0 && b.Exclusive) {
			must("%s %s", describeBound(b, "at least", "more than", "after"), DescribeValue(b.Value))
		}
	}
	if b := t.Max; b != nil {
		if order, ok := CompareLiterals(v, b.Value); ok && (order > 0 || order == 0 && b.Exclusive) {
			must("%s %s", describeBound(b, "at most", "less than", "before"), DescribeValue(b.Value))
		}
	}
	if t.MultipleOf != "" && IsNumber(v) && !IsMultiple(LiteralNumber(v), t.MultipleOf) {
		must("be a multiple of %s", t.MultipleOf)
	}
	return broken
}

// textBreaches returns the rules about lengths and patterns that a string breaks.
func textBreaches(s string, t *spec.Type, keeps func(s string, pattern int) bool) (broken []Breach) {
	if wrong := WrongCount(utf8.RuneCountInString(s), "characters", t); wrong != "" {
		broken = append(broken, Breach{Must: wrong})
	}
	for i, p := range t.Patterns {
		switch kept := keeps == nil && keepsPattern(s, p) || keeps != nil && keeps(s, i); {
		case kept:
		case p.Means != "":
			broken = append(broken, Breach{Must: "must be " + p.Means})
		case p.Negated:
			broken = append(broken, Breach{Must: "must not match " + p.Regexp})
		default:
			broken = append(broken, Breach{Must: "must match " + p.Regexp})
		}
	}
	return broken
}

// describeBound returns a bound as it reads after "must".
func describeBound(b *spec.Bound, inclusive, exclusive, side string) string {
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

// WrongCount returns why a value cannot have n characters, items or entries, or "".
func WrongCount(n int, of string, t *spec.Type) string {
	switch {
	case n < t.MinLen:
		return fmt.Sprintf("must have at least %d %s, got %d", t.MinLen, of, n)
	case t.MaxLen != nil && n > *t.MaxLen:
		return fmt.Sprintf("must have at most %d %s, got %d", *t.MaxLen, of, n)
	default:
		return ""
	}
}

// keepsPattern reports whether a string matches a pattern, or does not match a
// negated one.
func keepsPattern(s string, p spec.Pattern) bool {
	re, err := patternOnce(p.Regexp)
	return err != nil || re.MatchString(s) != p.Negated
}

// patterns are the compiled patterns of declared types, of which a spec has few: to compile one takes longer
// than to compare most strings with it.
var (
	patterns    sync.Map
	patternsLen atomic.Int64
)

// maxPatterns bounds patterns, for processes that read many specs.
const maxPatterns = 1000

// patternOnce is Pattern for a pattern that is part of a type.
func patternOnce(text string) (*budget.Regexp, error) {
	if re, ok := patterns.Load(text); ok {
		return re.(*budget.Regexp), nil
	}
	re, err := Pattern(text)
	if err == nil && patternsLen.Add(1) <= maxPatterns {
		patterns.Store(text, re)
	}
	return re, err
}

// Takes reports whether a type that is not a union has values of a kind, as
// Shape.Kind returns it.
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

func containsLiteral(v any, list []any) bool {
	return slices.ContainsFunc(list, func(l any) bool { return SameLiteral(v, l) })
}

// SameLiteral reports whether a value equals a literal. Numbers compare by value.
func SameLiteral(v, literal any) bool {
	if IsNumber(v) && IsNumber(literal) {
		order, ok := CompareLiterals(v, literal)
		return ok && order == 0
	}
	return reflect.DeepEqual(v, literal)
}

// CompareLiterals compares a value with a literal of a type: strings by their bytes,
// numbers exactly. A float, which is how hosts send numbers, equals every decimal
// that rounds to it. ok is false if the two cannot be compared.
func CompareLiterals(v, literal any) (order int, ok bool) {
	switch v := v.(type) {
	case string:
		l, ok := literal.(string)
		return cmp.Compare(v, l), ok
	case float64:
		if l, isLiteral := literal.(json.Number); isLiteral {
			f, _ := l.Float64() // infinite if it exceeds the largest float
			return cmp.Compare(v, f), true
		}
	}
	return CompareNumbers(v, literal)
}
