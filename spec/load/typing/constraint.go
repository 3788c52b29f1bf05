package typing

import (
	"encoding/json"
	"fmt"
	regexps "regexp/syntax"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/stable"
)

// maxRegexp is the maximum length of a regular expression. The time of RE2 grows with
// the product of this length and the length of the input.
const maxRegexp = 1024

// boundType returns the type of a bound such as `>=1`, `!="x"` or `=~"^a"`.
func (x *Extractor) boundType(it walk.Item, op cue.Op, args []cue.Value, s Site) *spec.Type {
	t := &spec.Type{}
	if len(args) != 1 || !args[0].IsConcrete() {
		x.Report(source.CodeCrossField, it.At, s.Place, "a bound must be a literal", "Write a rule over several inputs as a check: checks: [{assert: \"${inputs.min <= inputs.max}\", message: \"…\"}].")
		return t
	}
	value := plainValue(args[0])
	switch value.(type) {
	case json.Number:
		t.Kind = spec.Number
	case string:
		t.Kind = spec.String
	case nil:
	default:
		x.Report(source.CodeUnsupportedType, it.At, s.Place, "only numbers and strings can have bounds", "For other literals, write an enum: true | false.")
		return t
	}
	switch op {
	case cue.LessThanOp, cue.LessThanEqualOp:
		t.Max = &spec.Bound{Value: value, Exclusive: op == cue.LessThanOp}
	case cue.GreaterThanOp, cue.GreaterThanEqualOp:
		t.Min = &spec.Bound{Value: value, Exclusive: op == cue.GreaterThanOp}
	case cue.NotEqualOp:
		if value == nil {
			return t // no type allows null without `null |`
		}
		t.Not = []any{value}
		if t.Kind == spec.Number {
			t.Kind = spec.Any
		}
	case cue.RegexMatchOp, cue.NotRegexMatchOp:
		x.addPattern(it, t, value, op == cue.NotRegexMatchOp, s)
	}
	return t
}

// addPattern adds a regular expression to a type.
func (x *Extractor) addPattern(it walk.Item, t *spec.Type, value any, negated bool, s Site) {
	text, ok := value.(string)
	if !ok {
		x.Report(source.CodeBadRegexp, it.At, s.Place, "a regular expression must be a string", `Write it in quotes: =~"^[a-z]+$".`)
		return
	}
	if len(text) > maxRegexp {
		x.Report(source.CodeBadRegexp, it.At, s.Place, fmt.Sprintf("the regular expression is longer than %d bytes", maxRegexp), "Split it into several expressions, or write it as checks: […].")
		return
	}
	if _, err := budget.Compile(text); err != nil {
		x.Report(source.CodeBadRegexp, it.At, s.Place, err.Error(), regexpRemedy(err))
		return
	}
	t.Patterns = []spec.Pattern{{Regexp: text, Negated: negated}}
}

// regexpRemedy returns the remedy for an invalid regular expression.
func regexpRemedy(err error) string {
	for code, remedy := range stable.All(map[regexps.ErrorCode]string{
		regexps.ErrInvalidPerlOp:     "The syntax is RE2, without backreferences and look-ahead.",
		regexps.ErrInvalidEscape:     "The syntax is RE2, without backreferences, and with few escapes, such as \\d, \\w, \\s and \\pL.",
		regexps.ErrInvalidRepeatSize: "A repetition, multiplied by the repetitions within it, is limited to 1000. Limit the length with strings.MaxRunes, or repeat with * or +.",
	}) {
		if strings.HasPrefix(err.Error(), string(code)) {
			return remedy
		}
	}
	if strings.HasPrefix(err.Error(), "its repetitions") {
		return "Limit the length with strings.MaxRunes, or repeat with * or +."
	}
	return `Correct it. Before a special character that matches itself, write a backslash, which is two in quotes: =~"^a\\.b$".`
}

// validatorType returns the type of a validator call such as strings.MinRunes(2).
func (x *Extractor) validatorType(it walk.Item, v cue.Value, args []cue.Value, s Site) *spec.Type {
	name := libraryValue(it)
	if name == "" {
		name = callName(it.Expr, v, args)
	}
	if v.IsConcrete() && v.Err() == nil { // CUE evaluated the call
		return x.plainType(it, v, s)
	}
	var n int64
	var err error
	if len(args) > 1 {
		n, err = args[1].Int64()
	}
	count := func() int { return int(min(max(n, 0), 1<<31-1)) }
	limit := func() *int { c := count(); return &c }
	numeric := err == nil && len(args) > 1
	switch {
	case name == "list.UniqueItems":
		return &spec.Type{Kind: spec.List, Unique: true}
	case !numeric && knownValidators[name]:
		if name == "math.MultipleOf" && len(args) > 1 && args[1].IsConcrete() {
			return &spec.Type{Kind: spec.Number, MultipleOf: fmt.Sprint(plainValue(args[1]))}
		}
		x.Report(source.CodeCrossField, it.At, s.Place, name+" requires a literal number", "Limits are fixed when the spec is loaded. Write the number.")
	case name == "strings.MinRunes":
		return &spec.Type{Kind: spec.String, MinLen: count()}
	case name == "strings.MaxRunes":
		return &spec.Type{Kind: spec.String, MaxLen: limit()}
	case name == "list.MinItems":
		return &spec.Type{Kind: spec.List, MinLen: count()}
	case name == "list.MaxItems":
		return &spec.Type{Kind: spec.List, MaxLen: limit()}
	case name == "struct.MinFields":
		return &spec.Type{Kind: spec.Map, MinLen: count()}
	case name == "struct.MaxFields":
		return &spec.Type{Kind: spec.Map, MaxLen: limit()}
	case name == "math.MultipleOf":
		return &spec.Type{Kind: spec.Number, MultipleOf: strconv.FormatInt(n, 10)}
	default:
		if x.Broken(it, s.Place) {
			break
		}
		x.Report(source.CodeUnsupportedType, it.At, s.Place, fmt.Sprintf("%s cannot be part of a property's type", name),
			"Supported are strings.MinRunes and MaxRunes, list.MinItems, MaxItems and UniqueItems, struct.MinFields and MaxFields, math.MultipleOf. For other rules, use a regular expression (=~) or checks: […].")
	}
	return &spec.Type{}
}

var knownValidators = map[string]bool{
	"strings.MinRunes": true, "strings.MaxRunes": true, "list.MinItems": true, "list.MaxItems": true,
	"struct.MinFields": true, "struct.MaxFields": true, "math.MultipleOf": true,
}

// libraryValue returns the name of a validator of CUE's library that is used without
// a call, such as net.IPv4, or "".
func libraryValue(it walk.Item) string {
	sel, ok := it.Expr.(*ast.SelectorExpr)
	if !ok || it.Value.IsConcrete() {
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok || strings.Contains(strings.SplitN(spec.Path.Value, "/", 2)[0], ".") {
		return ""
	}
	name, _, _ := ast.LabelName(sel.Sel)
	return importName(spec) + "." + name
}

// callName returns the name of the called function as it is written.
func callName(e ast.Expr, v cue.Value, args []cue.Value) string {
	if src, ok := v.Source().(*ast.CallExpr); ok {
		e = src
	}
	if call, ok := e.(*ast.CallExpr); ok {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			pkg, _ := sel.X.(*ast.Ident)
			name, _, _ := ast.LabelName(sel.Sel)
			if pkg != nil {
				if spec, ok := pkg.Node.(*ast.ImportSpec); ok {
					return importName(spec) + "." + name
				}
				return pkg.Name + "." + name
			}
		}
	}
	if len(args) > 0 {
		return fmt.Sprint(args[0])
	}
	return "the call"
}

func importName(s *ast.ImportSpec) string {
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return s.Path.Value
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

// conjunctionType returns the type of `A & B`, or of several declarations of one field.
func (x *Extractor) conjunctionType(it walk.Item, v cue.Value, args []cue.Value, s Site) *spec.Type {
	if onlyStructs(args) {
		return x.plainType(it, v, s)
	}
	if k := v.IncompleteKind(); k == cue.BottomKind && !hasCall(args) {
		x.Broken(it, s.Place)
		return &spec.Type{}
	}
	if v.IsConcrete() && v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		return x.plainType(it, v, s)
	}
	t := &spec.Type{}
	for _, a := range args {
		part := x.Part(it, a)
		next := x.inline(x.Type(part, s.deeper()))
		merged, problem := mergeTypes(t, next)
		if problem != "" {
			x.Report(source.CodeConflict, part.At, s.Place, problem, "Correct or remove one of them.")
			return t
		}
		t = merged
	}
	return t
}

// onlyStructs reports whether all operands are structs, which CUE unifies itself.
func onlyStructs(args []cue.Value) bool {
	for _, a := range args {
		op, _ := a.Expr()
		if a.IncompleteKind() != cue.StructKind || op == cue.OrOp || hasCall([]cue.Value{a}) {
			return false
		}
	}
	return true
}

// hasCall reports whether an operand is a validator. CUE does not know the kind of
// some validators until they have a value.
func hasCall(args []cue.Value) bool {
	for _, a := range args {
		op, inner := a.Expr()
		if op == cue.CallOp || op == cue.AndOp && hasCall(inner) {
			return true
		}
	}
	return false
}

// inline returns a copy of a type without its name, which can then be narrowed.
func (x *Extractor) inline(t *spec.Type) *spec.Type {
	if t.Ref == "" {
		return t
	}
	c := *x.named.types.Resolve(t)
	c.Ref = ""
	return &c
}
