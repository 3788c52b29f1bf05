package typing

import (
	"encoding/json"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/types"
)

// accepts reports whether a type allows a literal, as far as scalars go; the
// insides of lists and structs are CUE's to check.
func accepts(t *spec.Type, v any) bool {
	if v == nil {
		return t.Nullable || t.Kind == spec.Any
	}
	if len(t.Enum) > 0 {
		return slices.ContainsFunc(t.Enum, func(e any) bool { return sameLiteral(e, v) })
	}
	if slices.ContainsFunc(t.Not, func(e any) bool { return sameLiteral(e, v) }) {
		return false
	}
	switch v := v.(type) {
	case bool:
		return t.Kind == spec.Any || t.Kind == spec.Bool
	case string:
		return (t.Kind == spec.Any || t.Kind == spec.String) && acceptsText(t, v)
	case json.Number:
		return acceptsNumber(t, v)
	case []any:
		return (t.Kind == spec.Any || t.Kind == spec.List) && acceptsCount(t, len(v))
	case map[string]any:
		return (t.Kind == spec.Any || t.Kind == spec.Map || t.Kind == spec.Object) && acceptsCount(t, len(v))
	default:
		return false
	}
}

func acceptsCount(t *spec.Type, n int) bool {
	return n >= t.MinLen && (t.MaxLen == nil || n <= *t.MaxLen)
}

func acceptsText(t *spec.Type, s string) bool {
	for _, p := range t.Patterns {
		re, err := regexp.Compile(p.Regexp)
		if err == nil && re.MatchString(s) == p.Negated {
			return false
		}
	}
	return acceptsCount(t, utf8.RuneCountInString(s)) && withinBounds(t, s)
}

func acceptsNumber(t *spec.Type, n json.Number) bool {
	switch t.Kind {
	case spec.Any, spec.Number:
	case spec.Int:
		if r, ok := new(big.Rat).SetString(n.String()); !ok || !r.IsInt() {
			return false
		}
	default:
		return false
	}
	if t.MultipleOf != "" && !types.IsMultiple(n, t.MultipleOf) {
		return false
	}
	return withinBounds(t, n)
}

func withinBounds(t *spec.Type, v any) bool {
	if t.Min != nil {
		if c := compareLiterals(v, t.Min.Value); c < 0 || c == 0 && t.Min.Exclusive {
			return false
		}
	}
	if t.Max != nil {
		if c := compareLiterals(v, t.Max.Value); c > 0 || c == 0 && t.Max.Exclusive {
			return false
		}
	}
	return true
}

// compareLiterals orders numbers by value and text by its bytes; what cannot be
// compared is equal.
func compareLiterals(a, b any) int {
	switch x := a.(type) {
	case json.Number:
		if y, ok := b.(json.Number); ok {
			p, ok1 := new(big.Rat).SetString(x.String())
			q, ok2 := new(big.Rat).SetString(y.String())
			if ok1 && ok2 {
				return p.Cmp(q)
			}
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
	}
	return 0
}

func sameLiteral(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		return ok && compareLiterals(x, y) == 0
	}
	return reflect.DeepEqual(a, b)
}
