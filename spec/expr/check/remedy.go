package check

import (
	"fmt"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// RemedyOf returns the last resort of a finding that has nothing better to advise: an
// author is never left with a complaint alone.
func RemedyOf(code string) string {
	switch code {
	case parse.CodeSyntax:
		return "An expression reads like inputs.name, len(x) > 0, a ?? b or x == 1 ? \"a\" : \"b\"."
	case parse.CodeTooLarge:
		return "Make it smaller, or share the work among several steps."
	case types.CodeUnknownMember:
		return "Only what its type declares can be asked of it."
	case types.CodeMissingMember:
		return "Give it, or take what has it."
	case types.CodeTypeMismatch:
		return "Give a value of that type."
	case types.CodeNotAllowed:
		return "Give a value that the rule of its type allows."
	case types.CodeNullUnguarded:
		return "Say what stands in for null: x ?? \"\"."
	case CodeWrongArgument:
		return "Give it what its signature wants."
	case CodeUnknownFunction:
		return "Only functions are called, each by its name."
	case CodeNeverEqual:
		return "Compare values of one type that have something in common."
	case CodeBadRegexp:
		return "Patterns are those of RE2."
	case CodeConstantFails:
		return "The expression refers to nothing, so it fails whenever it is evaluated."
	default:
		return ""
	}
}

// RemedyFor returns how a value of one type becomes one of another, or "".
func RemedyFor(from, to *spec.Type) string {
	for _, variant := range to.Variants {
		if remedy := RemedyFor(from, variant); remedy != "" {
			return remedy
		}
	}
	switch {
	case types.IsString(to) && (types.IsNumeric(from) || from.Kind == spec.Bool):
		return "Turn it into text with string(…)."
	case types.IsString(to) && (from.Kind == spec.List || from.Kind == spec.Map || from.Kind == spec.Object):
		return "Turn it into text with jsonencode(…)."
	case to.Kind == spec.Int && from.Kind == spec.Number:
		return "Make it whole with int(…), round(…) or floor(…)."
	case to.Kind == spec.Int && types.IsString(from):
		return "Read it with int(…)."
	case to.Kind == spec.Number && types.IsString(from):
		return "Read it with float(…)."
	case to.Kind == spec.Bool:
		return "Compare it with something: x == \"yes\", x > 0, x != null."
	case to.Kind == spec.List:
		return "Write [x] for a list of one."
	case to.Kind == spec.Map || to.Kind == spec.Object:
		return "Write {name: value, …}."
	default:
		return ""
	}
}

// RemedyForValue returns what to write in the place of a value that is written
// down, and not of the type that is wanted.
func RemedyForValue(m *types.Mismatch, v any, want *spec.Type, named spec.Types) string {
	t := types.Present(types.Resolve(want, named), named)
	_, isText := v.(string)
	switch {
	case m.Path != "" || m.Code == types.CodeNullUnguarded:
		return ""
	case m.Code == types.CodeNotAllowed && len(t.Enum) > 0:
		// The message has named them all.
		if name := diag.DidYouMean(fmt.Sprint(v), texts(t.Enum)); name != "" {
			return fmt.Sprintf("Did you mean %q?", name)
		}
		return "Write one of them."
	case m.Code == types.CodeNotAllowed:
		return ""
	case t.Kind == spec.Bool && isText:
		return "Write true or false, without quotes."
	case types.IsNumeric(t) && isText:
		return "Write the number without quotes."
	case types.IsString(t) && v != nil && !isText:
		return "Write it in quotes."
	case t.Kind == spec.Bool:
		return "Write true or false."
	case types.IsNumeric(t):
		return "Write a number."
	case t.Kind == spec.List:
		return "Write [ … ], also around a single item."
	case t.Kind == spec.Map || t.Kind == spec.Object:
		return "Write {name: value, …}."
	}
	return ""
}

// texts returns literals as an author would compare them with a misspelt one.
func texts(list []any) []string {
	out := make([]string, len(list))
	for i, l := range list {
		out[i] = fmt.Sprint(l)
	}
	return out
}

// numberRemedy returns how a number is got of what is none.
func numberRemedy(t *spec.Type) string {
	if types.IsString(t) {
		return "Read the number with int(…) or float(…)."
	}
	return ""
}
