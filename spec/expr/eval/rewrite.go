package eval

import (
	"strconv"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
)

// runName is the name of the evaluation's state in the virtual machine. Templates
// cannot contain it.
const runName = " run"

// rewriter replaces the operators, members and functions of a checked tree by calls
// of this package. The virtual machine only runs the control flow: conditionals,
// loops, variables and literals.
type rewriter struct {
	strict    map[*ast.MemberNode]bool
	demands   map[*ast.MemberNode]check.Demand
	notNull   map[ast.Node]bool
	functions *check.Functions
	// sought is set if the expression looks for an object. result is then the list of which its value is an item, or nil.
	sought *check.Sought
	result ast.Node
	// loops is the number of predicates around the current node.
	loops int
	// ofEntries reports that the innermost predicate runs over the entries of a map, whose
	// values its items stand for.
	ofEntries bool
	// lets numbers the variables that the rewriter adds.
	lets int
	// roots are the names of the scope that the tree uses.
	roots map[string]bool
	bound []string
}

// plainNode marks a node as not requiring a dereference, which would be slower than
// most operations, and would dereference pointers.
func plainNode[N ast.Node](n N) N {
	n.SetNature(nature.Nature{Nil: true})
	return n
}

// makeCall returns a call of an operation that replaces a node.
func (w *rewriter) makeCall(at ast.Node, name string, args ...ast.Node) ast.Node {
	all := make([]ast.Node, 0, len(args)+1)
	all = append(all, plainNode(&ast.IdentifierNode{Value: runName}))
	n := plainNode(&ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: append(all, args...)})
	n.SetLocation(at.Location())
	return n
}

func constant(v any) ast.Node { return plainNode(&ast.ConstantNode{Value: v}) }

func (w *rewriter) rewriteAll(nodes []ast.Node) []ast.Node {
	for i := range nodes {
		nodes[i] = w.rewrite(nodes[i])
	}
	return nodes
}

func (w *rewriter) rewrite(n ast.Node) ast.Node {
	if w.notNull[n] {
		return w.makeCall(n, "!", w.rewritePart(n))
	}
	return w.rewritePart(n)
}

func (w *rewriter) rewritePart(n ast.Node) ast.Node {
	switch n := n.(type) {
	case nil:
		return constant(nil)
	case *ast.IntegerNode:
		return constant(int64(n.Value))
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		return w.rewriteIdentifier(n)
	case *ast.PointerNode:
		return w.rewritePointer(n)
	case *ast.UnaryNode:
		return w.rewriteUnary(n)
	case *ast.BinaryNode:
		return w.rewriteBinary(n)
	case *ast.ChainNode:
		return w.rewrite(n.Node)
	case *ast.MemberNode:
		name := "."
		switch {
		case w.strict[n]:
			name = "["
		case w.demands[n] == check.ContainerOrNull:
			name = "?."
		case w.demands[n] == check.Container:
			name = "!."
		case w.demands[n] == check.ContainerWithMember:
			name = "!!."
		}
		of := n.Node
		if isIndex(n.Property) {
			of = w.rewriteOneOf(of)
		} else {
			of = w.rewrite(of)
		}
		return w.makeCall(n, name, of, w.rewrite(n.Property))
	case *ast.SliceNode:
		return w.makeCall(n, "[:]", w.rewrite(n.Node), w.rewrite(n.From), w.rewrite(n.To))
	case *ast.CallNode:
		return w.rewriteCall(n)
	case *ast.BuiltinNode:
		return w.rewriteBuiltin(n)
	case *ast.ConditionalNode:
		n.Cond, n.Exp1, n.Exp2 = w.makeBool(n.Cond), w.rewrite(n.Exp1), w.rewrite(n.Exp2)
	case *ast.VariableDeclaratorNode:
		n.Value = w.rewrite(n.Value)
		w.bound = append(w.bound, n.Name)
		n.Expr = w.rewrite(n.Expr)
		w.bound = w.bound[:len(w.bound)-1]
	case *ast.SequenceNode:
		n.Nodes = w.rewriteAll(n.Nodes)
	case *ast.ArrayNode:
		n.Nodes = w.rewriteAll(n.Nodes)
	case *ast.MapNode:
		w.rewriteMap(n)
	}
	return plainNode(n)
}

func (w *rewriter) rewriteIdentifier(n *ast.IdentifierNode) ast.Node {
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

// rewritePointer rewrites the item of a predicate, or what belongs to it.
func (w *rewriter) rewritePointer(n *ast.PointerNode) ast.Node {
	switch {
	case n.Name == "index":
		return w.makeCall(n, "int64", plainNode(n))
	case w.ofEntries && (n.Name == "" || n.Name == "key"):
		member := "value"
		if n.Name == "key" {
			member = "key"
		}
		return w.makeCall(n, ".", plainNode(&ast.PointerNode{}), constant(member))
	}
	return plainNode(n)
}

func (w *rewriter) rewriteUnary(n *ast.UnaryNode) ast.Node {
	switch n.Operator {
	case "-":
		return w.makeCall(n, "neg", w.rewrite(n.Node))
	case "+":
		return w.makeCall(n, "plus", w.rewrite(n.Node))
	default:
		n.Node = w.makeBool(n.Node)
		return plainNode(n)
	}
}

func (w *rewriter) rewriteBinary(n *ast.BinaryNode) ast.Node {
	switch n.Operator {
	case "&&", "and", "||", "or":
		n.Left, n.Right = w.makeBool(n.Left), w.makeBool(n.Right)
		return plainNode(n)
	case "??":
		n.Left, n.Right = w.rewrite(n.Left), w.rewrite(n.Right)
		return plainNode(n)
	case "matches":
		return w.makeCall(n, n.Operator, w.rewrite(n.Left), regexpNode(n.Right, w))
	default:
		return w.makeCall(n, n.Operator, w.rewrite(n.Left), w.rewrite(n.Right))
	}
}

// regexpNode compiles a literal regular expression in advance.
func regexpNode(n ast.Node, w *rewriter) ast.Node {
	if s, ok := n.(*ast.StringNode); ok {
		if re, err := types.Pattern(s.Value); err == nil {
			return constant(re)
		}
	}
	return w.rewrite(n)
}

// makeBool returns a node whose value the virtual machine accepts as a boolean.
func (w *rewriter) makeBool(n ast.Node) ast.Node {
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
	return w.makeCall(n, "bool", w.rewrite(n))
}

func (w *rewriter) rewriteCall(n *ast.CallNode) ast.Node {
	if m, ok := n.Callee.(*ast.MemberNode); ok {
		args := append([]ast.Node{w.rewrite(m.Node), w.rewrite(m.Property)}, w.rewriteAll(n.Arguments)...)
		return w.makeCall(m, "method", args...)
	}
	id, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return constant(nil)
	}
	if f := w.functions.Named[id.Value]; f != nil {
		for i, arg := range n.Arguments {
			switch {
			case len(f.Params) > 0 && f.Param(i).Pattern:
				n.Arguments[i] = regexpNode(arg, w)
			case takesOne(id.Value):
				n.Arguments[i] = w.rewriteOneOf(arg)
			default:
				n.Arguments[i] = w.rewrite(arg)
			}
		}
	}
	return w.makeCall(n, id.Value, n.Arguments...)
}

func (w *rewriter) rewriteMap(n *ast.MapNode) {
	for _, pair := range n.Pairs {
		p, ok := pair.(*ast.PairNode)
		if !ok {
			continue
		}
		if _, isName := p.Key.(*ast.StringNode); !isName {
			p.Key = w.makeCall(p.Key, "text", w.rewrite(p.Key))
		} else {
			plainNode(p.Key)
		}
		p.Value = w.rewrite(p.Value)
		plainNode(p)
	}
}

// rewriteBuiltin leaves the loop to the virtual machine. It adds checks of the list and of
// the results of the predicate, and limits nested loops.
func (w *rewriter) rewriteBuiltin(n *ast.BuiltinNode) ast.Node {
	if n.Name == parse.MapValues {
		entries := w.makeCall(n, "entries of", w.rewrite(n.Arguments[0]))
		return w.rewriteKeyed(n, entries, "with values")
	}
	list := w.makeCall(n.Arguments[0], "list", w.rewrite(n.Arguments[0]))
	list.SetLocation(n.Location())
	switch n.Name {
	case "sum":
		if len(n.Arguments) > 1 {
			list = w.makeLoop("map", n, list, w.rewriteBody(n.Arguments[1], false))
		}
		return w.makeCall(n, "sum", list)
	case "groupBy":
		return w.rewriteKeyed(n, list, "group")
	case "sortBy":
		return w.rewriteKeyed(n, list, "sortBy")
	}
	sought := len(n.Arguments) > 1 && w.seeks(n.Arguments[1])
	switch n.Name {
	// The virtual machine's backward loops leave its stack in an invalid state.
	case "findLast":
		found := w.makeLoop("filter", n, list, w.rewriteBody(n.Arguments[1], true))
		if sought {
			found = w.makeUnique(n, found)
		}
		return w.makeCall(n, "last", found)
	case "find":
		if sought {
			found := w.makeLoop("filter", n, list, w.rewriteBody(n.Arguments[1], true))
			return w.makeCall(n, "first", w.makeUnique(n, found))
		}
	case "findLastIndex":
		return w.makeCall(n, "lastTrue", w.makeLoop("map", n, list, w.rewriteBody(n.Arguments[1], true)))
	}
	n.Arguments[0] = list
	condition := n.Name != "map" && n.Name != "reduce"
	if len(n.Arguments) > 1 {
		n.Arguments[1] = w.rewriteBody(n.Arguments[1], condition)
	} else if condition {
		item := w.makeCall(n, "bool", plainNode(&ast.PointerNode{}))
		n.Arguments = append(n.Arguments, plainNode(&ast.PredicateNode{Node: item}))
	}
	if len(n.Arguments) > 2 {
		n.Arguments[2] = w.rewrite(n.Arguments[2])
	}
	switch n.Name {
	case "count", "findIndex":
		return w.makeCall(n, "int64", plainNode(n))
	}
	return plainNode(n)
}

func (w *rewriter) makeLoop(name string, at ast.Node, args ...ast.Node) ast.Node {
	n := plainNode(&ast.BuiltinNode{Name: name, Arguments: args})
	n.SetLocation(at.Location())
	return n
}

// rewriteBody returns the body of a predicate.
func (w *rewriter) rewriteBody(n ast.Node, condition bool) ast.Node {
	return w.rewriteBodyOver(n, condition, false)
}

// rewriteBodyOver is rewriteBody; entries reports that the predicate runs over the entries
// of a map.
func (w *rewriter) rewriteBodyOver(n ast.Node, condition, entries bool) ast.Node {
	p, ok := n.(*ast.PredicateNode)
	if !ok {
		p = &ast.PredicateNode{Node: n}
	}
	w.loops++
	outer := w.ofEntries
	w.ofEntries = entries
	if condition {
		p.Node = w.makeBool(p.Node)
	} else {
		p.Node = w.rewrite(p.Node)
	}
	w.loops--
	w.ofEntries = outer
	if w.loops > 0 {
		p.Node = w.makeCall(p.Node, "step", p.Node)
	}
	return plainNode(p)
}

// rewriteKeyed returns an operation on the items of a list and the results of a predicate
// for them: let l = list; op(l, map(l, predicate), order).
func (w *rewriter) rewriteKeyed(n *ast.BuiltinNode, list ast.Node, op string) ast.Node {
	w.lets++
	name := " l" + strconv.Itoa(w.lets)
	load := func() ast.Node { return plainNode(&ast.IdentifierNode{Value: name}) }
	args := []ast.Node{load(), w.makeLoop("map", n, load(), w.rewriteBodyOver(n.Arguments[1], false, op == "with values"))}
	if op == "sortBy" {
		order := constant("asc")
		if len(n.Arguments) > 2 {
			order = w.rewrite(n.Arguments[2])
		}
		args = append(args, order)
	}
	return plainNode(&ast.VariableDeclaratorNode{Name: name, Value: list, Expr: w.makeCall(n, op, args...)})
}
