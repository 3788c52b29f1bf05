package parse

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/template"
)

// Members returns the members of a name that a tree of templates refers to, sorted.
// whole reports whether it refers to the name as a whole or to a computed member. The
// tree may be invalid: expressions that cannot be parsed are ignored.
func Members(n *spec.Node, name string) (members []string, whole bool) {
	m := mentions{name: name, found: map[string]bool{}}
	m.visitNode(n)
	for member := range m.found {
		members = append(members, member)
	}
	slices.Sort(members)
	return members, m.whole
}

// Uses returns the positions, in code points, at which an expression uses a name, in
// order. It returns none if the expression cannot be parsed.
func Uses(text, name string) []int {
	m := mentions{name: name, found: map[string]bool{}}
	m.visitExpression(text)
	at := lists.Map(m.uses, func(use *ast.IdentifierNode) int { return use.Location().From })
	slices.Sort(at)
	return at
}

// CanParse reports whether an expression can be parsed.
func CanParse(text string) bool {
	_, bad := Expression(text)
	return bad == nil
}

// Names returns the names that an expression uses, without those of functions that it calls.
func Names(text string) (names []string) {
	tree, bad := Expression(text)
	if bad != nil {
		return nil
	}
	found := nameList{called: map[ast.Node]bool{}}
	ast.Walk(&tree, &found)
	for _, id := range found.all {
		if !found.called[id] {
			names = append(names, id.Value)
		}
	}
	return names
}

// nameList collects the names of an expression.
type nameList struct {
	all    []*ast.IdentifierNode
	called map[ast.Node]bool
}

// Visit adds a name.
func (l *nameList) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		l.all = append(l.all, n)
	case *ast.CallNode:
		l.called[n.Callee] = true
	}
}

// IsPath reports whether an expression is a name, or members of a name.
func IsPath(text string) bool {
	tree, bad := Expression(text)
	return bad == nil && isPath(tree)
}

func isPath(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return true
	case *ast.ChainNode:
		return isPath(n.Node)
	case *ast.MemberNode:
		_, literal := StepOf(n.Property)
		return literal && isPath(n.Node)
	default:
		return false
	}
}

// mentions collects what Members returns.
type mentions struct {
	name  string
	found map[string]bool
	whole bool
	// direct are the uses of the name that select a member.
	direct map[*ast.IdentifierNode]bool
	uses   []*ast.IdentifierNode
}

func (m *mentions) visitNode(n *spec.Node) {
	switch {
	case n == nil || !template.HasTemplate(n):
		return
	case n.Kind == spec.StringNode:
		pieces, _ := template.Scan(n.Text)
		for _, p := range pieces {
			if p.Expr {
				m.visitExpression(p.Text)
			}
		}
	}
	for _, item := range n.Items {
		m.visitNode(item)
	}
	for _, f := range n.Fields {
		m.visitNode(f.Value)
	}
}

func (m *mentions) visitExpression(text string) {
	tree, bad := Expression(text)
	if bad != nil {
		return
	}
	m.direct, m.uses = map[*ast.IdentifierNode]bool{}, nil
	ast.Walk(&tree, m)
	for _, use := range m.uses {
		m.whole = m.whole || !m.direct[use]
	}
}

// Visit records a use of the name, and the selected member.
func (m *mentions) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		if n.Value == m.name {
			m.uses = append(m.uses, n)
		}
	case *ast.MemberNode:
		base := n.Node
		if chain, ok := base.(*ast.ChainNode); ok {
			base = chain.Node
		}
		use, ok := base.(*ast.IdentifierNode)
		if !ok || use.Value != m.name {
			return
		}
		if member, ok := StepOf(n.Property); ok {
			m.direct[use], m.found[member] = true, true
		}
	}
}
