package parse

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Key is a key that is written in an expression, and that a member of its value has.
type Key struct {
	// Path leads to the member, with "*" for the items of a list and the values of a map.
	Path []string
	At   Extent
}

// maxKeyParts is the maximum number of parts whose keys are collected. Variables that use each other
// several times can have any number.
const maxKeyParts = 10_000

// KeysOf returns the keys of the structs that an expression yields or that are parts of what it
// yields: of `{a: 1}`, and of the arguments, branches and variables that a value comes from, as in
// `merge(body, {a: 1})` and `body.b ?? {a: 1}`.
func KeysOf(tree ast.Node, x *Extents) []Key {
	k := keys{x: x, lets: map[string]ast.Node{}}
	k.visit(tree, nil)
	return k.out
}

// keys collects the keys of one expression.
type keys struct {
	x *Extents
	// lets are the values of variables.
	lets map[string]ast.Node
	// parts is the number of parts that were visited.
	parts int
	out   []Key
}

func (k *keys) visit(n ast.Node, path []string) {
	if k.parts++; k.parts > maxKeyParts {
		return
	}
	switch n := n.(type) {
	case *ast.MapNode:
		for _, pair := range n.Pairs {
			k.pair(pair, path)
		}
	case *ast.ArrayNode:
		for _, item := range n.Nodes {
			k.visit(item, within(path, "*"))
		}
	case *ast.ConditionalNode:
		k.visit(n.Exp1, path)
		k.visit(n.Exp2, path)
	case *ast.BinaryNode:
		if n.Operator == "??" {
			k.visit(n.Left, path)
			k.visit(n.Right, path)
		}
	case *ast.VariableDeclaratorNode:
		k.lets[n.Name] = n.Value
		k.visit(n.Expr, path)
	case *ast.IdentifierNode:
		value := k.lets[n.Value]
		delete(k.lets, n.Value) // a variable is unknown in its own value
		k.visit(value, path)
		k.lets[n.Value] = value
	case *ast.SequenceNode:
		k.visit(n.Nodes[len(n.Nodes)-1], path)
	case *ast.ChainNode:
		k.visit(n.Node, path)
	case *ast.PredicateNode:
		k.visit(n.Node, within(path, "*"))
	case *ast.BuiltinNode:
		if n.Name == "map" || n.Name == MapValues {
			k.visit(n.Arguments[1], path)
		}
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok && id.Value == "merge" {
			for _, a := range n.Arguments {
				k.visit(a, path)
			}
		}
	}
}

func (k *keys) pair(pair ast.Node, path []string) {
	p, ok := pair.(*ast.PairNode)
	if !ok {
		return
	}
	name := "*" // a key that is computed
	if key, ok := p.Key.(*ast.StringNode); ok {
		name = key.Value
		k.out = append(k.out, Key{Path: within(path, name), At: k.x.Of(key)})
	}
	k.visit(p.Value, within(path, name))
}

func within(path []string, step string) []string { return append(slices.Clip(path), step) }
