package eval

import (
	"github.com/expr-lang/expr/ast"
)

// buildLet returns the evaluator of `let x = …; …` if the variable only moves to one place of the
// result, and nil otherwise. Its value is then compiled at that place, so that unknown and secret
// values keep their places, as if it had been written there.
func (b *builder) buildLet(n *ast.VariableDeclaratorNode) Evaluator {
	if !isMoved(n) {
		return nil
	}
	outer, shadows := b.moved[n.Name]
	if b.moved == nil {
		b.moved = map[string]ast.Node{}
	}
	b.moved[n.Name] = n.Value
	out := b.build(n.Expr)
	if delete(b.moved, n.Name); shadows {
		b.moved[n.Name] = outer
	}
	return out
}

// isMoved reports whether the only use of a variable is one that moves it.
func isMoved(n *ast.VariableDeclaratorNode) bool {
	uses := useCounter{name: n.Name}
	body := n.Expr
	ast.Walk(&body, &uses)
	return uses.count == 1 && moves(n.Expr, n.Name)
}

// moves reports whether a node that buildStructure compiles by its structure moves the variable.
func moves(n ast.Node, name string) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value == name
	case *ast.VariableDeclaratorNode:
		return n.Name != name && isMoved(n) && (moves(n.Value, name) || moves(n.Expr, name))
	case *ast.ArrayNode:
		return anyMoves(n.Nodes, name)
	case *ast.MapNode:
		var values []ast.Node
		for _, pair := range n.Pairs {
			p, ok := pair.(*ast.PairNode)
			if !ok {
				return false
			}
			if _, literal := p.Key.(*ast.StringNode); !literal {
				return false
			}
			values = append(values, p.Value)
		}
		return anyMoves(values, name)
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		return ok && id.Value == "merge" && anyMoves(n.Arguments, name)
	default:
		return false
	}
}

func anyMoves(nodes []ast.Node, name string) bool {
	for _, n := range nodes {
		if moves(n, name) {
			return true
		}
	}
	return false
}

// useCounter counts the identifiers of a name.
type useCounter struct {
	name  string
	count int
}

func (c *useCounter) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok && id.Value == c.name {
		c.count++
	}
}
