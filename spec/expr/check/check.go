// Package check types expressions before they run. It finds unknown members, nulls that
// nobody guarded, arguments and comparisons that cannot be right, and says what an
// expression refers to.
package check

import (
	"encoding/json"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// checker types one expression. What is wrong is reported once, at its place;
// the type of a faulty part is then any, so that it raises no further fault.
type checker struct {
	findings
	uses
	knowledge
	functions *Functions

	chain []bool // for each chain under way: whether it may end early
	// strict are the accesses by index to lists of known type: an index beyond
	// the end is an error there, and null elsewhere.
	strict map[*ast.MemberNode]bool
	depth  int
}

// Typed is what the checker knows of a part: its type, and the path of the
// scope that it comes from, where it was not computed.
type Typed struct {
	T      *spec.Type
	Origin []string
	At     parse.Extent
	// Shuffled says that the items of a list are not at their indices in origin.
	Shuffled bool
}

// maxDepth is how deep an expression nests before it is refused.
const maxDepth = 1000

// side checks one side of a comparison; of what is compared with null, only
// whether it is there matters.
func (c *checker) side(n, other ast.Node) Typed {
	if !parse.IsNull(other) {
		return c.operand(n)
	}
	v := c.check(n)
	if v.Origin != nil {
		c.refs = append(c.refs, Reference{Path: v.Origin, At: v.At, Presence: true})
	}
	v.Origin = nil
	return v
}

// operand checks a part and uses its value.
func (c *checker) operand(n ast.Node) Typed {
	v := c.check(n)
	c.use(v)
	v.Origin = nil
	return v
}

func (c *checker) check(n ast.Node) Typed {
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

func (c *checker) dispatch(n ast.Node) Typed {
	switch n := n.(type) {
	case *ast.NilNode:
		return Typed{T: types.Null()}
	case *ast.BoolNode:
		return Typed{T: types.Literal(spec.Bool, n.Value)}
	case *ast.IntegerNode:
		return Typed{T: types.IntLiteral(n.Value)}
	case *ast.FloatNode:
		return Typed{T: types.Literal(spec.Number, json.Number(types.NumberText(n.Value)))}
	case *ast.StringNode:
		return Typed{T: types.Literal(spec.String, n.Value)}
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
			v.T = types.Nullable(v.T)
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
		last := len(n.Nodes) - 1
		c.operands(n.Nodes[:last])
		return c.check(n.Nodes[last])
	case *ast.ArrayNode:
		return c.array(n)
	case *ast.MapNode:
		return c.mapLiteral(n)
	default:
		return c.Fail(parse.CodeSyntax, c.extents.Of(n), "", "this has no meaning in a spec")
	}
}

func (c *checker) conditional(n *ast.ConditionalNode) Typed {
	c.wantBool(c.operand(n.Cond), "a condition")
	saved := c.facts
	c.facts = append(saved[:len(saved):len(saved)], c.when(n.Cond, true)...)
	a := c.operand(n.Exp1)
	c.facts = append(saved[:len(saved):len(saved)], c.when(n.Cond, false)...)
	b := c.operand(n.Exp2)
	c.facts = saved
	return Typed{T: types.Join(a.T, b.T, c.Types)}
}

func (c *checker) array(n *ast.ArrayNode) Typed {
	item := types.Never()
	for _, part := range n.Nodes {
		item = types.Join(item, c.operand(part).T, c.Types)
	}
	size := len(n.Nodes)
	return Typed{T: &spec.Type{Kind: spec.List, Elem: item, MinLen: size, MaxLen: &size}}
}

func (c *checker) mapLiteral(n *ast.MapNode) Typed {
	out := &spec.Type{Kind: spec.Object}
	dynamic := types.Never()
	for _, pair := range n.Pairs {
		p, ok := pair.(*ast.PairNode)
		if !ok {
			continue
		}
		if key, ok := p.Key.(*ast.StringNode); ok {
			before := len(c.refs)
			v := c.operand(p.Value)
			secret := c.scope.Hides(asRefs(c.refs[before:]), parse.Moves(p.Value))
			SetField(out, WrittenProperty(key.Value, v.T, secret))
			continue
		}
		key := c.operand(p.Key)
		if t := c.NonNull(key); !types.IsAny(t) && !types.IsString(t) {
			c.Fail(types.CodeTypeMismatch, key.At, "Turn it into text with string(…).", "a key must be a string, and this is %s", types.Describe(key.T))
		}
		dynamic = types.Join(dynamic, c.operand(p.Value).T, c.Types)
	}
	if types.IsNever(dynamic) {
		return Typed{T: out}
	}
	for _, f := range out.Fields {
		dynamic = types.Join(dynamic, f.Type, c.Types)
	}
	return Typed{T: types.MapOf(dynamic)}
}

// WrittenProperty returns the property of a key that the author wrote: it is its own
// name on the wire, whatever the rule for declared names.
func WrittenProperty(name string, t *spec.Type, secret bool) *spec.Property {
	return &spec.Property{Name: name, Type: t, Required: true, Secret: secret, Wire: name}
}

// SetField adds a property to an object, or replaces the one of its name.
func SetField(t *spec.Type, p *spec.Property) {
	if i := slices.IndexFunc(t.Fields, func(f *spec.Property) bool { return f.Name == p.Name }); i >= 0 {
		t.Fields[i] = p
		return
	}
	t.Fields = append(t.Fields, p)
}
