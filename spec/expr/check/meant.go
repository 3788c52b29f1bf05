package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// holders are the names of the scope whose members a name may be, the most likely first.
var holders = []string{"steps", "inputs", "config", "result", "state", "session", "children", "each"}

// holder returns the name of the scope that has a member with the name, or "".
func (c translator) holder(member string) string {
	for _, name := range holders {
		if c.has(name, member) {
			return name
		}
	}
	return ""
}

// has reports whether a name of the scope is declared to have a member.
func (c translator) has(name, member string) bool {
	n := c.scope.Available(name)
	if n == nil || n.Type == nil {
		return false
	}
	t := types.Resolve(n.Type, c.Types)
	return t.Kind == spec.Object && t.Field(member) != nil
}

// nextMember matches the member of a name that ends before it.
var nextMember = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.([A-Za-z_]\w*)`) })

// memberAfter returns the member that is accessed of a name, or "".
func (c translator) memberAfter(name parse.Extent) string {
	return memberAfter(c.Text(parse.Extent{From: name.To, To: len(c.extents.Source)}))
}

// memberAfter returns the member that a text after a name accesses, or "".
func memberAfter(text string) string {
	if m := nextMember().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// translateAbsent reports a name of the language that is not available here, but that means another one
// which is: what is recorded is `state` in one place, and `old` in another.
func (c translator) translateAbsent(name string, at parse.Extent) (TypedPart, bool) {
	write := func(own string) (TypedPart, bool) {
		out := c.Fail(CodeNameNotHere, at, fmt.Sprintf("Write %s.", own), "%s is not available here", name)
		c.replaceName(name, own, at)
		return out, true
	}
	member := c.memberAfter(at)
	if whole, ok := c.idAfter(name, at); ok {
		out := c.Fail(CodeNameNotHere, at, "Write id.", "%s is not available here", name)
		c.last().Suggest(diag.Edit{At: c.place.At(whole), Old: c.Text(whole), Text: "id"})
		return out, true
	}
	for _, root := range foreign.Roots(name) {
		own := c.scope.Available(root)
		if own != nil && (own.Type == nil || member != "" && c.has(root, member) || member == "" && (name == "old" || name == "new")) {
			return write(root)
		}
	}
	if holder := c.holder(name); holder != "" && member == "" {
		return write(holder + "." + name)
	}
	if name == "id" && c.scope.Available("state") == nil && c.scope.Available("inputs") != nil && member == "" {
		return c.reportEarlyID(at)
	}
	return TypedPart{}, false
}

// replaceName suggests to write a name of the scope in place of another one, unless that would give away a secret:
// all inputs in the place of one value.
func (c translator) replaceName(name, own string, at parse.Extent) {
	if n := c.scope.Available(own); n != nil && n.Type != nil {
		after := c.Text(parse.Extent{From: at.To, To: len(c.extents.Source)})
		t := types.Resolve(n.Type, c.Types)
		isSecret := func(f *spec.Property) bool { return f.IsSecret() }
		if !strings.HasPrefix(after, ".") && !strings.HasPrefix(after, "[") && !strings.HasPrefix(after, "?.") && slices.ContainsFunc(t.Fields, isSecret) {
			return
		}
	}
	c.last().Replace(name, own)
}

// ofResult matches the id of an object in what is recorded, or in a response.
var ofResult = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\.body)?\.id(?:[^\w.(]|$)`) })

// idAfter returns the extent of an expression that means the id of the object, which is available by its name.
func (c translator) idAfter(name string, at parse.Extent) (whole parse.Extent, ok bool) {
	after := c.Text(parse.Extent{From: at.To, To: len(c.extents.Source)})
	if c.scope.Available("id") == nil || name != "state" && name != "result" && name != "body" || !ofResult().MatchString(after) {
		return parse.Extent{}, false
	}
	return parse.Extent{From: at.From, To: at.To + strings.Index(after, ".id") + len(".id")}, true
}

// instead returns what is available in the place of what another operation has yielded, or "".
func (c translator) instead(name string) string {
	switch {
	case name != "steps" && name != "result" && name != "body" && name != "state":
		return ""
	case c.scope.Available("state") != nil && c.scope.Available("id") != nil:
		return " An operation does not see the steps of another one, such as create: write id, or state.NAME for what is recorded."
	case name == "state" && c.scope.Available("result") != nil:
		return " Nothing is recorded yet: write result.body.NAME, for what the step has yielded."
	case name == "state" && c.scope.Available("id") != nil:
		return " Nothing is recorded yet: write id, or inputs.NAME."
	default:
		return ""
	}
}

// reportEarlyID reports the id where the object may not exist yet.
func (c translator) reportEarlyID(at parse.Extent) (TypedPart, bool) {
	if meant := c.scope.Find("id").Meant; meant != "" {
		out := c.Fail(CodeNameNotHere, at, fmt.Sprintf("The id is only known once the last step has run. Write %s.", meant), "id is not available here")
		c.last().Replace("id", meant)
		return out, true
	}
	if c.scope.Available("result") != nil {
		return TypedPart{}, false // an earlier step may have made the object: an input would name another one
	}
	var names []string
	if t := types.Resolve(c.scope.Available("inputs").Type, c.Types); t != nil {
		for _, p := range t.Fields {
			if p.Required && types.IsString(types.Resolve(p.Type, c.Types)) {
				names = append(names, p.Name)
			}
		}
	}
	if len(names) == 0 {
		return TypedPart{}, false
	}
	out := c.Fail(CodeNameNotHere, at, fmt.Sprintf("The id is only known once the object exists. Name the object by an input: inputs.%s.", names[0]), "id is not available here")
	if len(names) == 1 {
		c.last().Replace("id", "inputs."+names[0])
	}
	return out, true
}

// meansOther reports a member that its base does not have, but another name of the scope has, such as
// inputs.name for state.name in a method. A name that is similar is more likely.
func (m *memberCheck) meansOther(name string, at parse.Extent) bool {
	c := translator{m.checker}
	base, whole := m.Text(m.base.At), parse.Extent{From: m.base.At.From, To: at.To}
	if !slices.Contains(holders, base) || m.Text(whole) != base+"."+name || diag.DidYouMean(name, m.t.FieldNames()) != "" {
		return false
	}
	own, remedy := "", ""
	switch holder := c.holder(name); {
	case base == "each" && c.eachHas(name):
		own = "each.value." + name
		remedy = fmt.Sprintf("each has the key and the value of the element: write %s.", own)
	case slices.Contains(c.place.Node.Locals, name):
		own, remedy = name, fmt.Sprintf("%s is a local name: write %[1]s.", name)
	case holder != "" && holder != base:
		own = holder + "." + name
		remedy = fmt.Sprintf("%s has it: write %s.", holder, own)
	default:
		return false
	}
	m.Fail(types.CodeUnknownMember, at, remedy, "%s has no member %q", base, name)
	m.last().Suggest(diag.Edit{At: m.place.At(whole), Old: base + "." + name, Text: own})
	return true
}

// eachHas reports whether the elements of a loop have a member.
func (c translator) eachHas(member string) bool {
	t := types.Resolve(c.scope.Available("each").Type, c.Types)
	if t == nil || t.Field("value") == nil {
		return false
	}
	value := types.Resolve(types.Present(types.Resolve(t.Field("value").Type, c.Types), c.Types), c.Types)
	return value.Kind == spec.Object && value.Field(member) != nil
}

// reportWholeElement reports the whole element of a loop, which has a key and a value, where its value is
// expected.
func (c translator) reportWholeElement(code string, whole parse.Extent, want *spec.Type, format string, args ...any) bool {
	each := c.scope.Available("each")
	if c.Text(whole) != "each" || each == nil || each.Type == nil {
		return false
	}
	t := types.Resolve(each.Type, c.Types)
	if t.Field("value") == nil || t.Field("key") == nil || want != nil && types.Assignable(t.Field("value").Type, want, c.Types) != nil {
		return false
	}
	c.Fail(code, whole, "Write each.value. The key or the index is each.key.", format, args...)
	c.last().Replace("each", "each.value")
	return true
}

// reportChoice reports the call of a function that chooses between two values elsewhere, such as
// iif(c, a, b) or default(a, b).
func (c translator) reportChoice(name string, n *ast.CallNode, at parse.Extent) (TypedPart, bool) {
	arguments := lists.Map(n.Arguments, func(arg ast.Node) string { return c.Text(c.extents.Of(arg)) })
	text, ok := foreign.Choice(arguments)
	if ok = ok && foreign.IsChoice(name); !ok {
		text, ok = foreign.Fallback(name, arguments)
	}
	if !ok {
		return TypedPart{}, false
	}
	whole := c.extents.Of(n)
	if c.bindsTighter(whole) {
		text = "(" + text + ")"
	}
	out := c.Fail(CodeUnknownFunction, at, "Write "+text+".", "unknown function %q", name)
	c.last().Suggest(diag.Edit{At: c.place.At(whole), Old: c.Text(whole), Text: text})
	return out, true
}

// reportChoiceOfWords reports c && 'a' || 'b', which chooses between two values elsewhere.
func (c translator) reportChoiceOfWords(n *ast.BinaryNode) bool {
	both, ok := n.Left.(*ast.BinaryNode)
	if !ok || n.Operator != "||" && n.Operator != "or" || both.Operator != "&&" && both.Operator != "and" || !parse.IsLiteralText(both.Right) {
		return false
	}
	condition := c.checkOperand(both.Left)
	c.requireBool(condition, "the left operand of "+both.Operator)
	text := fmt.Sprintf("%s ? %s : %s", c.Text(c.extents.Of(both.Left)), c.Text(c.extents.Of(both.Right)), c.Text(c.extents.Of(n.Right)))
	whole := c.extents.Of(n)
	c.Fail(types.CodeTypeMismatch, whole, "Write "+text+".", "%s and %s join conditions, and choose no value", both.Operator, n.Operator)
	c.last().Suggest(diag.Edit{At: c.place.At(whole), Old: c.Text(whole), Text: text})
	return true
}

// reportElvis reports a ?: b, and a ? a : b, that give a default elsewhere: a is not a boolean.
func (c translator) reportElvis(n *ast.ConditionalNode, condition TypedPart) bool {
	t := types.Resolve(types.Present(condition.T, c.Types), c.Types)
	a, b := c.Text(c.extents.Of(n.Cond)), c.Text(c.extents.Of(n.Exp2))
	if types.IsAny(t) || t.Kind == spec.Bool || t.Kind == spec.Union || a == "" || a != c.Text(c.extents.Of(n.Exp1)) {
		return false
	}
	whole := condition.At.Join(c.extents.Of(n.Exp2))
	c.Fail(types.CodeTypeMismatch, condition.At, fmt.Sprintf("For a default, write %s ?? %s.", a, b), "a condition must be a boolean, got %s", types.Describe(condition.T))
	c.last().Suggest(diag.Edit{At: c.place.At(whole), Old: c.Text(whole), Text: a + " ?? " + b})
	return true
}
