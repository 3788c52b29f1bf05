package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Extent is where a node stands, in code points of the source. The parser marks
// operators and names only: what is around them is theirs too.
type Extent struct{ From, To int }

// Join returns the extent from the first to the last of both.
func (e Extent) Join(o Extent) Extent {
	switch {
	case e == Extent{}:
		return o
	case o == Extent{}:
		return e
	}
	return Extent{min(e.From, o.From), max(e.To, o.To)}
}

// ExtentOf returns where the parser marks a node: its name or operator, without what is
// around it.
func ExtentOf(n ast.Node) Extent { return Extent{n.Location().From, n.Location().To} }

// Extents measures nodes of one source.
type Extents struct{ Source []rune }

// Of returns where a node stands, with all that is under it.
func (x *Extents) Of(n ast.Node) Extent {
	if n == nil {
		return Extent{}
	}
	own := ExtentOf(n)
	switch n := n.(type) {
	case *ast.UnaryNode:
		return own.Join(x.Of(n.Node))
	case *ast.BinaryNode:
		return x.Of(n.Left).Join(x.Of(n.Right))
	case *ast.ChainNode:
		return x.Of(n.Node)
	case *ast.PointerNode:
		return Extent{own.From, own.To + len(n.Name)}
	case *ast.MemberNode:
		e := x.enclosed(x.Of(n.Node), own.From).Join(x.Of(n.Property)).Join(own)
		if n.Location() != n.Property.Location() {
			e.To = x.closed(e.To, ']')
		}
		return e
	case *ast.SliceNode:
		e := own.Join(x.enclosed(x.Of(n.Node), own.From)).Join(x.Of(n.From)).Join(x.Of(n.To))
		e.To = x.closed(e.To, ']')
		return e
	case *ast.CallNode:
		e := own.Join(x.Of(n.Callee))
		return x.call(e, n.Arguments)
	case *ast.BuiltinNode:
		return x.call(own, n.Arguments)
	case *ast.PredicateNode:
		return x.Of(n.Node)
	case *ast.ConditionalNode:
		return x.Of(n.Cond).Join(x.Of(n.Exp1)).Join(x.Of(n.Exp2))
	case *ast.VariableDeclaratorNode:
		return own.Join(x.Of(n.Value)).Join(x.Of(n.Expr))
	case *ast.SequenceNode:
		return x.all(own, n.Nodes)
	case *ast.ArrayNode:
		e := x.all(own, n.Nodes)
		e.To = x.closed(e.To, ']')
		return e
	case *ast.MapNode:
		e := x.all(own, n.Pairs)
		e.To = x.closed(e.To, '}')
		return e
	case *ast.PairNode:
		return x.Of(n.Key).Join(x.Of(n.Value))
	default:
		return own
	}
}

// enclosed adds the parentheses around a node that something follows, at end:
// the tree does not have them.
func (x *Extents) enclosed(e Extent, end int) Extent {
	for to := e.To; to < min(end, len(x.Source)); to++ {
		if x.Source[to] != ')' {
			continue
		}
		for from := e.From - 1; from >= 0; from-- {
			if x.Source[from] == '(' {
				e = Extent{from, to + 1}
				break
			}
			if x.Source[from] != ' ' {
				break
			}
		}
	}
	return e
}

func (x *Extents) all(e Extent, nodes []ast.Node) Extent {
	for _, n := range nodes {
		e = e.Join(x.Of(n))
	}
	return e
}

func (x *Extents) call(e Extent, args []ast.Node) Extent {
	name := e
	e = x.all(e, args)
	if e.To == name.To && e.To < len(x.Source) && x.Source[e.To] == '(' {
		e.To++
	}
	e.To = x.closed(e.To, ')')
	return e
}

// closed returns the position behind the bracket that closes a node, where nothing
// but space, commas and closing parentheses lies between.
func (x *Extents) closed(to int, bracket rune) int {
	for i := to; i < len(x.Source); i++ {
		switch x.Source[i] {
		case bracket:
			return i + 1
		case ' ', '\t', '\n', '\r', ',', ')':
		default:
			return to
		}
	}
	return to
}

// Place is where an expression stands in a document.
type Place struct {
	Node   *spec.Node
	Offset int
	Source string
}

// At returns the place of a part of the expression.
func (p Place) At(e Extent) diag.Range { return p.Node.At(p.Offset+e.From, p.Offset+e.To) }

// Whole returns the extent of all of the expression.
func (p Place) Whole() Extent { return Extent{0, utf8.RuneCountInString(p.Source)} }

// Trimmed returns the extent of the expression without the space around it.
func (p Place) Trimmed() Extent {
	from := utf8.RuneCountInString(p.Source) - utf8.RuneCountInString(strings.TrimLeft(p.Source, " \t\r\n"))
	return Extent{from, from + utf8.RuneCountInString(strings.TrimSpace(p.Source))}
}
