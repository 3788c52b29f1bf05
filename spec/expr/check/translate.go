package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// translator reports parts of an expression that are of another language, with what they are here.
type translator struct{ *checker }

// rootOf returns the name that another one stands for at the beginning of an expression, or "". One that is declared not to
// have the member that follows is only meant if no other name has it.
func (c translator) rootOf(name, after string, available []string) string {
	lacking := ""
	for _, root := range foreign.Roots(name) {
		first, member, _ := strings.Cut(root, ".")
		switch {
		case !slices.Contains(available, first):
		case member != "" && (after == "key" || after == "value"):
			return first // which has these members
		case after != "" && member == "" && c.lacks(first, after):
			lacking = cmp.Or(lacking, root)
		default:
			return root
		}
	}
	if lacking == "" {
		return ""
	}
	return cmp.Or(c.holder(after), lacking)
}

// undeclared returns the remedy for a setting or input that the spec does not declare, "" if it does, or if a declared
// name is probably meant.
func (c translator) undeclared(root, member string) string {
	if root != "config" && root != "inputs" || member == "" || !c.lacks(root, member) {
		return ""
	}
	if t := types.Resolve(c.scope.Available(root).Type, c.Types); diag.DidYouMean(member, t.FieldNames()) != "" {
		return ""
	}
	if root == "config" {
		return fmt.Sprintf("The variables of a spec are its settings. Declare one, `config: %s: string`, and write config.%[1]s. What differs between resources is an input.", member)
	}
	return fmt.Sprintf("Declare an input, such as `%s: string`, and write inputs.%[1]s.", member)
}

// lacks reports whether a name of the scope is declared without a member.
func (c translator) lacks(name, member string) bool {
	n := c.scope.Available(name)
	if n == nil || n.Type == nil {
		return false
	}
	t := types.Resolve(n.Type, c.Types)
	return t.Kind == spec.Object && !t.Open && t.Field(member) == nil
}

// operators are functions elsewhere, and operators here.
var operators = map[string]string{"includes": "contains", "contains": "contains", "startswith": "startsWith", "endswith": "endsWith", "test": "matches", "match": "matches", "matches": "matches"}

// reportMethod reports the call of a method on a value that has none. Elsewhere, functions and
// operators are methods.
func (c translator) reportMethod(n *ast.CallNode, base TypedPart, t *spec.Type, name string, at parse.Extent) TypedPart {
	detail, text := "Only times and durations have methods.", ""
	baseText := c.Text(base.At)
	args := lists.Map(n.Arguments, func(arg ast.Node) string { return c.Text(c.extents.Of(arg)) })
	own := name
	if f, ok := foreign.Function(name); ok {
		own = f
	}
	op := operators[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
	f := c.functions.Named[own]
	if f == nil || !f.predicate { // the parameter of a predicate has no name here
		c.checkOperands(n.Arguments)
	}
	isText := types.IsString(t) || types.IsAny(t)
	switch {
	case op == "contains" && types.IsAny(t) && len(args) == 1:
		detail = fmt.Sprintf("Write it as %s contains %s if %[1]s is a string, or as %[2]s in %[1]s if it is a list.", baseText, args[0])
	case op == "contains" && t.Kind == spec.List && len(args) == 1, (t.Kind == spec.Object || t.Kind == spec.Map) && foreign.IsHasKey(name) && len(args) == 1:
		op, text = "in", args[0]+" in "+baseText
	case op != "" && isText && len(args) == 1:
		text = baseText + " " + op + " " + args[0]
	case f != nil && f.predicate:
		detail = "Write " + f.Signature + ", where # is the item: " + own + "(" + baseText + ", #.name == 'x')."
	case f != nil:
		text = own + "(" + strings.Join(append([]string{baseText}, args...), ", ") + ")"
	case foreign.FunctionRemedy(name) != "":
		detail = foreign.FunctionRemedy(name)
	}
	if whole := c.extents.Of(n); op != "" && text != "" && c.bindsTighter(whole) {
		text = "(" + text + ")"
	}
	if text != "" {
		detail = "Write it as " + text + "."
	}
	what := types.Describe(t)
	if types.IsAny(t) {
		what = c.Text(base.At)
	}
	out := c.Fail(CodeUnknownFunction, at, detail, "%s has no method %q", what, name)
	if whole := c.extents.Of(n); text != "" && c.Text(whole) != "" {
		c.last().Suggest(diag.Edit{At: c.place.At(whole), Old: c.Text(whole), Text: text})
	}
	return out
}

// bindsTighter reports whether an operator beside a part of the expression would take an operand of
// the operation that replaces the part.
func (c translator) bindsTighter(part parse.Extent) bool {
	before := strings.TrimSpace(c.Text(parse.Extent{To: part.From}))
	after := strings.TrimSpace(c.Text(parse.Extent{From: part.To, To: len(c.extents.Source)}))
	opens := before == "" || strings.ContainsAny(before[len(before)-1:], "([{,?:;")
	closes := after == "" || strings.ContainsAny(after[:1], ")]},?:;")
	return !opens && !strings.HasSuffix(before, "&&") && !strings.HasSuffix(before, "||") || !closes && !strings.HasPrefix(after, "&&") && !strings.HasPrefix(after, "||")
}

// translateMember reports a member that is a function here, such as x.length.
func (c translator) translateMember(at parse.Extent, t *spec.Type, name string, base TypedPart) bool {
	own, ok := foreign.Function(name)
	f := c.functions.Named[own]
	if !ok || f == nil || f.Required() > 1 {
		return false
	}
	text, written := own+"("+c.Text(base.At)+")", c.Text(base.At)+"."+name
	c.Fail(types.CodeUnknownMember, at, fmt.Sprintf("Write %s.", text), "%s is %s, which has no member %q", c.Text(base.At), types.Describe(t), name)
	c.last().Suggest(diag.Edit{At: c.place.At(base.At.Join(at)), Old: written, Text: text})
	return true
}

// translateLength reports a member of a list that is its length elsewhere. Other members may be
// those of its items.
func (c translator) translateLength(at parse.Extent, t *spec.Type, name string, base TypedPart) bool {
	own, _ := foreign.Function(name)
	return own == "len" && c.translateMember(at, t, name, base)
}

// reportBareKey reports a name in the place of a key, such as omit(x, name).
func (c translator) reportBareKey(arg ast.Node) bool {
	name, ok := arg.(*ast.IdentifierNode)
	if !ok || c.local(name.Value) != nil || c.scope.Find(name.Value) != nil {
		return false
	}
	c.Fail(CodeUnknownName, parse.ExtentOf(name), fmt.Sprintf("A key is a string: '%s'.", name.Value), "unknown name %q", name.Value)
	c.last().Replace(name.Value, "'"+name.Value+"'")
	return true
}

// reportLibrary reports a function of a library elsewhere, such as JSON.stringify(x).
func (c translator) reportLibrary(n *ast.CallNode, m *ast.MemberNode) (TypedPart, bool) {
	library, ok := m.Node.(*ast.IdentifierNode)
	name, named := m.Property.(*ast.StringNode)
	if !ok || !named || c.local(library.Value) != nil || c.scope.Find(library.Value) != nil {
		return TypedPart{}, false
	}
	own := name.Value
	if f, ok := foreign.Function(name.Value); ok {
		own = f
	}
	if c.functions.Named[own] == nil {
		return TypedPart{}, false
	}
	c.checkOperands(n.Arguments)
	at := parse.ExtentOf(library).Join(parse.ExtentOf(name))
	out := c.Fail(CodeUnknownFunction, at, "Write "+c.functions.Named[own].Signature+".", "unknown function %q", library.Value+"."+name.Value)
	c.last().Suggest(diag.Edit{At: c.place.At(at), Old: c.Text(at), Text: own})
	return out, true
}

// reportFormat reports a call that formats values, as format('labels/%s', id) does elsewhere. Here,
// it is a text with templates.
func (c translator) reportFormat(name string, n *ast.CallNode, at parse.Extent) (TypedPart, bool) {
	remedy := foreign.FunctionRemedy(name)
	if len(n.Arguments) < 2 || !strings.Contains(remedy, "${x}") {
		return TypedPart{}, false
	}
	format, ok := n.Arguments[0].(*ast.StringNode)
	if !ok || strings.Count(format.Value, "%s")+strings.Count(format.Value, "%d") != len(n.Arguments)-1 {
		return TypedPart{}, false
	}
	text := strings.ReplaceAll(format.Value, "%d", "%s")
	for _, arg := range n.Arguments[1:] {
		text = strings.Replace(text, "%s", "${"+c.Text(c.extents.Of(arg))+"}", 1)
	}
	out := c.Fail(CodeUnknownFunction, at, "Write \""+text+"\".", "unknown function %q", name)
	if whole := strings.TrimSpace(c.place.Source); c.Text(c.extents.Of(n)) == whole {
		c.last().Suggest(diag.Edit{At: c.place.Node.Range, Old: "${" + c.place.Source + "}", Text: text})
	}
	return out, true
}

// reportDefault reports an || that gives a default, as in JavaScript: its left operand is not a
// boolean.
func (c translator) reportDefault(n *ast.BinaryNode, l TypedPart) bool {
	t := types.Resolve(types.Present(l.T, c.Types), c.Types)
	if n.Operator != "||" && n.Operator != "or" || t.Kind == spec.Bool || t.Kind == spec.Union || types.IsAny(t) {
		return false
	}
	right := c.extents.Of(n.Right)
	between := parse.Extent{From: l.At.To, To: right.From}
	c.Fail(types.CodeTypeMismatch, l.At, "For a default, write a ?? b.", "the left operand of %s must be a boolean, got %s", n.Operator, types.Describe(l.T))
	if text := c.Text(between); strings.TrimSpace(text) == n.Operator {
		c.last().Suggest(diag.Edit{At: c.place.At(between), Old: text, Text: " ?? "})
	}
	return true
}

// reportValueIf reports an && that gives a value under a condition, as in JavaScript and Python: its right operand is a number, a list, a
// struct, or the text of a literal or a calculation. Another text may be a condition that was forgotten: a name that is compared with "".
func (c translator) reportValueIf(n *ast.BinaryNode, l, r TypedPart) bool {
	t := types.Resolve(types.Present(r.T, c.Types), c.Types)
	if n.Operator != "&&" && n.Operator != "and" || t.Kind == spec.Bool || t.Kind == spec.Union || types.IsAny(t) || isPath().MatchString(c.Text(r.At)) {
		return false
	}
	whole := l.At.Join(r.At)
	text := fmt.Sprintf("%s ? %s : null", c.Text(l.At), c.Text(r.At))
	c.Fail(types.CodeTypeMismatch, r.At, fmt.Sprintf("For a value under a condition, write %s.", text), "the right operand of %s must be a boolean, got %s", n.Operator, types.Describe(r.T))
	// In YAML, the colon would end a text without quotes.
	if strings.TrimSpace(c.place.Source) == c.Text(whole) && strings.HasSuffix(c.place.Node.Range.File, ".cue") {
		c.last().Suggest(diag.Edit{At: c.place.At(whole), Old: c.Text(whole), Text: text})
	}
	return true
}
