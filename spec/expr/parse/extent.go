package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Extent is the position of a node, in code points of the source. The parser only
// marks the operator or name of a node.
type Extent struct{ From, To int }

// Join returns the smallest extent that contains both.
func (e Extent) Join(o Extent) Extent {
	switch {
	case e == Extent{}:
		return o
	case o == Extent{}:
		return e
	}
	return Extent{min(e.From, o.From), max(e.To, o.To)}
}

// ExtentOf returns the extent that the parser marks for a node: only its name or
// operator.
func ExtentOf(n ast.Node) Extent { return Extent{n.Location().From, n.Location().To} }

// Extents returns the extents of nodes of one source.
type Extents struct{ Source []rune }

// Of returns the extent of a node, including all its parts.
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
		e := x.withParentheses(x.Of(n.Node), own.From).Join(x.Of(n.Property)).Join(own)
		if n.Location() != n.Property.Location() {
			e.To = x.endOfBracket(e.To, ']')
		}
		return e
	case *ast.SliceNode:
		e := own.Join(x.withParentheses(x.Of(n.Node), own.From)).Join(x.Of(n.From)).Join(x.Of(n.To))
		e.To = x.endOfBracket(e.To, ']')
		return e
	case *ast.CallNode:
		e := own.Join(x.Of(n.Callee))
		return x.ofCall(e, n.Arguments)
	case *ast.BuiltinNode:
		return x.ofCall(own, n.Arguments)
	case *ast.PredicateNode:
		return x.Of(n.Node)
	case *ast.ConditionalNode:
		return x.Of(n.Cond).Join(x.Of(n.Exp1)).Join(x.Of(n.Exp2))
	case *ast.VariableDeclaratorNode:
		return own.Join(x.Of(n.Value)).Join(x.Of(n.Expr))
	case *ast.SequenceNode:
		return x.joinAll(own, n.Nodes)
	case *ast.ArrayNode:
		e := x.joinAll(own, n.Nodes)
		e.To = x.endOfBracket(e.To, ']')
		return e
	case *ast.MapNode:
		e := x.joinAll(own, n.Pairs)
		e.To = x.endOfBracket(e.To, '}')
		return e
	case *ast.PairNode:
		return x.Of(n.Key).Join(x.Of(n.Value))
	default:
		return own
	}
}

// withParentheses extends e by the parentheses around a node that is followed by something
// at end. The tree does not contain them.
func (x *Extents) withParentheses(e Extent, end int) Extent {
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

func (x *Extents) joinAll(e Extent, nodes []ast.Node) Extent {
	for _, n := range nodes {
		e = e.Join(x.Of(n))
	}
	return e
}

func (x *Extents) ofCall(e Extent, args []ast.Node) Extent {
	name := e
	e = x.joinAll(e, args)
	if e.To == name.To && e.To < len(x.Source) && x.Source[e.To] == '(' {
		e.To++
	}
	e.To = x.endOfBracket(e.To, ')')
	return e
}

// endOfBracket returns the position after the bracket that closes a node. Only space,
// commas and closing parentheses may precede the bracket.
func (x *Extents) endOfBracket(to int, bracket rune) int {
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

// Place is the position of an expression in a document.
type Place struct {
	Node   *spec.Node
	Offset int
	Source string
}

// At returns the position of a part of the expression in the document.
func (p Place) At(e Extent) diag.Range { return p.Node.At(p.Offset+e.From, p.Offset+e.To) }

// IsInText reports whether the expression is only a part of its string, such as "/pets/${id}".
func (p Place) IsInText() bool { return strings.TrimSpace(p.Node.Text) != "${"+p.Source+"}" }

// Whole returns the extent of the whole expression.
func (p Place) Whole() Extent { return Extent{0, utf8.RuneCountInString(p.Source)} }

// Trimmed returns the extent of the expression without surrounding space.
func (p Place) Trimmed() Extent {
	from := utf8.RuneCountInString(p.Source) - utf8.RuneCountInString(strings.TrimLeft(p.Source, " \t\r\n"))
	return Extent{from, from + utf8.RuneCountInString(strings.TrimSpace(p.Source))}
}
