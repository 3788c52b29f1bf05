package types

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
)

// Fits returns why a value that is known before anything runs is not of a type, or nil.
func Fits(v any, t *spec.Type, types spec.Types) *Mismatch { return fits(v, t, types, 0) }

func fits(v any, t *spec.Type, types spec.Types, depth int) *Mismatch {
	if t == nil || depth > maxAssignDepth {
		return nil
	}
	nullOK := MayBeNull(t, types)
	t = Resolve(t, types)
	switch {
	case v == nil && nullOK, IsAny(t):
		return nil
	case v == nil:
		return &Mismatch{Reason: "is null, and " + Wanted(t) + " is wanted", Code: CodeNullUnguarded}
	}
	if t.Kind == spec.Union {
		return fitsUnion(v, t, types, depth)
	}
	if m := fitsKind(v, t, types, depth); m != nil {
		return m
	}
	if len(t.Enum) > 0 && !among(v, t.Enum) {
		return notAllowed("is %s, and must be %s", DescribeValue(v), OneOf(t.Enum))
	}
	if among(v, t.Not) {
		return notAllowed("must not be %s", DescribeValue(v))
	}
	return nil
}

func fitsUnion(v any, t *spec.Type, types spec.Types, depth int) *Mismatch {
	if members, ok := v.(map[string]any); ok && members[t.Tag] != nil {
		if i := Variant(t, ShapeOf(v, nil), types); i >= 0 {
			return fits(v, t.Variants[i], types, depth+1)
		}
	}
	var best *Mismatch
	for _, variant := range t.Variants {
		m := fits(v, variant, types, depth+1)
		if m == nil {
			return nil
		}
		if m.Path != "" || m.Code == CodeNotAllowed {
			best = m
		}
	}
	if best != nil {
		return best
	}
	return wrongKind(v, t)
}

func fitsKind(v any, t *spec.Type, types spec.Types, depth int) *Mismatch {
	ok := false
	switch t.Kind {
	case spec.Bool:
		_, ok = v.(bool)
	case spec.Int:
		if !IsNumber(v) {
			break
		}
		if r := Exact(v); r != nil && !r.IsInt() {
			return &Mismatch{Reason: "is " + NumberText(v) + ", and int is wanted", Code: CodeTypeMismatch}
		}
		return fitsBounds(v, t)
	case spec.Number:
		if IsNumber(v) {
			return fitsBounds(v, t)
		}
	case spec.String:
		if s, is := v.(string); is {
			return fitsText(s, t)
		}
	case spec.List:
		if list, is := v.([]any); is {
			return fitsList(list, t, types, depth)
		}
	case spec.Map:
		if m, is := v.(map[string]any); is {
			return fitsMap(m, t, types, depth)
		}
	case spec.Object:
		if m, is := v.(map[string]any); is {
			return fitsObject(m, t, types, depth)
		}
	case spec.Asset, spec.Archive:
		_, ok = v.(*spec.File)
	}
	if ok {
		return nil
	}
	return wrongKind(v, t)
}

func among(v any, list []any) bool {
	for _, o := range list {
		if sameValue(v, o) {
			return true
		}
	}
	return false
}

// sameValue compares literals; numbers by value.
func sameValue(a, b any) bool {
	if IsNumber(a) && IsNumber(b) {
		order, ok := CompareNumbers(a, b)
		return ok && order == 0
	}
	return reflect.DeepEqual(a, b)
}

func fitsBounds(v any, t *spec.Type) *Mismatch {
	if m := bounded(v, t); m != nil {
		return m
	}
	if t.MultipleOf != "" && !IsMultiple(LiteralNumber(v), t.MultipleOf) {
		return notAllowed("is %s, and must be a multiple of %s", DescribeValue(v), t.MultipleOf)
	}
	return nil
}

func bounded(v any, t *spec.Type) *Mismatch {
	if b := t.Min; b != nil {
		if order, ok := compareLiterals(v, b.Value); ok && (order < 0 || order == 0 && b.Exclusive) {
			return notAllowed("is %s, and must be %s %s", DescribeValue(v), comparison("at least", "more than", b), DescribeValue(b.Value))
		}
	}
	if b := t.Max; b != nil {
		if order, ok := compareLiterals(v, b.Value); ok && (order > 0 || order == 0 && b.Exclusive) {
			return notAllowed("is %s, and must be %s %s", DescribeValue(v), comparison("at most", "less than", b), DescribeValue(b.Value))
		}
	}
	return nil
}

func comparison(inclusive, exclusive string, b *spec.Bound) string {
	if b.Exclusive {
		return exclusive
	}
	return inclusive
}

func compareLiterals(a, b any) (int, bool) {
	if x, ok := a.(string); ok {
		y, ok := b.(string)
		return cmp.Compare(x, y), ok
	}
	return CompareNumbers(a, b)
}

func fitsText(s string, t *spec.Type) *Mismatch {
	if m := LengthFits(utf8.RuneCountInString(s), "characters", t); m != nil {
		return m
	}
	for _, p := range t.Patterns {
		re, err := Pattern(p.Regexp)
		if err != nil || re.MatchString(s) != p.Negated {
			continue
		}
		if p.Negated {
			return notAllowed("is %s, and must not match %s", DescribeValue(s), p.Regexp)
		}
		return notAllowed("is %s, and must match %s", DescribeValue(s), p.Regexp)
	}
	return bounded(s, t)
}

// LengthFits returns why a value cannot have so many characters, items or entries, or nil.
func LengthFits(n int, of string, t *spec.Type) *Mismatch {
	switch {
	case n < t.MinLen:
		return notAllowed("has %d %s, and must have at least %d", n, of, t.MinLen)
	case t.MaxLen != nil && n > *t.MaxLen:
		return notAllowed("has %d %s, and must have at most %d", n, of, *t.MaxLen)
	default:
		return nil
	}
}

func fitsList(list []any, t *spec.Type, types spec.Types, depth int) *Mismatch {
	for i, item := range list {
		if m := fits(item, t.Elem, types, depth+1); m != nil {
			return m.at(index(i))
		}
		if t.Unique && among(item, list[:i]) {
			return notAllowed("holds %s twice, and its items must differ", DescribeValue(item))
		}
	}
	return LengthFits(len(list), "items", t)
}

func fitsMap(m map[string]any, t *spec.Type, types spec.Types, depth int) *Mismatch {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if bad := KeyFits(key, t); bad != nil {
			return bad.at(key)
		}
		if bad := fits(m[key], t.Elem, types, depth+1); bad != nil {
			return bad.at(key)
		}
	}
	return LengthFits(len(m), "entries", t)
}

// KeyFits returns why a key cannot be in a map.
func KeyFits(key string, t *spec.Type) *Mismatch {
	for _, k := range t.Keys {
		if re, err := Pattern(k); err == nil && !re.MatchString(key) {
			return notAllowed("is no key here: keys must match %s", k)
		}
	}
	return nil
}

func fitsObject(m map[string]any, t *spec.Type, types spec.Types, depth int) *Mismatch {
	for _, p := range t.Fields {
		v, given := m[p.Name]
		if !p.Required && v == nil {
			continue
		}
		if !given {
			return (&Mismatch{Reason: "is missing", Code: CodeMissingMember}).at(p.Name)
		}
		if bad := fits(v, p.Type, types, depth+1); bad != nil {
			return bad.at(p.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if t.Field(key) != nil {
			continue
		}
		if !t.Open {
			return (&Mismatch{Reason: "is not part of " + Describe(t), Code: CodeUnknownMember}).at(key)
		}
		if bad := KeyFits(key, t); bad != nil {
			return bad.at(key)
		}
		if bad := fits(m[key], t.Elem, types, depth+1); bad != nil {
			return bad.at(key)
		}
	}
	return nil
}

// maxPattern is the most bytes of a regular expression.
const maxPattern = 1 << 10

// Pattern compiles a regular expression, of at most maxPattern bytes.
func Pattern(text string) (*budget.Regexp, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	return budget.Compile(text)
}
