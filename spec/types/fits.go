package types

import (
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
)

// Fits returns why a constant is not a value of a type, or nil.
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
		return &Mismatch{Reason: "must be " + Describe(t) + ", got null", Code: CodeNullUnguarded}
	}
	if t.Kind == spec.Union {
		return fitsUnion(v, t, types, depth)
	}
	if !Takes(t, ShapeOf(v, nil).Kind()) {
		return wrongKind(v, t)
	}
	switch v := v.(type) {
	case []any:
		return fitsList(v, t, types, depth)
	case map[string]any:
		if t.Kind == spec.Map {
			return fitsMap(v, t, types, depth)
		}
		return fitsObject(v, t, types, depth)
	default:
		for _, b := range Breaches(v, t, nil) {
			return notAllowed("is %s, but %s", DescribeValue(v), b.Must)
		}
		return nil
	}
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

// CountFits returns why a list or a map of type t cannot have n items or entries, or
// nil.
func CountFits(n int, of string, t *spec.Type) *Mismatch {
	if wrong := WrongCount(n, of, t); wrong != "" {
		return notAllowed("%s", wrong)
	}
	return nil
}

func fitsList(list []any, t *spec.Type, types spec.Types, depth int) *Mismatch {
	for i, item := range list {
		if m := fits(item, t.Elem, types, depth+1); m != nil {
			return m.at(index(i))
		}
		if t.Unique && containsLiteral(item, list[:i]) {
			return notAllowed("must have distinct items, got %s twice", DescribeValue(item))
		}
	}
	return CountFits(len(list), "items", t)
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
	return CountFits(len(m), "entries", t)
}

// KeyFits returns why key is not a valid key of a map of type t, or nil.
func KeyFits(key string, t *spec.Type) *Mismatch {
	for _, k := range t.Keys {
		if re, err := Pattern(k); err == nil && !re.MatchString(key) {
			return notAllowed("is not a valid key: keys must match %s", k)
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

// maxPattern is the maximum length of a regular expression in bytes.
const maxPattern = 1 << 10

// Pattern compiles a regular expression, of at most maxPattern bytes.
func Pattern(text string) (*budget.Regexp, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	return budget.Compile(text)
}
