package expr

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// checker types one expression. What is wrong is reported once, at its place;
// the type of a faulty part is then any, so that it raises no further fault.
type checker struct {
	scope *Scope
	types spec.Types
	// node is the string that holds the expression, from code point offset on.
	node    *spec.Node
	offset  int
	extents extents

	diags diag.List
	refs  []reference
	// unchecked are the accesses to what has no known type.
	unchecked []extent

	locals []local
	items  []item
	facts  []string // keys of what is known not to be null, here
	chain  []bool   // for each chain under way: whether it may end early
	// strict are the accesses by index to lists of known type: an index beyond
	// the end is an error there, and null elsewhere.
	strict map[*ast.MemberNode]bool
	// nullMembers are the tests (`"a" in m`) for members that may be there and
	// be null.
	nullMembers map[*ast.BinaryNode]bool
	depth       int
}

// typed is what the checker knows of a part: its type, and the path of the
// scope that it comes from, where it was not computed.
type typed struct {
	t      *spec.Type
	origin []string
	at     extent
	// shuffled says that the items of a list are not at their indices in origin.
	shuffled bool
}

// reference is a use of a path.
type reference struct {
	path []string
	at   extent
	// presence says that it matters only whether it is there: it is compared
	// with null.
	presence bool
}

// item is what `#` is in a predicate.
type item struct {
	val typed
	acc *spec.Type // #acc, nil outside reduce
}

// maxDepth is how deep an expression nests before it is refused.
const maxDepth = 1000

func (c *checker) rangeOf(e extent) diag.Range {
	return c.node.At(c.offset+e.from, c.offset+e.to)
}

func (c *checker) report(sev diag.Severity, code string, e extent, detail, format string, args ...any) {
	detail = cmp.Or(detail, remedyOf(code))
	c.diags = append(c.diags, diag.Diagnostic{
		Severity: sev, Code: code, Summary: fmt.Sprintf(format, args...), Detail: detail, Subject: c.rangeOf(e),
	})
}

// fail reports an error, and gives what stands in for the faulty part.
func (c *checker) fail(code string, e extent, detail, format string, args ...any) typed {
	c.report(diag.Error, code, e, detail, format, args...)
	return typed{t: static().any, at: e}
}

// trust notes an access that nothing can check before it runs.
func (c *checker) trust(at extent) { c.unchecked = append(c.unchecked, at) }

// text is a part's source.
func (c *checker) text(e extent) string {
	if e.from < 0 || e.to > len(c.extents.source) || e.from > e.to {
		return ""
	}
	return string(c.extents.source[e.from:e.to])
}

// use records that the whole of a value is used.
func (c *checker) use(v typed) *spec.Type {
	if v.origin != nil {
		c.refs = append(c.refs, reference{path: v.origin, at: v.at})
	}
	return v.t
}

// side checks one side of a comparison; of what is compared with null, only
// whether it is there matters.
func (c *checker) side(n, other ast.Node) typed {
	if !isNullNode(other) {
		return c.operand(n)
	}
	v := c.check(n)
	if v.origin != nil {
		c.refs = append(c.refs, reference{path: v.origin, at: v.at, presence: true})
	}
	v.origin = nil
	return v
}

// operand checks a part and uses its value.
func (c *checker) operand(n ast.Node) typed {
	v := c.check(n)
	c.use(v)
	v.origin = nil
	return v
}

// nonNull is the operand's type without null, which is reported.
func (c *checker) nonNull(v typed) *spec.Type {
	t := resolve(v.t, c.types)
	if !mayBeNull(t, c.types) {
		return t
	}
	if isNull(t) {
		c.fail(CodeNullUnguarded, v.at, "Nothing can be done with null here.", "null is used as a value")
		return static().any
	}
	c.nullFault(v)
	return resolve(present(t, c.types), c.types)
}

func (c *checker) nullFault(v typed) {
	text := c.text(v.at)
	detail := fmt.Sprintf("Say what stands in for it (%s ?? %s), or use it only where it is there (%s != null ? … : …).",
		text, standIn(resolve(v.t, c.types)), text)
	detail = cmp.Or(c.nullHelp(text), detail)
	c.report(diag.Error, CodeNullUnguarded, v.at, detail, "%s may be null", text)
}

// nullHelp is what the scope knows to do about a part that may be null.
func (c *checker) nullHelp(text string) string {
	if c.scope == nil || c.scope.NullHelp == nil {
		return ""
	}
	return c.scope.NullHelp(text)
}

// standIn is an example of a value of a type.
func standIn(t *spec.Type) string {
	switch {
	case t.Kind == spec.Bool:
		return "false"
	case isNumeric(t):
		return "0"
	case t.Kind == spec.List:
		return "[]"
	case t.Kind == spec.Map || t.Kind == spec.Object:
		return "{}"
	default:
		return `""`
	}
}

func (c *checker) check(n ast.Node) typed {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		return c.fail(CodeTooLarge, extent{0, len(c.extents.source)}, "Split it into parts with let.", "the expression nests too deeply")
	}
	v := c.dispatch(n)
	if (v.at == extent{}) {
		v.at = c.extents.of(n)
	}
	return v
}

func (c *checker) dispatch(n ast.Node) typed {
	s := static()
	switch n := n.(type) {
	case *ast.NilNode:
		return typed{t: s.null}
	case *ast.BoolNode:
		return typed{t: literal(spec.Bool, n.Value)}
	case *ast.IntegerNode:
		return typed{t: intLiteral(n.Value)}
	case *ast.FloatNode:
		return typed{t: literal(spec.Number, json.Number(numberText(n.Value)))}
	case *ast.StringNode:
		return typed{t: literal(spec.String, n.Value)}
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ChainNode:
		c.chain = append(c.chain, false)
		v := c.check(n.Node)
		last := len(c.chain) - 1
		if c.chain[last] {
			v.t = nullable(v.t)
		}
		c.chain = c.chain[:last]
		return v
	case *ast.MemberNode:
		return c.member(n)
	case *ast.SliceNode:
		return c.slice(n)
	case *ast.CallNode:
		return c.call(n)
	case *ast.BuiltinNode:
		return c.builtin(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.VariableDeclaratorNode:
		return c.let(n)
	case *ast.SequenceNode:
		return c.sequence(n)
	case *ast.ArrayNode:
		return c.array(n)
	case *ast.MapNode:
		return c.mapLiteral(n)
	default:
		return c.fail(CodeSyntax, c.extents.of(n), "", "this has no meaning in a spec")
	}
}

func (c *checker) conditional(n *ast.ConditionalNode) typed {
	c.condition(n.Cond)
	saved := c.facts
	c.facts = append(saved[:len(saved):len(saved)], c.when(n.Cond, true)...)
	a := c.operand(n.Exp1)
	c.facts = append(saved[:len(saved):len(saved)], c.when(n.Cond, false)...)
	b := c.operand(n.Exp2)
	c.facts = saved
	return typed{t: join(a.t, b.t, c.types)}
}

// condition checks what must be true or false.
func (c *checker) condition(n ast.Node) {
	c.wantBool(c.operand(n), "a condition")
}

func (c *checker) wantBool(v typed, what string) {
	t := c.nonNull(v)
	if !isAny(t) && (t.Kind != spec.Bool || isTime(t)) {
		c.fail(CodeTypeMismatch, v.at, "Compare it with something: x != null, x != \"\", len(x) > 0.", "%s must be true or false, and this is %s", what, Describe(v.t))
	}
}

func (c *checker) sequence(n *ast.SequenceNode) typed {
	var last typed
	for i, part := range n.Nodes {
		if i == len(n.Nodes)-1 {
			last = c.check(part)
		} else {
			c.operand(part)
		}
	}
	return last
}

func (c *checker) array(n *ast.ArrayNode) typed {
	item := static().never
	for _, part := range n.Nodes {
		item = join(item, c.operand(part).t, c.types)
	}
	size := len(n.Nodes)
	return typed{t: &spec.Type{Kind: spec.List, Elem: item, MinLen: size, MaxLen: &size}}
}

func (c *checker) mapLiteral(n *ast.MapNode) typed {
	out := &spec.Type{Kind: spec.Object}
	dynamic := static().never
	for _, pair := range n.Pairs {
		p, ok := pair.(*ast.PairNode)
		if !ok {
			continue
		}
		if key, ok := p.Key.(*ast.StringNode); ok {
			before := len(c.refs)
			v := c.operand(p.Value)
			secret := c.scope.hides(asRefs(c.refs[before:]), moves(p.Value))
			setField(out, writtenProperty(key.Value, v.t, secret))
			continue
		}
		key := c.operand(p.Key)
		if t := c.nonNull(key); !isAny(t) && !isString(t) {
			c.fail(CodeTypeMismatch, key.at, "Turn it into text with string(…).", "a key must be a string, and this is %s", Describe(key.t))
		}
		dynamic = join(dynamic, c.operand(p.Value).t, c.types)
	}
	if isNever(dynamic) {
		return typed{t: out}
	}
	for _, f := range out.Fields {
		dynamic = join(dynamic, f.Type, c.types)
	}
	return typed{t: mapOf(dynamic)}
}

func asRefs(list []reference) []Ref {
	refs := make([]Ref, len(list))
	for i, r := range list {
		refs[i] = Ref{Path: r.path, Presence: r.presence}
	}
	return refs
}

// writtenProperty returns the property of a key that the author wrote: it is its own
// name on the wire, whatever the rule for declared names.
func writtenProperty(name string, t *spec.Type, secret bool) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true, Secret: secret, Wire: name}
}

// setField adds a property to an object, or replaces the one of its name.
func setField(t *spec.Type, p *spec.Property) {
	if i := slices.IndexFunc(t.Fields, func(f *spec.Property) bool { return f.Name == p.Name }); i >= 0 {
		t.Fields[i] = p
		return
	}
	t.Fields = append(t.Fields, p)
}
