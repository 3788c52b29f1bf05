package check

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// forbiddenReason returns why a spec may not use a function of expr-lang, and what to use
// instead. It returns "" for other functions.
func forbiddenReason(name string) string {
	switch name {
	case "now":
		return "The time of day differs between preview and update. Read it from the service, or add an input."
	case "timezone":
		return "Time zones depend on the machine. Times are in UTC; include the zone in the text that date() reads."
	default:
		return ""
	}
}

// Call is one call of a function, from which the type of its result is computed.
type Call struct {
	*checker
	Fn   *Function
	Args []TypedPart
	Node []ast.Node
	at   parse.Extent
}

func (c *checker) checkCall(n *ast.CallNode) TypedPart {
	if m, ok := n.Callee.(*ast.MemberNode); ok {
		return c.checkMethod(n, m)
	}
	id, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return c.Fail(CodeUnknownFunction, c.extents.Of(n), "", "expected the name of a function")
	}
	name := parse.ExtentOf(id)
	f := c.functions.Named[id.Value]
	if f == nil || f.predicate {
		c.checkOperands(n.Arguments)
		if out, ok := (translator{c}).reportFormat(id.Value, n, name); ok {
			return out
		}
		if out, ok := (translator{c}).reportChoice(id.Value, n, name); ok {
			return out
		}
		return c.reportUnknownFunction(id.Value, name)
	}
	cl := &Call{checker: c, Fn: f, Args: make([]TypedPart, len(n.Arguments)), Node: n.Arguments, at: name}
	for i, arg := range n.Arguments {
		if i > 0 && (id.Value == "omit" || id.Value == "pick") && (translator{c}).reportBareKey(arg) {
			return TypedPart{T: types.Any()}
		}
		cl.Args[i] = c.check(arg)
	}
	return cl.checkArguments()
}

func (c *checker) checkOperands(nodes []ast.Node) []TypedPart {
	return lists.Map(nodes, c.checkOperand)
}

func (c *checker) reportUnknownFunction(name string, at parse.Extent) TypedPart {
	if why := forbiddenReason(name); why != "" {
		return c.Fail(CodeForbiddenFunction, at, why, "%s() cannot be used in a spec", name)
	}
	if remedy := foreign.FunctionRemedy(name); remedy != "" {
		return c.Fail(CodeUnknownFunction, at, remedy, "unknown function %q", name)
	}
	if own, ok := foreign.Function(name); ok && c.functions.Named[own] != nil {
		out := c.Fail(CodeUnknownFunction, at, "Write "+c.functions.Named[own].Signature+".", "unknown function %q", name)
		c.last().Replace(name, own)
		return out
	}
	meant := diag.DidYouMean(name, slices.Collect(maps.Keys(c.functions.Named)))
	if meant == "" {
		return c.Fail(CodeUnknownFunction, at, "", "unknown function %q", name)
	}
	out := c.Fail(CodeUnknownFunction, at, "Did you mean "+c.functions.Named[meant].Signature+"?", "unknown function %q", name)
	c.last().Replace(name, meant)
	return out
}

// checkArguments checks the arguments of a call against the parameters, and returns the type
// of the result.
func (cl *Call) checkArguments() TypedPart {
	f := cl.Fn
	if n := len(cl.Args); n < f.Required() || !f.variadic() && n > len(f.Params) {
		for _, a := range cl.Args {
			cl.use(a)
		}
		return cl.Fail(CodeWrongArgument, cl.at, "Its signature is "+f.Signature+".", "%s requires %s, got %d", f.Name, f.Count(), n)
	}
	ok := true
	for i := range cl.Args {
		ok = cl.checkArgument(i) && ok
	}
	out := TypedPart{T: cl.passing(f.Result)}
	if f.Typed != nil && ok {
		out = f.Typed(cl)
	}
	for i, a := range cl.Args {
		if i > 0 || out.Origin == nil {
			cl.use(a)
		}
	}
	return out
}

// passing returns the result type of a function with what its untyped parts may have got from the arguments.
func (cl *Call) passing(t *spec.Type) *spec.Type {
	switch {
	case types.IsAny(t):
		for _, a := range cl.Args {
			t = types.Lossy(t, cl.Types, a.T)
		}
	case t.Kind == spec.List || t.Kind == spec.Map:
		if elem := cl.passing(types.Elem(t)); elem != types.Elem(t) {
			out := *t
			out.Elem = elem
			return &out
		}
	}
	return t
}

// checkArgument checks one argument of a call.
func (cl *Call) checkArgument(i int) bool {
	p, v := cl.Fn.Param(i), &cl.Args[i]
	t := types.Resolve(v.T, cl.Types)
	if types.MayBeNull(t, cl.Types) && !p.T.Nullable {
		before, like := len(cl.diags), p.T
		if cl.Fn.Name == "int" || cl.Fn.Name == "float" {
			like = cl.Fn.Result // int(x ?? '') would fail
		}
		v.T = cl.nonNull(*v, like)
		if types.IsNull(t) || len(cl.diags) > before && types.IsNull(t) {
			return false
		}
		t = types.Resolve(v.T, cl.Types)
	}
	if types.IsAny(t) {
		return true
	}
	if p.Pattern {
		cl.checkPattern(cl.Node[i], v.At)
	}
	if m := types.Assignable(t, p.T, cl.Types); m != nil {
		remedy := "Its signature is " + cl.Fn.Signature + "."
		if t.Kind == spec.Archive && p.T.Kind == spec.Union {
			remedy += " The bytes of an archive depend on how it is packed. Declare the property as spec.#Asset, and pass a packed file."
		}
		if cl.Fn.Name == "size" && (t.Kind == spec.List || t.Kind == spec.Map || t.Kind == spec.Object) {
			remedy += " It counts bytes. For the number of items or entries, write len(v: any) int."
		}
		cl.Fail(CodeWrongArgument, v.At, remedy, "%s: argument %d (%s) %s", cl.Fn.Name, i+1, p.name, m.Reason)
		return false
	}
	return true
}

// checkMethod checks a call of a method. Only times and durations have methods.
func (c *checker) checkMethod(n *ast.CallNode, m *ast.MemberNode) TypedPart {
	if out, ok := (translator{c}).reportLibrary(n, m); ok {
		return out
	}
	before := len(c.diags)
	base := c.checkOperand(m.Node)
	t := c.NonNull(base)
	known := len(c.diags) == before
	name, _ := m.Property.(*ast.StringNode)
	if name == nil {
		c.checkOperands(n.Arguments)
		return c.Fail(CodeUnknownFunction, c.extents.Of(n), "", "expected the name of a function")
	}
	at := parse.ExtentOf(name)
	if types.IsAny(t) && (!known || c.functions.ofTimes(name.Value)) {
		c.Trust(at)
		c.checkOperands(n.Arguments)
		return TypedPart{T: t}
	}
	if !types.IsTime(t) {
		return translator{c}.reportMethod(n, base, t, name.Value, at)
	}
	args := c.checkOperands(n.Arguments)
	methods := c.functions.methods(t)
	f := methods[name.Value]
	if f == nil {
		return c.FailMeaning(CodeUnknownFunction, at, name.Value, slices.Collect(maps.Keys(methods)), "%s has no method %q", types.Describe(t), name.Value)
	}
	cl := &Call{checker: c, Fn: f, Args: args, Node: n.Arguments, at: at}
	return cl.checkArguments()
}
