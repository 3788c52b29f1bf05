package expr

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"
)

// stepOf is a literal member as a step of a path.
func stepOf(property ast.Node) (string, bool) {
	switch p := property.(type) {
	case *ast.StringNode:
		return p.Value, true
	case *ast.IntegerNode:
		return strconv.Itoa(p.Value), p.Value >= 0
	default:
		return "", false
	}
}

// isLiteralText reports whether an expression can never come out null: text of
// the author's, and what it is put together with.
func isLiteralText(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StringNode:
		return true
	case *ast.BinaryNode:
		return n.Operator == "+" && (isLiteralText(n.Left) || isLiteralText(n.Right)) ||
			n.Operator == "??" && isLiteralText(n.Right)
	default:
		return false
	}
}

func isNullNode(n ast.Node) bool {
	if id, ok := n.(*ast.IdentifierNode); ok {
		return id.Value == "null"
	}
	_, ok := n.(*ast.NilNode)
	return ok
}

func isLiteral(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	case *ast.ArrayNode:
		return len(n.Nodes) == 0
	default:
		return false
	}
}

func sameLiteral(a, b ast.Node) bool { return reflect.DeepEqual(literalOf(a), literalOf(b)) }

// literalOf is the value of a literal; nil for what is none.
func literalOf(n ast.Node) any {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.IntegerNode:
		return int64(n.Value)
	case *ast.FloatNode:
		return n.Value
	case *ast.BoolNode:
		return n.Value
	default:
		return nil
	}
}

// selects reports whether an expression yields nothing but what it refers to, or
// constants.
func selects(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.NilNode, *ast.IdentifierNode, *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	case *ast.ChainNode:
		return selects(n.Node)
	case *ast.MemberNode:
		return selects(n.Node)
	case *ast.SliceNode:
		return selects(n.Node)
	case *ast.ConditionalNode:
		return selects(n.Exp1) && selects(n.Exp2)
	case *ast.BinaryNode:
		return n.Operator == "??" && selects(n.Left) && selects(n.Right)
	case *ast.BuiltinNode:
		return selectors(n.Name) && selects(n.Arguments[0])
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		return ok && selectors(id.Value) && len(n.Arguments) > 0 && selects(n.Arguments[0])
	default:
		return false
	}
}

// selectors are the functions that yield items of their first argument.
func selectors(name string) bool {
	return slices.Contains([]string{"filter", "find", "findLast", "first", "last", "take", "reverse", "sort", "sortBy"}, name)
}

// moves reports whether an expression keeps what is secret where it is: it yields
// nothing but what it refers to, or structs and lists of that.
func moves(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.MapNode:
		return true
	case *ast.ArrayNode:
		return !slices.ContainsFunc(n.Nodes, func(item ast.Node) bool { return !moves(item) })
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		return ok && slices.Contains([]string{"merge", "pick", "omit"}, id.Value) &&
			!slices.ContainsFunc(n.Arguments, func(a ast.Node) bool { return !moves(a) })
	default:
		return selects(n)
	}
}

// isSegments reports whether an expression is a call of segments(…).
func isSegments(n ast.Node) bool {
	call, ok := n.(*ast.CallNode)
	if !ok {
		return false
	}
	id, ok := call.Callee.(*ast.IdentifierNode)
	return ok && id.Value == "segments"
}
