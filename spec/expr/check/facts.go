package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
)

// knowledge is what is known at one place of an expression: its variables, the items
// of the predicates around it, and what is not null there.
type knowledge struct {
	locals []local
	items  []item
	facts  []string // keys of what is known not to be null
	// nullMembers are the tests (`"a" in m`) for members that may be there and
	// be null.
	nullMembers map[*ast.BinaryNode]bool
}

// item is what `#` is in a predicate.
type item struct {
	val Typed
	acc *spec.Type // #acc, nil outside reduce
}

// local is a variable of `let`.
type local struct {
	name string
	val  Typed
	id   int
}

// when returns what is known not to be null once a condition came out true, or
// false: the keys of the parts in question.
func (k *knowledge) when(n ast.Node, truth bool) []string {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return k.when(n.Node, !truth)
		}
	case *ast.BinaryNode:
		return k.whenBinary(n, truth)
	case *ast.PredicateNode:
		return k.when(n.Node, truth)
	}
	return nil
}

// passed returns what is known not to be null once an expression came out false or
// null: of `x ? "text" : null`, what is known where x is false.
func (k *knowledge) passed(n ast.Node) []string {
	choice, ok := n.(*ast.ConditionalNode)
	if !ok {
		return k.when(n, false)
	}
	switch {
	case parse.IsLiteralText(choice.Exp1):
		return append(k.when(choice.Cond, false), k.passed(choice.Exp2)...)
	case parse.IsNull(choice.Exp1) && parse.IsLiteralText(choice.Exp2):
		return k.when(choice.Cond, true)
	default:
		return nil
	}
}

func (k *knowledge) whenBinary(n *ast.BinaryNode, truth bool) []string {
	switch n.Operator {
	case "&&", "and":
		if truth {
			return append(k.when(n.Left, true), k.when(n.Right, true)...)
		}
	case "||", "or":
		if !truth {
			return append(k.when(n.Left, false), k.when(n.Right, false)...)
		}
	case "==":
		return k.whenEqual(n, truth)
	case "!=":
		return k.whenEqual(n, !truth)
	case "in":
		if key, ok := n.Left.(*ast.StringNode); ok && truth {
			if base := k.key(n.Right); base != "" && k.nullMembers[n] {
				return []string{base}
			} else if base != "" {
				return []string{base + "\x00" + key.Value}
			}
		}
	case "??":
		// (x ?? false) is true only where x is.
		if b, ok := n.Right.(*ast.BoolNode); ok && b.Value != truth {
			return k.keys(n.Left)
		}
	}
	return nil
}

// whenEqual returns what is known once two parts are equal, or are not.
func (k *knowledge) whenEqual(n *ast.BinaryNode, equal bool) []string {
	left, right := n.Left, n.Right
	if parse.IsNull(left) || parse.IsLiteral(left) && !parse.IsLiteral(right) {
		left, right = right, left
	}
	switch {
	case parse.IsNull(right):
		if !equal {
			return k.keys(left)
		}
	case parse.IsLiteral(right):
		// (x ?? "") != "" says that x is there; so does x == "a".
		if or, ok := left.(*ast.BinaryNode); ok && or.Operator == "??" && parse.IsLiteral(or.Right) {
			if same := parse.SameLiteral(or.Right, right); same != equal {
				return k.keys(or.Left)
			}
			return nil
		}
		if equal {
			return k.keys(left)
		}
	}
	return nil
}

func (k *knowledge) keys(n ast.Node) []string {
	if key := k.key(n); key != "" {
		return []string{key}
	}
	return nil
}

func (k *knowledge) local(name string) *local {
	for i := len(k.locals) - 1; i >= 0; i-- {
		if k.locals[i].name == name {
			return &k.locals[i]
		}
	}
	return nil
}

// key names a part for what is known of it: the same key is the same value. ""
// is a part that has no key.
func (k *knowledge) key(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if l := k.local(n.Value); l != nil {
			return "let " + n.Value + " " + strconv.Itoa(l.id)
		}
		return n.Value
	case *ast.PointerNode:
		if n.Name == "" {
			return "#" + strconv.Itoa(len(k.items))
		}
	case *ast.ChainNode:
		return k.key(n.Node)
	case *ast.MemberNode:
		step, ok := parse.StepOf(n.Property)
		if base := k.key(n.Node); ok && base != "" {
			return base + "\x00" + step
		}
	}
	return ""
}

// isPresent reports whether the part of a key is known not to be null.
func (k *knowledge) isPresent(key string) bool {
	return key != "" && slices.ContainsFunc(k.facts, func(fact string) bool {
		return fact == key || strings.HasPrefix(fact, key) && fact[len(key)] == 0
	})
}
