package check

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// RemedyOf returns the default remedy for a code, for findings without a more
// specific one.
func RemedyOf(code string) string {
	switch code {
	case parse.CodeSyntax:
		return "Write an expression such as inputs.name, len(x) > 0, a ?? b or x == 1 ? \"a\" : \"b\"."
	case parse.CodeTooLarge:
		return "Make it smaller, or split the work into several steps."
	case types.CodeUnknownMember:
		return "Use a member that its type declares."
	case types.CodeMissingMember:
		return "Add the member, or use a value that has it."
	case types.CodeTypeMismatch:
		return "Use a value of the expected type."
	case types.CodeNotAllowed:
		return "Use a value that its type allows."
	case types.CodeNullUnguarded:
		return "Provide a default: x ?? \"\"."
	case CodeWrongArgument:
		return "Pass the arguments of its signature."
	case CodeUnknownFunction:
		return "Only functions can be called, by name."
	case CodeNeverEqual:
		return "Compare values that can be equal."
	case CodeBadRegexp:
		return "Use the syntax of RE2."
	case CodeLiteralTemplate:
		return "Join the parts: 'pet ' + id. Or end the expression before the text: \"pet ${id}\"."
	case CodeConstantFails:
		return "The expression has no references, so it fails whenever it is evaluated. Correct it."
	default:
		return ""
	}
}

// RemedyFor returns how to convert a value from one type to another, or "".
func RemedyFor(from, to *spec.Type) string {
	for _, variant := range to.Variants {
		if remedy := RemedyFor(from, variant); remedy != "" {
			return remedy
		}
	}
	switch {
	case types.IsString(to) && to.Nullable && from.Kind == spec.Bool:
		return "Say what it means: x ? 'what is wrong' : null."
	case types.IsString(to) && (types.IsNumeric(from) || from.Kind == spec.Bool):
		return "Convert it with string(…)."
	case types.IsString(to) && (from.Kind == spec.List || from.Kind == spec.Map || from.Kind == spec.Object):
		return "Convert it with jsonencode(…)."
	case to.Kind == spec.Int && from.Kind == spec.Number:
		return "Round it with int(…), round(…) or floor(…)."
	case to.Kind == spec.Int && types.IsString(from):
		return "Convert it with int(…)."
	case to.Kind == spec.Number && types.IsString(from):
		return "Convert it with float(…)."
	case to.Kind == spec.Bool:
		return "Write a comparison: x == \"yes\", x > 0, x != null."
	case to.Kind == spec.List:
		return "Write [x] for a list with one item."
	case to.Kind == spec.Map || to.Kind == spec.Object:
		return "Write {name: value, …}."
	default:
		return ""
	}
}

// RemedyForValue returns what to write instead of a literal that is not of the
// expected type.
func RemedyForValue(m *types.Mismatch, v any, want *spec.Type, named spec.Types) string {
	t := types.Present(types.Resolve(want, named), named)
	_, isText := v.(string)
	switch {
	case m.Path != "" || m.Code == types.CodeNullUnguarded:
		return ""
	case m.Code == types.CodeNotAllowed && len(t.Enum) > 0:
		return "Write one of them." // the message lists them all
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

// Meant returns the literal of a type that a wrong literal misspells, or "".
func Meant(m *types.Mismatch, v any, want *spec.Type, named spec.Types) string {
	given, ok := v.(string)
	if !ok || m.Path != "" || m.Code != types.CodeNotAllowed {
		return ""
	}
	return diag.DidYouMean(given, types.Texts(types.Present(types.Resolve(want, named), named).Enum))
}

// numberRemedy returns how to convert a value to a number.
func numberRemedy(t *spec.Type) string {
	if types.IsString(t) {
		return "Convert it with int(…) or float(…)."
	}
	return ""
}
