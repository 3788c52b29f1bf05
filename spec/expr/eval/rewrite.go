package eval

import (
	"strconv"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/types"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
)

// runName is the name under which an evaluation's state is to be had in the
// machine; no template can spell it.
const runName = " run"

// rewriter turns a checked tree into one whose operators, members and functions
// are calls of ours. What is left to the machine is flow: conditionals, loops,
// variables, literals.
type rewriter struct {
	strict    map[*ast.MemberNode]bool
	functions *check.Functions
	// loops is how many predicates the node at hand stands in.
	loops int
	// lets numbers the variables that rewriting adds.
	lets int
	// roots are the names of the scope that the tree uses.
	roots map[string]bool
	bound []string
}

// plainNode marks a node as needing no dereference, which would cost more than
// most operations and take pointers apart.
func plainNode[N ast.Node](n N) N {
	n.SetNature(nature.Nature{Nil: true})
	return n
}

// operation returns a call of one of ours in place of a node.
func (w *rewriter) operation(at ast.Node, name string, args ...ast.Node) ast.Node {
	all := make([]ast.Node, 0, len(args)+1)
	all = append(all, plainNode(&ast.IdentifierNode{Value: runName}))
	n := plainNode(&ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: append(all, args...)})
	n.SetLocation(at.Location())
	return n
}

func constant(v any) ast.Node { return plainNode(&ast.ConstantNode{Value: v}) }

func (w *rewriter) all(nodes []ast.Node) []ast.Node {
	for i := range nodes {
		nodes[i] = w.rewrite(nodes[i])
	}
	return nodes
}

func (w *rewriter) rewrite(n ast.Node) ast.Node {
	switch n := n.(type) {
	case nil:
		return constant(nil)
	case *ast.IntegerNode:
		return constant(int64(n.Value))
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		return w.identifier(n)
	case *ast.PointerNode:
		if n.Name == "index" {
			return w.operation(n, "int64", plainNode(n))
		}
		return plainNode(n)
	case *ast.UnaryNode:
		return w.unary(n)
	case *ast.BinaryNode:
		return w.binary(n)
	case *ast.ChainNode:
		return w.rewrite(n.Node)
	case *ast.MemberNode:
		name := "."
		if w.strict[n] {
			name = "["
		}
		return w.operation(n, name, w.rewrite(n.Node), w.rewrite(n.Property))
	case *ast.SliceNode:
		return w.operation(n, "[:]", w.rewrite(n.Node), w.rewrite(n.From), w.rewrite(n.To))
	case *ast.CallNode:
		return w.call(n)
	case *ast.BuiltinNode:
		return w.builtin(n)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = w.truth(n.Cond), w.rewrite(n.Exp1), w.rewrite(n.Exp2)
	case *ast.VariableDeclaratorNode:
		n.Value = w.rewrite(n.Value)
		w.bound = append(w.bound, n.Name)
		n.Expr = w.rewrite(n.Expr)
		w.bound = w.bound[:len(w.bound)-1]
	case *ast.SequenceNode:
		n.Nodes = w.all(n.Nodes)
	case *ast.ArrayNode:
		n.Nodes = w.all(n.Nodes)
	case *ast.MapNode:
		w.mapLiteral(n)
	}
	return plainNode(n)
}

func (w *rewriter) identifier(n *ast.IdentifierNode) ast.Node {
	if n.Value == "null" {
		return constant(nil)
	}
	for _, name := range w.bound {
		if name == n.Value {
			return plainNode(n)
		}
	}
	if w.roots == nil {
		w.roots = map[string]bool{}
	}
	w.roots[n.Value] = true
	return plainNode(n)
}

func (w *rewriter) unary(n *ast.UnaryNode) ast.Node {
	switch n.Operator {
	case "-":
		return w.operation(n, "neg", w.rewrite(n.Node))
	case "+":
		return w.operation(n, "plus", w.rewrite(n.Node))
	default:
		n.Node = w.truth(n.Node)
		return plainNode(n)
	}
}

func (w *rewriter) binary(n *ast.BinaryNode) ast.Node {
	switch n.Operator {
	case "&&", "and", "||", "or":
		n.Left, n.Right = w.truth(n.Left), w.truth(n.Right)
		return plainNode(n)
	case "??":
		n.Left, n.Right = w.rewrite(n.Left), w.rewrite(n.Right)
		return plainNode(n)
	case "matches":
		return w.operation(n, n.Operator, w.rewrite(n.Left), regexpNode(n.Right, w))
	default:
		return w.operation(n, n.Operator, w.rewrite(n.Left), w.rewrite(n.Right))
	}
}

// regexpNode compiles a literal regular expression once and for all.
func regexpNode(n ast.Node, w *rewriter) ast.Node {
	if s, ok := n.(*ast.StringNode); ok {
		if re, err := types.Pattern(s.Value); err == nil {
			return constant(re)
		}
	}
	return w.rewrite(n)
}

// truth returns a node whose value the machine takes for true or false.
func (w *rewriter) truth(n ast.Node) ast.Node {
	sure := false
	switch n := n.(type) {
	case *ast.BoolNode:
		sure = true
	case *ast.UnaryNode:
		sure = n.Operator == "!" || n.Operator == "not"
	case *ast.BinaryNode:
		switch n.Operator {
		case "==", "!=", "<", ">", "<=", ">=", "in", "matches", "contains", "startsWith", "endsWith", "&&", "||", "and", "or":
			sure = true
		}
	}
	if sure {
		return w.rewrite(n)
	}
	return w.operation(n, "bool", w.rewrite(n))
}

func (w *rewriter) call(n *ast.CallNode) ast.Node {
	if m, ok := n.Callee.(*ast.MemberNode); ok {
		args := append([]ast.Node{w.rewrite(m.Node), w.rewrite(m.Property)}, w.all(n.Arguments)...)
		return w.operation(m, "method", args...)
	}
	id, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return constant(nil)
	}
	if f := w.functions.Named[id.Value]; f != nil {
		for i, arg := range n.Arguments {
			if len(f.Params) > 0 && f.Param(i).Pattern {
				n.Arguments[i] = regexpNode(arg, w)
			} else {
				n.Arguments[i] = w.rewrite(arg)
			}
		}
	}
	return w.operation(n, id.Value, n.Arguments...)
}

func (w *rewriter) mapLiteral(n *ast.MapNode) {
	for _, pair := range n.Pairs {
		p, ok := pair.(*ast.PairNode)
		if !ok {
			continue
		}
		if _, isName := p.Key.(*ast.StringNode); !isName {
			p.Key = w.operation(p.Key, "text", w.rewrite(p.Key))
		} else {
			plainNode(p.Key)
		}
		p.Value = w.rewrite(p.Value)
		plainNode(p)
	}
}

// builtin leaves the loop to the machine, and makes sure of what it goes over,
// of what the predicate yields, and that loops in loops come to an end.
func (w *rewriter) builtin(n *ast.BuiltinNode) ast.Node {
	list := w.operation(n.Arguments[0], "list", w.rewrite(n.Arguments[0]))
	list.SetLocation(n.Location())
	switch n.Name {
	case "sum":
		if len(n.Arguments) > 1 {
			list = w.loop("map", n, list, w.body(n.Arguments[1], false))
		}
		return w.operation(n, "sum", list)
	case "groupBy":
		return w.keyed(n, list, "group")
	case "sortBy":
		return w.keyed(n, list, "sortBy")
	}
	switch n.Name {
	// The machine's own loops from the end leave its stack in disorder.
	case "findLast":
		found := w.loop("filter", n, list, w.body(n.Arguments[1], true))
		return w.operation(n, "last", found)
	case "findLastIndex":
		return w.operation(n, "lastTrue", w.loop("map", n, list, w.body(n.Arguments[1], true)))
	}
	n.Arguments[0] = list
	condition := n.Name != "map" && n.Name != "reduce"
	if len(n.Arguments) > 1 {
		n.Arguments[1] = w.body(n.Arguments[1], condition)
	} else if condition {
		item := w.operation(n, "bool", plainNode(&ast.PointerNode{}))
		n.Arguments = append(n.Arguments, plainNode(&ast.PredicateNode{Node: item}))
	}
	if len(n.Arguments) > 2 {
		n.Arguments[2] = w.rewrite(n.Arguments[2])
	}
	switch n.Name {
	case "count", "findIndex":
		return w.operation(n, "int64", plainNode(n))
	}
	return plainNode(n)
}

func (w *rewriter) loop(name string, at ast.Node, args ...ast.Node) ast.Node {
	n := plainNode(&ast.BuiltinNode{Name: name, Arguments: args})
	n.SetLocation(at.Location())
	return n
}

// body returns the body of a predicate.
func (w *rewriter) body(n ast.Node, condition bool) ast.Node {
	p, ok := n.(*ast.PredicateNode)
	if !ok {
		p = &ast.PredicateNode{Node: n}
	}
	w.loops++
	if condition {
		p.Node = w.truth(p.Node)
	} else {
		p.Node = w.rewrite(p.Node)
	}
	w.loops--
	if w.loops > 0 {
		p.Node = w.operation(p.Node, "step", p.Node)
	}
	return plainNode(p)
}

// keyed returns an operation on the items of a list and on what a predicate makes of
// each: let l = list; op(l, map(l, predicate), order).
func (w *rewriter) keyed(n *ast.BuiltinNode, list ast.Node, op string) ast.Node {
	w.lets++
	name := " l" + strconv.Itoa(w.lets)
	load := func() ast.Node { return plainNode(&ast.IdentifierNode{Value: name}) }
	args := []ast.Node{load(), w.loop("map", n, load(), w.body(n.Arguments[1], false))}
	if op == "sortBy" {
		order := constant("asc")
		if len(n.Arguments) > 2 {
			order = w.rewrite(n.Arguments[2])
		}
		args = append(args, order)
	}
	return plainNode(&ast.VariableDeclaratorNode{Name: name, Value: list, Expr: w.operation(n, op, args...)})
}
