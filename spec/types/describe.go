package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/encode"
	"github.com/declprov/declprov/spec/lists"
)

// Describe returns a type for messages: `a string`, `"a" or "b"`, `a list of int`,
// `Rule`.
func Describe(t *spec.Type) string {
	if t == nil {
		return "any value"
	}
	text := describePresent(t)
	if t.Nullable && !IsNull(t) && !slices.Contains(t.Enum, nil) {
		text += " or null"
	}
	return text
}

func describePresent(t *spec.Type) string {
	switch {
	case t.Ref == TimeRef:
		return "a time"
	case t.Ref == DurationRef:
		return "a duration"
	case t.Ref != "":
		return t.Ref
	case IsNull(t):
		return "null"
	case len(t.Enum) > 0 && len(t.Enum) <= 5:
		return OneOf(t.Enum)
	}
	switch t.Kind {
	case spec.Bool, spec.Number, spec.String, spec.Map:
		return withElem("a "+t.Kind.String(), t)
	case spec.Object:
		return describeObject(t)
	case spec.Int, spec.Asset, spec.Archive:
		return "an " + t.Kind.String()
	case spec.List:
		return withElem("a list", t)
	case spec.Union:
		return describeUnion(t)
	default:
		return "any value"
	}
}

func withElem(text string, t *spec.Type) string {
	if t.Elem == nil || t.Elem.Kind == spec.Any && t.Elem.Ref == "" || IsNever(t.Elem) {
		return text
	}
	if t.Elem.Ref == "" && len(t.Elem.Enum) == 0 && t.Elem.Kind != spec.Union && t.Elem.Elem == nil {
		return text + " of " + t.Elem.Kind.String()
	}
	return text + " of " + describePresent(t.Elem)
}

func describeObject(t *spec.Type) string {
	names := t.FieldNames()
	if len(names) == 0 || len(names) > 4 {
		return "a struct"
	}
	return "a struct {" + strings.Join(names, ", ") + "}"
}

func describeUnion(t *spec.Type) string {
	if len(t.Variants) == 0 {
		return "nothing"
	}
	return strings.Join(lists.Map(t.Variants, describePresent), " or ")
}

// OneOf returns literals as a phrase: `"a", "b" or "c"`.
func OneOf(values []any) string {
	return diag.Or(lists.Map(values, DescribeValue))
}

// Texts returns literals as strings, without quotes.
func Texts(literals []any) []string {
	return lists.Map(literals, func(l any) string { return fmt.Sprint(l) })
}

// DescribeValue returns a literal as an author writes it, truncated to 60 characters.
func DescribeValue(v any) string {
	if s, ok := v.(string); ok && len(s) > 400 {
		v = s[:400] // avoids encoding text that is not shown
	}
	encoded, err := encode.JSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	text := string(encoded)
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:57]) + "…"
	}
	return text
}

// DescribeKind returns the kind of a plain value for messages.
func DescribeKind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case *spec.File:
		return "an asset"
	default:
		return "a number"
	}
}
