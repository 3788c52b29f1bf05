package parse

import (
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/template"
)

// Literals returns the strings and numbers that the expressions of a tree contain as literals, as text. Names of members
// are none.
func Literals(n *spec.Node) map[string]bool {
	found := literals{texts: map[string]bool{}, members: map[ast.Node]bool{}}
	found.visitNode(n)
	return found.texts
}

// literals collects what Literals returns.
type literals struct {
	texts map[string]bool
	// members are the nodes that name a member: an expression contains them before the member itself.
	members map[ast.Node]bool
}

func (l *literals) visitNode(n *spec.Node) {
	if n == nil || !template.HasTemplate(n) {
		return
	}
	if n.Kind == spec.StringNode {
		pieces, _ := template.Scan(n.Text)
		for _, p := range pieces {
			if tree, bad := Expression(p.Text); p.Expr && bad == nil {
				ast.Walk(&tree, visitor(l.markMember))
				ast.Walk(&tree, visitor(l.add))
			}
		}
	}
	for _, item := range n.Items {
		l.visitNode(item)
	}
	for _, f := range n.Fields {
		l.visitNode(f.Value)
	}
}

// visitor is a function as an ast.Visitor.
type visitor func(n ast.Node)

// Visit calls the function.
func (v visitor) Visit(n *ast.Node) { v(*n) }

func (l *literals) markMember(n ast.Node) {
	switch n := n.(type) {
	case *ast.MemberNode:
		l.members[n.Property] = true
	case *ast.PairNode:
		l.members[n.Key] = true
	}
}

func (l *literals) add(n ast.Node) {
	switch n := n.(type) {
	case *ast.StringNode:
		if !l.members[n] {
			l.texts[n.Value] = true
		}
	case *ast.IntegerNode:
		l.texts[strconv.Itoa(n.Value)] = true
	}
}
