package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// knowledge is what is known at one point of an expression: its variables, the items
// of the enclosing predicates, and the parts that are not null.
type knowledge struct {
	locals []local
	items  []item
	facts  []string // keys of the parts that are not null
	// nullMembers are the tests (`"a" in m`) for members that may be present but
	// null.
	nullMembers map[*ast.BinaryNode]bool
}

// item is the value of `#` in a predicate.
type item struct {
	val TypedPart
	acc *spec.Type // #acc, nil outside reduce
	// keyed means that the item is a value of a map, whose key is #key.
	keyed bool
}

// local is a variable of `let`.
type local struct {
	name string
	val  TypedPart
	// key is the key of the variable, which is that of its value if that has one.
	key string
}

// factsWhen returns the keys of the parts that are not null if a condition has the value
// truth.
func (k *knowledge) factsWhen(n ast.Node, truth bool) []string {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return k.factsWhen(n.Node, !truth)
		}
	case *ast.BinaryNode:
		return k.factsWhenBinary(n, truth)
	case *ast.PredicateNode:
		return k.factsWhen(n.Node, truth)
	case *ast.VariableDeclaratorNode:
		defer k.declare(n)()
		return k.factsWhen(n.Expr, truth)
	}
	return nil
}

// declare adds a variable whose value was checked before, and returns a function that removes it.
func (k *knowledge) declare(n *ast.VariableDeclaratorNode) (remove func()) {
	k.locals = append(k.locals, local{name: n.Name, key: cmp.Or(k.key(n.Value), "let "+n.Name)})
	return func() { k.locals = k.locals[:len(k.locals)-1] }
}

// factsPassed returns the keys of the parts that are not null if an expression is false or
// null. For `x ? "text" : null`, these are the parts that are not null if x is false.
func (k *knowledge) factsPassed(n ast.Node) []string {
	if let, ok := n.(*ast.VariableDeclaratorNode); ok {
		defer k.declare(let)()
		return k.factsPassed(let.Expr)
	}
	choice, ok := n.(*ast.ConditionalNode)
	if !ok {
		return k.factsWhen(n, false)
	}
	switch {
	case parse.IsLiteralText(choice.Exp1):
		return append(k.factsWhen(choice.Cond, false), k.factsPassed(choice.Exp2)...)
	case parse.IsNull(choice.Exp1) && parse.IsLiteralText(choice.Exp2):
		return k.factsWhen(choice.Cond, true)
	default:
		return nil
	}
}

func (k *knowledge) factsWhenBinary(n *ast.BinaryNode, truth bool) []string {
	switch n.Operator {
	case "&&", "and":
		if truth {
			return append(k.factsWhen(n.Left, true), k.factsWhen(n.Right, true)...)
		}
	case "||", "or":
		if !truth {
			return append(k.factsWhen(n.Left, false), k.factsWhen(n.Right, false)...)
		}
	case "==":
		return k.factsWhenEqual(n, truth)
	case "!=":
		return k.factsWhenEqual(n, !truth)
	case "in":
		if key, ok := n.Left.(*ast.StringNode); ok && truth {
			if base := k.key(n.Right); base != "" && k.nullMembers[n] {
				return []string{base}
			} else if base != "" {
				return []string{base + "\x00" + key.Value}
			}
		}
	case "??":
		// (x ?? false) is only true if x is true.
		if b, ok := n.Right.(*ast.BoolNode); ok && b.Value != truth {
			return k.keys(n.Left)
		}
	}
	return nil
}

// factsWhenEqual returns the keys of the parts that are not null if two parts are equal,
// or are not.
func (k *knowledge) factsWhenEqual(n *ast.BinaryNode, equal bool) []string {
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
		// (x ?? "") != "" implies that x is not null, and so does x == "a".
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

// truthsWhen returns the keys of the parts that are true if a condition has the value truth. There is none for one that holds
// without any of them, such as `!a` or `a || b`.
func (k *knowledge) truthsWhen(n ast.Node, truth bool) []string {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return k.truthsWhen(n.Node, !truth)
		}
	case *ast.VariableDeclaratorNode:
		defer k.declare(n)()
		return k.truthsWhen(n.Expr, truth)
	case *ast.ConditionalNode:
		return k.truthsOfChoice(n, truth)
	case *ast.BinaryNode:
		return k.truthsWhenBinary(n, truth)
	case *ast.ChainNode, *ast.MemberNode, *ast.IdentifierNode:
		if truth {
			return k.keys(n)
		}
	}
	return nil
}

func (k *knowledge) truthsWhenBinary(n *ast.BinaryNode, truth bool) []string {
	switch n.Operator {
	case "&&", "and", "||", "or":
		if and := n.Operator == "&&" || n.Operator == "and"; and == truth {
			return append(k.truthsWhen(n.Left, truth), k.truthsWhen(n.Right, truth)...)
		}
	case "==", "!=":
		// What differs from false may be null.
		for _, sides := range [...][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
			if b, ok := sides[1].(*ast.BoolNode); ok && truth == (n.Operator == "==") {
				return k.truthsWhen(sides[0], b.Value)
			}
		}
	case "??":
		if b, ok := n.Right.(*ast.BoolNode); ok && b.Value != truth {
			return k.truthsWhen(n.Left, truth)
		}
	}
	return nil
}

// truthsOfChoice returns what is true whichever part of a choice has the value truth.
func (k *knowledge) truthsOfChoice(n *ast.ConditionalNode, truth bool) []string {
	var of [][]string
	for _, part := range []struct {
		n    ast.Node
		when bool
	}{{n.Exp1, true}, {n.Exp2, false}} {
		if b, ok := part.n.(*ast.BoolNode); ok && b.Value != truth || parse.IsNull(part.n) {
			continue
		}
		of = append(of, append(k.truthsWhen(n.Cond, part.when), k.truthsWhen(part.n, truth)...))
	}
	switch len(of) {
	case 0:
		return nil
	case 1:
		return of[0]
	}
	return slices.DeleteFunc(of[0], func(key string) bool { return !slices.Contains(of[1], key) })
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

// key returns a key for a part. Parts with the same key have the same value. It
// returns "" for a part without a key.
func (k *knowledge) key(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if l := k.local(n.Value); l != nil {
			return l.key
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
	case *ast.BuiltinNode, *ast.CallNode:
		return k.callKey(n)
	}
	return ""
}

// callKey returns the key of a call: functions give the same result for the same arguments. A call
// that uses a variable or an item from around it has no key.
func (k *knowledge) callKey(n ast.Node) string {
	around := aroundCall{k, false, nil}
	if ast.Walk(&n, &around); around.used {
		return ""
	}
	return n.String() + rootMark + strings.Join(around.names, rootMark)
}

// rootMark separates the text of a call from the names that it uses.
const rootMark = "\x01"

// RootsOf returns the names of the scope that a path of Scope.Present begins with. There are
// several if it begins with a call.
func RootsOf(path []string) []string {
	if _, names, ok := strings.Cut(path[0], rootMark); ok {
		return strings.Split(names, rootMark)
	}
	return path[:1]
}

// aroundCall collects the names that a call uses.
type aroundCall struct {
	*knowledge
	// used means that it uses a variable, or perhaps an item, from around it.
	used  bool
	names []string
}

// Visit looks at one part of the call.
func (a *aroundCall) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		a.used = a.used || a.local(n.Value) != nil
		a.names = append(a.names, n.Value)
	case *ast.PointerNode:
		a.used = a.used || len(a.items) > 0
	}
}

// narrowCall returns the result of a call without null if it is known not to be null.
func (c *checker) narrowCall(n ast.Node, v TypedPart) TypedPart {
	if len(c.facts) > 0 && types.MayBeNull(v.T, c.Types) {
		v.T = c.narrow(c.key(n), v.T)
	}
	return v
}

// isPresent reports whether the part with a key is known not to be null.
func (k *knowledge) isPresent(key string) bool {
	return key != "" && slices.ContainsFunc(k.facts, func(fact string) bool {
		return fact == key || strings.HasPrefix(fact, key) && fact[len(key)] == 0
	})
}
