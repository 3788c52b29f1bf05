package expr

import (
	"cmp"
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// findings are what is wrong with one expression, each at its place.
type findings struct {
	scope *Scope
	types spec.Types
	place parse.Place
	// extents measures the parts of the expression.
	extents parse.Extents
	diags   diag.List
}

func (f *findings) report(sev diag.Severity, code string, e parse.Extent, detail, format string, args ...any) {
	detail = cmp.Or(detail, remedyOf(code))
	f.diags = append(f.diags, diag.Diagnostic{
		Severity: sev, Code: code, Summary: fmt.Sprintf(format, args...), Detail: detail, Subject: f.place.At(e),
	})
}

// fail reports an error, and gives what stands in for the faulty part.
func (f *findings) fail(code string, e parse.Extent, detail, format string, args ...any) typed {
	f.report(diag.Error, code, e, detail, format, args...)
	return typed{t: types.Any(), at: e}
}

// text is a part's source.
func (f *findings) text(e parse.Extent) string {
	if e.From < 0 || e.To > len(f.extents.Source) || e.From > e.To {
		return ""
	}
	return string(f.extents.Source[e.From:e.To])
}

// nonNull is the operand's type without null, which is reported.
func (f *findings) nonNull(v typed) *spec.Type {
	t := types.Resolve(v.t, f.types)
	if !types.MayBeNull(t, f.types) {
		return t
	}
	if types.IsNull(t) {
		f.fail(types.CodeNullUnguarded, v.at, "Nothing can be done with null here.", "null is used as a value")
		return types.Any()
	}
	f.nullFault(v)
	return types.Resolve(types.Present(t, f.types), f.types)
}

func (f *findings) nullFault(v typed) {
	text := f.text(v.at)
	detail := fmt.Sprintf("Say what stands in for it (%s ?? %s), or use it only where it is there (%s != null ? … : …).",
		text, standIn(types.Resolve(v.t, f.types)), text)
	detail = cmp.Or(f.nullHelp(text), detail)
	f.report(diag.Error, types.CodeNullUnguarded, v.at, detail, "%s may be null", text)
}

// nullHelp is what the scope knows to do about a part that may be null.
func (f *findings) nullHelp(text string) string {
	if f.scope == nil || f.scope.NullHelp == nil {
		return ""
	}
	return f.scope.NullHelp(text)
}

func (f *findings) wantBool(v typed, what string) {
	t := f.nonNull(v)
	if !types.IsAny(t) && (t.Kind != spec.Bool || types.IsTime(t)) {
		f.fail(types.CodeTypeMismatch, v.at, "Compare it with something: x != null, x != \"\", len(x) > 0.", "%s must be true or false, and this is %s", what, types.Describe(v.t))
	}
}

// standIn is an example of a value of a type.
func standIn(t *spec.Type) string {
	switch {
	case t.Kind == spec.Bool:
		return "false"
	case types.IsNumeric(t):
		return "0"
	case t.Kind == spec.List:
		return "[]"
	case t.Kind == spec.Map || t.Kind == spec.Object:
		return "{}"
	default:
		return `""`
	}
}

// pattern checks a literal regular expression.
func (f *findings) pattern(n ast.Node, at parse.Extent) {
	if s, ok := n.(*ast.StringNode); ok {
		if _, err := types.Pattern(s.Value); err != nil {
			f.fail(CodeBadRegexp, at, "The syntax is RE2, as in Go. In \"…\" a backslash is written twice; in `…` once.", "this is no regular expression: %v", err)
		}
	}
}

// sortable checks that what items are sorted or grouped by has an order.
func (f *findings) sortable(name string, v typed) {
	t := f.nonNull(v)
	if !types.IsAny(t) && !types.IsNumeric(t) && !types.IsString(t) && t.Kind != spec.Bool && !types.IsTime(t) && !types.IsNever(t) {
		f.fail(CodeWrongArgument, v.at, "", "%s needs a scalar of each item, and this is %s", name, types.Describe(v.t))
	}
}

func (f *findings) unknownMember(at parse.Extent, t *spec.Type, name string, base typed) {
	switch {
	case t.Kind == spec.Object:
		f.fail(types.CodeUnknownMember, at, diag.Remedy(name, t.FieldNames()), "%s has no member %q", f.text(base.at), name)
	case t.Kind == spec.Asset || t.Kind == spec.Archive:
		f.fail(types.CodeUnknownMember, at, "It can only be handed to an action as a whole.", "%s is %s, which has no members", f.text(base.at), types.Describe(t))
	default:
		f.fail(types.CodeUnknownMember, at, "", "%s is %s, which has no member %q", f.text(base.at), types.Describe(t), name)
	}
}
