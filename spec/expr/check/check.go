// Package check determines the types of expressions before they run. It reports
// unknown members, unguarded nulls, and arguments and comparisons that cannot be
// valid. It also determines the references of an expression.
package check

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// checker checks one expression. A mistake is reported once, at its place. The type
// of the invalid part is then any, so that it causes no further reports.
type checker struct {
	findings
	uses
	knowledge
	functions *Functions

	chain []bool // for each enclosing optional chain: whether it contains `?.`
	// strict are the index accesses to lists of known type. In them, an index beyond
	// the end is an error; in others, it gives null.
	strict map[*ast.MemberNode]bool
	// demands are the accesses to members of values that must have members, and deciding those that decide whether an
	// object exists.
	demands  map[*ast.MemberNode]Demand
	deciding decider
	depth    int
}

// TypedPart is the result of checking a part: its type, and the path from a name of the
// scope, if the part is not computed.
type TypedPart struct {
	T      *spec.Type
	Origin []string
	At     parse.Extent
	// Shuffled means that the items of a list are not at the same indices as in
	// origin.
	Shuffled bool
}

// maxDepth is the maximum nesting depth of an expression.
const maxDepth = 1000

// checkSide checks one side of a comparison. If the other side is null, only the presence
// of the value matters.
func (c *checker) checkSide(n, other ast.Node) TypedPart {
	if !parse.IsNull(other) {
		return c.checkOperand(n)
	}
	v := c.check(n)
	if v.Origin != nil {
		c.refs = append(c.refs, Reference{Path: v.Origin, At: v.At, Presence: true})
	}
	v.Origin = nil
	return v
}

// checkOperand checks a part and records that its value is used.
func (c *checker) checkOperand(n ast.Node) TypedPart {
	v := c.check(n)
	c.use(v)
	v.Origin = nil
	return v
}

func (c *checker) check(n ast.Node) TypedPart {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		return c.Fail(parse.CodeTooLarge, c.place.Whole(), "Split it into parts with let.", "the expression nests too deeply")
	}
	v := c.dispatch(n)
	if (v.At == parse.Extent{}) {
		v.At = c.extents.Of(n)
	}
	return v
}

func (c *checker) dispatch(n ast.Node) TypedPart {
	switch n := n.(type) {
	case *ast.NilNode:
		return TypedPart{T: types.Null()}
	case *ast.BoolNode:
		return TypedPart{T: types.Literal(spec.Bool, n.Value)}
	case *ast.IntegerNode:
		return TypedPart{T: types.IntLiteral(n.Value)}
	case *ast.FloatNode:
		return TypedPart{T: types.Literal(spec.Number, json.Number(types.NumberText(n.Value)))}
	case *ast.StringNode:
		if strings.Contains(n.Value, "${") {
			c.report(diag.Warning, CodeLiteralTemplate, c.extents.Of(n), "", "${…} has no meaning in a string of an expression")
		}
		return TypedPart{T: types.Literal(spec.String, n.Value)}
	case *ast.IdentifierNode:
		return c.checkIdentifier(n)
	case *ast.PointerNode:
		return c.checkPointer(n)
	case *ast.UnaryNode:
		return c.checkUnary(n)
	case *ast.BinaryNode:
		return c.checkBinary(n)
	case *ast.ChainNode:
		c.chain = append(c.chain, false)
		v := c.check(n.Node)
		last := len(c.chain) - 1
		if c.chain[last] {
			v.T = types.Nullable(v.T)
		}
		c.chain = c.chain[:last]
		return v
	case *ast.MemberNode:
		return c.checkMember(n)
	case *ast.SliceNode:
		return c.checkSlice(n)
	case *ast.CallNode:
		return c.narrowCall(n, c.checkCall(n))
	case *ast.BuiltinNode:
		return c.narrowCall(n, c.checkBuiltin(n))
	case *ast.ConditionalNode:
		return c.checkConditional(n)
	case *ast.VariableDeclaratorNode:
		return c.checkLet(n)
	case *ast.SequenceNode:
		last := len(n.Nodes) - 1
		c.checkOperands(n.Nodes[:last])
		return c.check(n.Nodes[last])
	case *ast.ArrayNode:
		return c.checkArray(n)
	case *ast.MapNode:
		return c.checkMapLiteral(n)
	default:
		return c.Fail(parse.CodeSyntax, c.extents.Of(n), "", "this syntax is not supported")
	}
}

func (c *checker) checkConditional(n *ast.ConditionalNode) TypedPart {
	condition := c.checkOperand(n.Cond)
	if (translator{c}).reportElvis(n, condition) {
		return TypedPart{T: types.Any()}
	}
	c.requireBool(condition, "a condition")
	saved := c.facts
	c.facts = append(saved[:len(saved):len(saved)], c.factsWhen(n.Cond, true)...)
	a := c.checkOperand(n.Exp1)
	c.facts = append(saved[:len(saved):len(saved)], c.factsWhen(n.Cond, false)...)
	b := c.checkOperand(n.Exp2)
	c.facts = saved
	return TypedPart{T: types.Join(a.T, b.T, c.Types)}
}

func (c *checker) checkArray(n *ast.ArrayNode) TypedPart {
	items := make([]*spec.Type, len(n.Nodes))
	for i, part := range n.Nodes {
		items[i] = c.checkOperand(part).T
	}
	return TypedPart{T: types.ListOfItems(items, c.Types)}
}

func (c *checker) checkMapLiteral(n *ast.MapNode) TypedPart {
	out := &spec.Type{Kind: spec.Object}
	dynamic, last := types.Never(), false // whether a computed key is the last
	for _, pair := range n.Pairs {
		p, ok := pair.(*ast.PairNode)
		if !ok {
			continue
		}
		if key, ok := p.Key.(*ast.StringNode); ok {
			before := len(c.refs)
			v := c.checkOperand(p.Value)
			last = false
			secret := c.scope.Hides(asRefs(c.refs[before:]), parse.Moves(p.Value))
			SetField(out, WrittenProperty(key.Value, v.T, secret))
			continue
		}
		key := c.checkOperand(p.Key)
		if t := c.NonNull(key); !types.IsAny(t) && !types.IsString(t) {
			c.Fail(types.CodeTypeMismatch, key.At, "Convert it with string(…).", "a key must be a string, got %s", types.Describe(key.T))
		}
		dynamic, last = types.JoinApart(dynamic, c.checkOperand(p.Value).T, c.Types), true
	}
	if types.IsNever(dynamic) {
		return TypedPart{T: out}
	}
	all := dynamic
	for _, f := range out.Fields {
		all = types.Join(all, f.Type, c.Types)
	}
	t := types.MapOf(all)
	if len(out.Fields) > 0 {
		out.Open, out.Elem = true, dynamic
		t.Sent = &spec.Sent{Struct: out, Beneath: !last}
	}
	return TypedPart{T: t}
}

// WrittenProperty returns the property for a key that the author wrote in a value.
// Its name on the wire is the key itself, regardless of naming rules.
func WrittenProperty(name string, t *spec.Type, secret bool) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true, Secret: secret, Wire: name}
}

// SetField adds a property to an object, or replaces the property with the same name.
func SetField(t *spec.Type, p *spec.Property) {
	if i := slices.IndexFunc(t.Fields, func(f *spec.Property) bool { return f.Name == p.Name }); i >= 0 {
		t.Fields[i] = p
		return
	}
	t.Fields = append(t.Fields, p)
}
