package check

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/types"
)

// findings are the diagnostics of one expression.
type findings struct {
	scope *Scope
	Types spec.Types
	place parse.Place
	// extents returns the extents of the parts of the expression.
	extents parse.Extents
	diags   diag.List
}

func (f *findings) report(sev diag.Severity, code string, e parse.Extent, detail, format string, args ...any) {
	detail = cmp.Or(detail, RemedyOf(code))
	f.diags = append(f.diags, diag.Diagnostic{
		Severity: sev, Code: code, Summary: fmt.Sprintf(format, args...), Detail: detail, Subject: f.place.At(e),
	})
}

// Fail reports an error, and returns the result for the invalid part.
func (f *findings) Fail(code string, e parse.Extent, detail, format string, args ...any) TypedPart {
	f.report(diag.Error, code, e, detail, format, args...)
	return TypedPart{T: types.Any(), At: e}
}

// FailMeaning reports an unknown name, and suggests the known one that was meant.
func (f *findings) FailMeaning(code string, e parse.Extent, given string, known []string, format string, args ...any) TypedPart {
	f.diags = append(f.diags, diag.Diagnostic{
		Severity: diag.Error, Code: code, Summary: fmt.Sprintf(format, args...), Subject: f.place.At(e),
	})
	last := f.last().Meant(given, known)
	last.Detail = cmp.Or(last.Detail, RemedyOf(code))
	return TypedPart{T: types.Any(), At: e}
}

// reportKeys reports the keys in an expression that the expected type does not have. It returns
// false if there are none.
func (f *findings) reportKeys(n ast.Node, want *spec.Type) (found bool) {
	for _, k := range parse.KeysOf(n, &f.extents) {
		last := len(k.Path) - 1
		if lacking, steps := types.Lacking(want, k.Path, f.Types, types.Declared(k.Path)); lacking != nil && steps == last {
			f.FailMeaning(types.CodeUnknownMember, k.At, k.Path[last], lacking.FieldNames(), "unknown member %q", k.Path[last])
			f.noteDeclared(lacking)
			found = true
		}
	}
	return found
}

// noteDeclared notes where the property that the last finding suggests is declared.
func (f *findings) noteDeclared(t *spec.Type) {
	for i, e := range f.last().Edits {
		if p := t.Field(e.Text); p != nil {
			f.last().Edits[i].Declared = p.Range
		}
	}
}

// last returns the last finding. It is valid until the next one.
func (f *findings) last() *diag.Diagnostic { return &f.diags[len(f.diags)-1] }

// Text returns the source of a part.
func (f *findings) Text(e parse.Extent) string {
	if e.From < 0 || e.To > len(f.extents.Source) || e.From > e.To {
		return ""
	}
	return string(f.extents.Source[e.From:e.To])
}

// NonNull returns the type of an operand without null, and reports an operand that
// may be null.
func (f *findings) NonNull(v TypedPart) *spec.Type { return f.nonNull(v, v.T) }

// nonNull is like NonNull. The default that it suggests has the type like, or that of the part.
func (f *findings) nonNull(v TypedPart, like *spec.Type) *spec.Type {
	t := types.Resolve(v.T, f.Types)
	if !types.MayBeNull(t, f.Types) {
		return t
	}
	if types.IsNull(t) {
		f.Fail(types.CodeNullUnguarded, v.At, "Use a value that is not null.", "null is used as a value")
		return types.Any()
	}
	if like == nil || !types.IsAny(types.Resolve(v.T, f.Types)) && !types.IsNumeric(like) {
		like = v.T
	}
	f.reportNull(v, like)
	return types.Resolve(types.Present(t, f.Types), f.Types)
}

func (f *findings) reportNull(v TypedPart, like *spec.Type) {
	text, example := f.Text(v.At), exampleOf(types.Resolve(like, f.Types))
	help := f.nullHelp(text)
	detail := cmp.Or(help, returnsHelp(text)+fmt.Sprintf("Use it only if it is not null (%s != null ? … : …), or provide a default (%s ?? %s).", text, text, example))
	f.report(diag.Error, types.CodeNullUnguarded, v.At, detail, "%s may be null", text)
	if text == "" || help != "" || f.place.IsInText() { // a default in a text, such as a path, would name something else
		return
	}
	with := text + " ?? " + strings.ReplaceAll(example, `"`, "'")
	if !f.isWhole(v.At) {
		with = "(" + with + ")"
	}
	f.last().Suggest(diag.Edit{At: f.place.At(v.At), Old: text, Text: with})
}

// CheckKey checks a literal key of a map, and reports whether the map can have it.
func (f *findings) CheckKey(at parse.Extent, t *spec.Type, key string) bool {
	bad := types.KeyFits(key, t)
	if bad == nil {
		return true
	}
	lower := strings.ToLower(key)
	if types.KeyFits(lower, t) != nil {
		f.Fail(types.CodeUnknownMember, at, "", "%q %s", key, bad.Reason)
		return false
	}
	f.Fail(types.CodeUnknownMember, at, fmt.Sprintf("Write %q.", lower), "%q is never there: the names are in lower case", key)
	f.last().Replace(key, lower)
	return false
}

// returnsHelp returns the remedy for a part of a response, which its declared type may lack.
func returnsHelp(text string) string {
	root, member, _ := strings.Cut(text, ".")
	if root != "result" && root != "body" && root != "steps" || member == "" || strings.ContainsAny(member, " ?()") {
		return ""
	}
	if member = member[strings.LastIndexByte(member, '.')+1:]; member == "body" {
		return "If the response always has one, declare its type: `returns: #Type`. "
	}
	return fmt.Sprintf("If it is always there, declare %s without ? in `returns`. ", member)
}

// isWhole reports whether a part is the whole expression, an argument, or in parentheses.
func (f *findings) isWhole(e parse.Extent) bool {
	before := strings.TrimRight(string(f.extents.Source[:max(e.From, 0)]), " ")
	after := strings.TrimLeft(string(f.extents.Source[min(e.To, len(f.extents.Source)):]), " ")
	return (before == "" || strings.ContainsAny(before[len(before)-1:], "(,")) && (after == "" || strings.ContainsAny(after[:1], "),"))
}

// nullHelp returns the scope's own remedy for a part that may be null, or "".
func (f *findings) nullHelp(text string) string {
	if f.scope == nil || f.scope.NullHelp == nil {
		return ""
	}
	return f.scope.NullHelp(text)
}

// isPath matches a name with its members.
var isPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][\w.]*$`) })

// requireBool reports a condition that is not a boolean.
func (f *findings) requireBool(v TypedPart, what string) {
	t := types.Resolve(types.Present(v.T, f.Types), f.Types)
	if types.IsAny(t) && types.MayBeNull(types.Resolve(v.T, f.Types), f.Types) {
		f.requireComparison(v, types.CodeNullUnguarded, f.Text(v.At)+" != null", "%s may be null, and %s must be a boolean", f.Text(v.At), what)
		return
	}
	if types.IsAny(t) || t.Kind == spec.Union || t.Kind == spec.Bool && !types.IsTime(t) {
		t = f.NonNull(v)
	}
	if types.IsAny(t) || t.Kind == spec.Bool && !types.IsTime(t) {
		return
	}
	text, condition := f.Text(v.At), ""
	switch {
	case types.MayBeNull(types.Resolve(v.T, f.Types), f.Types):
		condition = text + " != null"
	case types.IsString(t):
		condition = text + " != ''"
	case types.IsNumeric(t):
		condition = text + " != 0"
	case t.Kind == spec.List || t.Kind == spec.Map:
		condition = "len(" + text + ") > 0"
	}
	if condition == "" || text == "" {
		f.Fail(types.CodeTypeMismatch, v.At, "Write a comparison: x != null, x != \"\", len(x) > 0.", "%s must be a boolean, got %s", what, types.Describe(v.T))
		return
	}
	f.requireComparison(v, types.CodeTypeMismatch, condition, "%s must be a boolean, got %s", what, types.Describe(v.T))
}

// requireComparison reports a value in the place of a condition.
func (f *findings) requireComparison(v TypedPart, code, condition, format string, args ...any) {
	text := f.Text(v.At)
	f.Fail(code, v.At, "Write a comparison: "+condition+".", format, args...)
	if !isPath().MatchString(text) {
		return // an operand of it may bind less tightly
	}
	if before := strings.TrimRight(string(f.extents.Source[:max(v.At.From, 0)]), " "); strings.HasSuffix(before, "!") || strings.HasSuffix(before, "not") {
		condition = "(" + condition + ")"
	}
	f.last().Suggest(diag.Edit{At: f.place.At(v.At), Old: text, Text: condition})
}

// exampleOf returns an example of a value of a type.
func exampleOf(t *spec.Type) string {
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

// checkPattern checks a literal regular expression.
func (f *findings) checkPattern(n ast.Node, at parse.Extent) {
	if s, ok := n.(*ast.StringNode); ok {
		if _, err := types.Pattern(s.Value); err != nil {
			f.Fail(CodeBadRegexp, at, "The syntax is RE2, as in Go. In \"…\", write a backslash twice; in `…`, once.", "invalid regular expression: %v", err)
		}
	}
}

// Sortable checks that the keys by which items are sorted or grouped can be ordered.
func (f *findings) Sortable(name string, v TypedPart) {
	t := f.NonNull(v)
	if !types.IsAny(t) && !types.IsNumeric(t) && !types.IsString(t) && t.Kind != spec.Bool && !types.IsTime(t) && !types.IsNever(t) {
		f.Fail(CodeWrongArgument, v.At, "", "%s requires a scalar for each item, got %s", name, types.Describe(v.T))
	}
}

// UnknownMember reports a member that a type does not have.
func (f *findings) UnknownMember(at parse.Extent, t *spec.Type, name string, base TypedPart) {
	switch {
	case t.Kind == spec.Object && (name == "outputs" || name == "output" || name == "result"):
		whole := parse.Extent{From: base.At.To, To: at.To}
		if next := memberAfter(f.Text(parse.Extent{From: at.To, To: len(f.extents.Source)})); next != "" && t.Field("body") != nil && t.Field(next) == nil {
			f.Fail(types.CodeUnknownMember, at, fmt.Sprintf("The response is in body: write %s.body.%s.", f.Text(base.At), next), "%s has no member %q", f.Text(base.At), name)
			f.last().Suggest(diag.Edit{At: f.place.At(at), Old: name, Text: "body"})
			return
		}
		f.Fail(types.CodeUnknownMember, at, fmt.Sprintf("%s is the result itself. Leave out .%s.", f.Text(base.At), name), "%s has no member %q", f.Text(base.At), name)
		if f.Text(whole) == "."+name {
			f.last().Suggest(diag.Edit{At: f.place.At(whole), Old: "." + name})
		}
	case f.isOfResponse(at, t, name, base):
	case t.Kind == spec.Object:
		of := f.Text(base.At)
		if of == "." {
			of = "#" // the item, of which .name is short for #.name
		}
		f.FailMeaning(types.CodeUnknownMember, at, name, t.FieldNames(), "%s has no member %q", of, name)
		if len(t.Fields) == 0 {
			f.last().Detail = noneDeclared(of, name)
		}
		f.noteDeclared(t)
	case t.Kind == spec.Asset || t.Kind == spec.Archive:
		f.Fail(types.CodeUnknownMember, at, "It can only be passed to an action as a whole.", "%s is %s, which has no members", f.Text(base.At), types.Describe(t))
	default:
		f.Fail(types.CodeUnknownMember, at, "", "%s is %s, which has no member %q", f.Text(base.At), types.Describe(t), name)
	}
}

// noneDeclared returns the remedy for a member of something that is declared without members.
func noneDeclared(of, name string) string {
	switch of {
	case "inputs":
		return fmt.Sprintf("No inputs are declared here. Lists, methods and functions have inputs of their own: add `inputs: %s: string`.", name)
	case "config":
		return fmt.Sprintf("The spec has no settings. Add `config: %s: string`.", name)
	}
	return "It is declared without members."
}

// isOfResponse reports a member that the result of a request does not have, if it has it by another name, or its body has it.
func (f *findings) isOfResponse(at parse.Extent, t *spec.Type, name string, base TypedPart) bool {
	if t.Kind != spec.Object || t.Field("body") == nil || t.Field("status") == nil || diag.DidYouMean(name, t.FieldNames()) != "" {
		return false
	}
	own, remedy := foreign.ResultMember(name), "Write %s.%s."
	if own == "" {
		body := types.Present(types.Resolve(t.Field("body").Type, f.Types), f.Types)
		if !types.IsAny(body) && body.Field(name) == nil {
			return false
		}
		own, remedy = "body."+name, "The response is in body: write %s.%s."
	}
	f.Fail(types.CodeUnknownMember, at, fmt.Sprintf(remedy, f.Text(base.At), own), "%s has no member %q", f.Text(base.At), name)
	f.last().Replace(name, own)
	return true
}
