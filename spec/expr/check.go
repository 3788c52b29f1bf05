package expr

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

// typed is what the checker knows of a part: its type, and the path of the
// scope that it comes from, where it was not computed.
type typed struct {
	t      *spec.Type
	origin []string
	at     parse.Extent
	// shuffled says that the items of a list are not at their indices in origin.
	shuffled bool
}

// maxDepth is how deep an expression nests before it is refused.
const maxDepth = 1000

// side checks one side of a comparison; of what is compared with null, only
// whether it is there matters.
func (c *checker) side(n, other ast.Node) typed {
	if !parse.IsNull(other) {
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

func (c *checker) check(n ast.Node) typed {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		return c.fail(parse.CodeTooLarge, c.place.Whole(), "Split it into parts with let.", "the expression nests too deeply")
	}
	v := c.dispatch(n)
	if (v.at == parse.Extent{}) {
		v.at = c.extents.Of(n)
	}
	return v
}

func (c *checker) dispatch(n ast.Node) typed {
	switch n := n.(type) {
	case *ast.NilNode:
		return typed{t: types.Null()}
	case *ast.BoolNode:
		return typed{t: types.Literal(spec.Bool, n.Value)}
	case *ast.IntegerNode:
		return typed{t: types.IntLiteral(n.Value)}
	case *ast.FloatNode:
		return typed{t: types.Literal(spec.Number, json.Number(types.NumberText(n.Value)))}
	case *ast.StringNode:
		return typed{t: types.Literal(spec.String, n.Value)}
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
			v.t = types.Nullable(v.t)
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
		return c.fail(parse.CodeSyntax, c.extents.Of(n), "", "this has no meaning in a spec")
	}
}

func (c *checker) conditional(n *ast.ConditionalNode) typed {
	c.wantBool(c.operand(n.Cond), "a condition")
	saved := c.facts
	c.facts = append(saved[:len(saved):len(saved)], c.when(n.Cond, true)...)
	a := c.operand(n.Exp1)
	c.facts = append(saved[:len(saved):len(saved)], c.when(n.Cond, false)...)
	b := c.operand(n.Exp2)
	c.facts = saved
	return typed{t: types.Join(a.t, b.t, c.types)}
}

func (c *checker) array(n *ast.ArrayNode) typed {
	item := types.Never()
	for _, part := range n.Nodes {
		item = types.Join(item, c.operand(part).t, c.types)
	}
	size := len(n.Nodes)
	return typed{t: &spec.Type{Kind: spec.List, Elem: item, MinLen: size, MaxLen: &size}}
}

func (c *checker) mapLiteral(n *ast.MapNode) typed {
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
			secret := c.scope.hides(asRefs(c.refs[before:]), parse.Moves(p.Value))
			setField(out, writtenProperty(key.Value, v.t, secret))
			continue
		}
		key := c.operand(p.Key)
		if t := c.nonNull(key); !types.IsAny(t) && !types.IsString(t) {
			c.fail(types.CodeTypeMismatch, key.at, "Turn it into text with string(…).", "a key must be a string, and this is %s", types.Describe(key.t))
		}
		dynamic = types.Join(dynamic, c.operand(p.Value).t, c.types)
	}
	if types.IsNever(dynamic) {
		return typed{t: out}
	}
	for _, f := range out.Fields {
		dynamic = types.Join(dynamic, f.Type, c.types)
	}
	return typed{t: types.MapOf(dynamic)}
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
