package expr

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Limits of what an author may write.
const (
	maxTemplate = 64 << 10 // bytes of a template
	maxNodes    = 10_000   // nodes of an expression's tree
)

// syntaxFault is an expression that cannot be parsed: from and to are code
// points of the expression.
type syntaxFault struct {
	from, to int
	message  string
}

// detail is the remedy for a fault that often has one reason.
func (f *syntaxFault) detail() string {
	switch f.message {
	case `unexpected ":"`:
		return "A struct that a predicate makes needs parentheses: map(list, ({name: .name}))."
	case `unexpected "="`:
		return "Two values are compared with ==."
	default:
		return ""
	}
}

// disabled turns expr's own functions off, but for those with predicates, which
// its virtual machine runs: ours stand in for them.
func disabled() map[string]bool {
	off := make(map[string]bool, len(builtin.Builtins))
	for _, f := range builtin.Builtins {
		off[f.Name] = !f.Predicate
	}
	return off
}

// parse is the tree of an expression.
func parse(source string, config *conf.Config) (node ast.Node, fault *syntaxFault) {
	defer func() {
		// The parser is a library's: a panic of it is a syntax error to us.
		if r := recover(); r != nil {
			node, fault = nil, &syntaxFault{0, len([]rune(source)), "this cannot be parsed"}
		}
	}()
	tree, err := parser.ParseWithConfig(source, config)
	if err == nil {
		return tree.Node, nil
	}
	var at *file.Error
	if !errors.As(err, &at) {
		return nil, &syntaxFault{0, len([]rune(source)), err.Error()}
	}
	return nil, &syntaxFault{at.From, max(at.To, at.From+1), syntaxMessage(at.Message)}
}

// tokenNames turns the parser's tokens (`Operator(")")`) into what was written.
var tokenNames = regexp.MustCompile(`(?:Operator|Bracket|Identifier|Number|String|Bytes)\((".*")\)`)

// syntaxMessage is a message of the parser's in an author's words.
func syntaxMessage(m string) string {
	m = strings.ReplaceAll(m, "unexpected token EOF", "the expression ends too early")
	m = tokenNames.ReplaceAllString(m, "$1")
	m = strings.Replace(m, "unexpected token ", "unexpected ", 1)
	switch {
	case strings.Contains(m, "maximum allowed nodes"):
		return fmt.Sprintf("the expression has more than %d parts", maxNodes)
	case strings.Contains(m, "expected at least"):
		return strings.Replace(m, "expected at least", "this call needs", 1)
	case strings.Contains(m, "integer literal"), strings.Contains(m, "hex literal"):
		return "this number does not fit an integer of 64 bits"
	case strings.Contains(m, "cannot be mixed"):
		return "?? and another operator need parentheses: write (a ?? b) + c"
	}
	return lowerFirst(m)
}

func lowerFirst(s string) string {
	if s == "" || len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

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

// extents measures nodes of one source.
type extents struct{ source []rune }

// of is where a node stands, with all that is under it.
func (x *extents) of(n ast.Node) extent {
	if n == nil {
		return extent{}
	}
	own := extent{n.Location().From, n.Location().To}
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
