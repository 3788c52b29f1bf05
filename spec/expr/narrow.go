package expr

import (
	"reflect"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// when is what is known not to be null once a condition came out true, or
// false: the keys of the parts in question.
func (c *checker) when(n ast.Node, truth bool) []string {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return c.when(n.Node, !truth)
		}
	case *ast.BinaryNode:
		return c.whenBinary(n, truth)
	case *ast.PredicateNode:
		return c.when(n.Node, truth)
	}
	return nil
}

// passed is what is known not to be null once an expression came out false or
// null: of `x ? "text" : null`, what is known where x is false.
func (c *checker) passed(n ast.Node) []string {
	choice, ok := n.(*ast.ConditionalNode)
	if !ok {
		return c.when(n, false)
	}
	switch {
	case isLiteralText(choice.Exp1):
		return append(c.when(choice.Cond, false), c.passed(choice.Exp2)...)
	case isNullNode(choice.Exp1) && isLiteralText(choice.Exp2):
		return c.when(choice.Cond, true)
	default:
		return nil
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

func (c *checker) whenBinary(n *ast.BinaryNode, truth bool) []string {
	switch n.Operator {
	case "&&", "and":
		if truth {
			return append(c.when(n.Left, true), c.when(n.Right, true)...)
		}
	case "||", "or":
		if !truth {
			return append(c.when(n.Left, false), c.when(n.Right, false)...)
		}
	case "==":
		return c.whenEqual(n, truth)
	case "!=":
		return c.whenEqual(n, !truth)
	case "in":
		if key, ok := n.Left.(*ast.StringNode); ok && truth {
			if base := c.key(n.Right); base != "" && c.nullMembers[n] {
				return []string{base}
			} else if base != "" {
				return []string{base + "\x00" + key.Value}
			}
		}
	case "??":
		// (x ?? false) is true only where x is.
		if b, ok := n.Right.(*ast.BoolNode); ok && b.Value != truth {
			return c.keys(n.Left)
		}
	}
	return nil
}

// whenEqual is what is known once two parts are equal, or are not.
func (c *checker) whenEqual(n *ast.BinaryNode, equal bool) []string {
	left, right := n.Left, n.Right
	if isNullNode(left) || isLiteral(left) && !isLiteral(right) {
		left, right = right, left
	}
	switch {
	case isNullNode(right):
		if !equal {
			return c.keys(left)
		}
	case isLiteral(right):
		// (x ?? "") != "" says that x is there; so does x == "a".
		if or, ok := left.(*ast.BinaryNode); ok && or.Operator == "??" && isLiteral(or.Right) {
			if same := sameLiteral(or.Right, right); same != equal {
				return c.keys(or.Left)
			}
			return nil
		}
		if equal {
			return c.keys(left)
		}
	}
	return nil
}

func (c *checker) keys(n ast.Node) []string {
	if key := c.key(n); key != "" {
		return []string{key}
	}
	return nil
}

// facts are the keys of what a scope knows not to be null.
func (s *Scope) facts() []string {
	var keys []string
	for _, path := range s.Present {
		keys = append(keys, strings.Join(path, "\x00"))
	}
	return keys
}

// pathsOf are the paths of keys that begin with a name of the scope; variables
// and items are of no use outside of their expression.
func pathsOf(keys []string) [][]string {
	var paths [][]string
	for _, key := range keys {
		if !strings.HasPrefix(key, "let ") && !strings.HasPrefix(key, "#") {
			paths = append(paths, strings.Split(key, "\x00"))
		}
	}
	return paths
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
