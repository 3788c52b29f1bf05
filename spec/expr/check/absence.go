package check

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// Absence is what a template may say about the existence of an object.
type Absence uint8

// What a template may say about the existence of an object.
const (
	// SaysNothing is a template that does not decide whether an object exists.
	SaysNothing Absence = iota
	// ByNull is a template whose value is null, or lacks an item, if the object does not exist.
	ByNull
	// ByTrue is a template that is true if the object does not exist.
	ByTrue
)

// Demand is what the base of an access to a member must be.
type Demand uint8

// What the base of an access to a member must be.
const (
	// Anything may be the base; null has no members, and the result is null.
	Anything Demand = iota
	// ContainerOrNull bases are objects, lists, and null, whose meaning the author gives.
	ContainerOrNull
	// Container bases are objects and lists.
	Container
	// ContainerWithMember bases are lists, and objects that have the member.
	ContainerWithMember
)

// decider finds the accesses to members that decide what a template says about the existence of an object: if one
// finds nothing, the template would say that the object does not exist.
type decider struct {
	found map[*ast.MemberNode]Demand
	// present are the parts that must not be null.
	present map[ast.Node]bool
	// variables are the values of the variables of `let`, by name.
	variables map[string]ast.Node
}

// decidingParts returns the accesses to members that decide what a template says, with what their bases must be.
func decidingParts(tree ast.Node, absence Absence) decider {
	d := decider{map[*ast.MemberNode]Demand{}, map[ast.Node]bool{}, map[string]ast.Node{}}
	switch absence {
	case ByNull:
		d.value(tree)
	case ByTrue:
		d.condition(tree, true)
	}
	return d
}

// value visits a part whose null would say that the object does not exist.
func (d decider) value(n ast.Node) {
	switch n := n.(type) {
	case *ast.ChainNode:
		d.value(n.Node)
	case *ast.IdentifierNode:
		d.variable(n, d.value)
	case *ast.MemberNode:
		d.member(n, ContainerWithMember)
	case *ast.SliceNode:
		d.value(n.Node)
	case *ast.ConditionalNode:
		d.value(n.Exp1)
		d.value(n.Exp2)
	case *ast.VariableDeclaratorNode:
		d.let(n, d.value)
	case *ast.SequenceNode:
		d.value(n.Nodes[len(n.Nodes)-1])
	case *ast.BinaryNode:
		if n.Operator == "??" {
			d.base(n.Left)
			d.value(n.Right)
		}
	case *ast.CallNode, *ast.BuiltinNode:
		switch name, first := callOf(n); {
		case first == nil:
		case name == "merge":
			d.base(first) // null is nothing to merge
		case name == "get":
			d.present[first] = true
			fallthrough
		default:
			d.value(first)
		}
	}
}

// member visits an access to a member. What it reads must have been looked for in something that is there.
func (d decider) member(n *ast.MemberNode, demand Demand) {
	if n.Optional {
		d.found[n] = max(d.found[n], ContainerOrNull)
		d.base(n.Node)
		return
	}
	d.found[n] = max(d.found[n], demand)
	d.value(n.Node)
}

// callOf returns the name of the function that a part calls, and the first argument, or nil.
func callOf(n ast.Node) (name string, first ast.Node) {
	var arguments []ast.Node
	switch n := n.(type) {
	case *ast.BuiltinNode:
		name, arguments = n.Name, n.Arguments
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok {
			name, arguments = id.Value, n.Arguments
		}
	}
	if len(arguments) == 0 {
		return "", nil
	}
	return name, arguments[0]
}

// base visits a part that may be null, because the author says what that means, but that must have been looked for in
// something that is there.
func (d decider) base(n ast.Node) {
	switch n := n.(type) {
	case *ast.ChainNode:
		d.base(n.Node)
	case *ast.IdentifierNode:
		d.variable(n, d.base)
	case *ast.MemberNode:
		d.member(n, Container)
	case *ast.VariableDeclaratorNode:
		d.let(n, d.base)
	case *ast.CallNode, *ast.BuiltinNode, *ast.ConditionalNode, *ast.BinaryNode:
		d.value(n)
	}
}

// condition visits a condition that says that the object does not exist if it is as given.
func (d decider) condition(n ast.Node, given bool) {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			d.condition(n.Node, !given)
		}
	case *ast.VariableDeclaratorNode:
		d.let(n, func(e ast.Node) { d.condition(e, given) })
	case *ast.BinaryNode:
		d.comparison(n, given)
	case *ast.BuiltinNode:
		name, first := callOf(n)
		if found := name == "any" || name == "one"; first != nil && (found || name == "all" || name == "none") && given != found {
			d.value(first)
		}
	case *ast.ChainNode, *ast.MemberNode, *ast.IdentifierNode:
		if !given {
			d.value(n)
		}
	}
}

// comparison visits a condition of two parts.
func (d decider) comparison(n *ast.BinaryNode, given bool) {
	equal := n.Operator == "=="
	switch n.Operator {
	case "&&", "and", "||", "or":
		d.condition(n.Left, given)
		d.condition(n.Right, given)
	case "==", "!=":
		for _, sides := range [...][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
			switch {
			case parse.IsNull(sides[1]) && equal == given:
				d.base(sides[0])
			case !parse.IsNull(sides[1]) && equal != given:
				d.value(sides[0])
			case equal == given:
				d.compared(sides[0], sides[1])
			}
		}
	case "in":
		if !given {
			d.value(n.Left)
			d.base(n.Right)
		}
	}
}

// compared visits a part that says that the object does not exist if it equals another one: null does not, unless
// the author says that it counts as that.
func (d decider) compared(n, other ast.Node) {
	if name, first := callOf(n); name == "len" || name == "count" {
		d.value(first)
	}
	if n, ok := n.(*ast.BinaryNode); ok && n.Operator == "??" && parse.SameLiteral(n.Right, other) {
		d.base(n.Left)
	}
}

func (d decider) let(n *ast.VariableDeclaratorNode, visit func(ast.Node)) {
	outer, shadows := d.variables[n.Name]
	d.variables[n.Name] = n.Value
	visit(n.Expr)
	if delete(d.variables, n.Name); shadows {
		d.variables[n.Name] = outer
	}
}

// variable visits the value of a variable where that is used.
func (d decider) variable(n *ast.IdentifierNode, visit func(ast.Node)) {
	value, ok := d.variables[n.Value]
	if !ok {
		return
	}
	delete(d.variables, n.Value) // its own value may use another one of the same name
	visit(value)
	d.variables[n.Value] = value
}

// noteDemand notes what the base of an access to a member must be.
func (m *memberCheck) noteDemand() {
	base, demand := m.base.Origin, Anything
	for _, path := range m.scope.Bodies {
		if len(base) < len(path) || !slices.Equal(path, base[:len(path)]) {
			continue
		}
		demand = m.deciding.found[m.n]
		if len(base) == len(path) && !m.n.Optional {
			demand = max(demand, Container)
		}
	}
	if demand == Anything || !types.IsAny(m.t) {
		return
	}
	if m.demands == nil {
		m.demands = map[*ast.MemberNode]Demand{}
	}
	m.demands[m.n] = demand
}
