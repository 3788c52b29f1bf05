package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// extent is where a node stands, in code points of the source. The parser marks
// operators and names only: what is around them is theirs too.
type extent struct{ from, to int }

func (e extent) join(o extent) extent {
	switch {
	case e == extent{}:
		return o
	case o == extent{}:
		return e
	}
	return extent{min(e.from, o.from), max(e.to, o.to)}
}

// extentOf is where the parser marks a node: its name or operator, without what is
// around it.
func extentOf(n ast.Node) extent { return extent{n.Location().From, n.Location().To} }

// extents measures nodes of one source.
type extents struct{ source []rune }

// of is where a node stands, with all that is under it.
func (x *extents) of(n ast.Node) extent {
	if n == nil {
		return extent{}
	}
	own := extentOf(n)
	switch n := n.(type) {
	case *ast.UnaryNode:
		return own.join(x.of(n.Node))
	case *ast.BinaryNode:
		return x.of(n.Left).join(x.of(n.Right))
	case *ast.ChainNode:
		return x.of(n.Node)
	case *ast.PointerNode:
		return extent{own.from, own.to + len(n.Name)}
	case *ast.MemberNode:
		e := x.enclosed(x.of(n.Node), own.from).join(x.of(n.Property)).join(own)
		if n.Location() != n.Property.Location() {
			e.to = x.closed(e.to, ']')
		}
		return e
	case *ast.SliceNode:
		e := own.join(x.enclosed(x.of(n.Node), own.from)).join(x.of(n.From)).join(x.of(n.To))
		e.to = x.closed(e.to, ']')
		return e
	case *ast.CallNode:
		e := own.join(x.of(n.Callee))
		return x.call(e, n.Arguments)
	case *ast.BuiltinNode:
		return x.call(own, n.Arguments)
	case *ast.PredicateNode:
		return x.of(n.Node)
	case *ast.ConditionalNode:
		return x.of(n.Cond).join(x.of(n.Exp1)).join(x.of(n.Exp2))
	case *ast.VariableDeclaratorNode:
		return own.join(x.of(n.Value)).join(x.of(n.Expr))
	case *ast.SequenceNode:
		return x.all(own, n.Nodes)
	case *ast.ArrayNode:
		e := x.all(own, n.Nodes)
		e.to = x.closed(e.to, ']')
		return e
	case *ast.MapNode:
		e := x.all(own, n.Pairs)
		e.to = x.closed(e.to, '}')
		return e
	case *ast.PairNode:
		return x.of(n.Key).join(x.of(n.Value))
	default:
		return own
	}
}

// enclosed adds the parentheses around a node that something follows, at end:
// the tree does not have them.
func (x *extents) enclosed(e extent, end int) extent {
	for to := e.to; to < min(end, len(x.source)); to++ {
		if x.source[to] != ')' {
			continue
		}
		for from := e.from - 1; from >= 0; from-- {
			if x.source[from] == '(' {
				e = extent{from, to + 1}
				break
			}
			if x.source[from] != ' ' {
				break
			}
		}
	}
	return e
}

func (x *extents) all(e extent, nodes []ast.Node) extent {
	for _, n := range nodes {
		e = e.join(x.of(n))
	}
	return e
}

func (x *extents) call(e extent, args []ast.Node) extent {
	name := e
	e = x.all(e, args)
	if e.to == name.to && e.to < len(x.source) && x.source[e.to] == '(' {
		e.to++
	}
	e.to = x.closed(e.to, ')')
	return e
}

// closed is the position behind the bracket that closes a node, where nothing
// but space, commas and closing parentheses lies between.
func (x *extents) closed(to int, bracket rune) int {
	for i := to; i < len(x.source); i++ {
		switch x.source[i] {
		case bracket:
			return i + 1
		case ' ', '\t', '\n', '\r', ',', ')':
		default:
			return to
		}
	}
	return to
}

// place is where an expression stands in a document.
type place struct {
	node   *spec.Node
	offset int
	source string
}

// at returns the place of a part of the expression.
func (p place) at(e extent) diag.Range { return p.node.At(p.offset+e.from, p.offset+e.to) }

// whole is the extent of all of the expression.
func (p place) whole() extent { return extent{0, utf8.RuneCountInString(p.source)} }

// trimmed is the extent of the expression without the space around it.
func (p place) trimmed() extent {
	from := utf8.RuneCountInString(p.source) - utf8.RuneCountInString(strings.TrimLeft(p.source, " \t\r\n"))
	return extent{from, from + utf8.RuneCountInString(strings.TrimSpace(p.source))}
}
