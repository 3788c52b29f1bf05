package parse

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"
)

// StepOf returns a literal member as a step of a path.
func StepOf(property ast.Node) (string, bool) {
	switch p := property.(type) {
	case *ast.StringNode:
		return p.Value, true
	case *ast.IntegerNode:
		return strconv.Itoa(p.Value), p.Value >= 0
	default:
		return "", false
	}
}

// IsLiteralText reports whether an expression is a literal string, or a concatenation
// with one. It is then never null.
func IsLiteralText(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StringNode:
		return true
	case *ast.BinaryNode:
		return n.Operator == "+" && (IsLiteralText(n.Left) || IsLiteralText(n.Right)) ||
			n.Operator == "??" && IsLiteralText(n.Right)
	default:
		return false
	}
}

// IsNull reports whether a node is the literal null.
func IsNull(n ast.Node) bool {
	if id, ok := n.(*ast.IdentifierNode); ok {
		return id.Value == "null"
	}
	_, ok := n.(*ast.NilNode)
	return ok
}

// IsLiteral reports whether a node is a literal: a scalar or an empty list.
func IsLiteral(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	case *ast.ArrayNode:
		return len(n.Nodes) == 0
	default:
		return false
	}
}

// SameLiteral reports whether two literals have the same value.
func SameLiteral(a, b ast.Node) bool { return reflect.DeepEqual(LiteralOf(a), LiteralOf(b)) }

// LiteralOf returns the value of a literal, or nil for other nodes.
func LiteralOf(n ast.Node) any {
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

// Selects reports whether the result of an expression is always a constant or one of
// the values that it refers to.
func Selects(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.NilNode, *ast.IdentifierNode, *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	case *ast.ChainNode:
		return Selects(n.Node)
	case *ast.MemberNode:
		return Selects(n.Node)
	case *ast.SliceNode:
		return Selects(n.Node)
	case *ast.ConditionalNode:
		return Selects(n.Exp1) && Selects(n.Exp2)
	case *ast.VariableDeclaratorNode:
		return Selects(n.Value) && Selects(n.Expr)
	case *ast.BinaryNode:
		return n.Operator == "??" && Selects(n.Left) && Selects(n.Right)
	case *ast.BuiltinNode:
		return isSelector(n.Name) && Selects(n.Arguments[0])
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		return ok && isSelector(id.Value) && len(n.Arguments) > 0 && Selects(n.Arguments[0])
	default:
		return false
	}
}

// isSelector reports whether a function returns items of its first argument.
func isSelector(name string) bool {
	return slices.Contains([]string{"filter", "find", "findLast", "first", "last", "take", "reverse", "sort", "sortBy"}, name)
}

// Moves reports whether an expression only moves values, so that secrets keep their
// places: its result consists of values that it refers to, or structs and lists of
// them.
func Moves(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.MapNode:
		return true
	case *ast.ArrayNode:
		return !slices.ContainsFunc(n.Nodes, func(item ast.Node) bool { return !Moves(item) })
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		return ok && slices.Contains([]string{"merge", "pick", "omit"}, id.Value) &&
			!slices.ContainsFunc(n.Arguments, func(a ast.Node) bool { return !Moves(a) })
	default:
		return Selects(n)
	}
}

// IsSegments reports whether an expression is a call of segments(…), also one with local names, or such a name.
func IsSegments(n ast.Node) bool {
	locals := map[string]ast.Node{}
	for {
		if local, ok := n.(*ast.VariableDeclaratorNode); ok {
			locals[local.Name], n = local.Value, local.Expr
			continue
		}
		name, ok := n.(*ast.IdentifierNode)
		if !ok || locals[name.Value] == nil {
			break
		}
		n = locals[name.Value]
		delete(locals, name.Value) // its value only refers to names before it
	}
	call, ok := n.(*ast.CallNode)
	if !ok {
		return false
	}
	id, ok := call.Callee.(*ast.IdentifierNode)
	return ok && id.Value == "segments"
}
