package eval

import (
	"errors"
	"slices"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/expr-lang/expr/ast"
)

// builder compiles a checked tree to evaluators.
type builder struct {
	machine *Machine
	of      *check.Result
	err     error
	// moved are the values of the variables that are compiled where they are used.
	moved map[string]ast.Node
}

// Build compiles a checked expression. It modifies the tree.
func (m *Machine) Build(of *check.Result) (Piece, error) {
	b := builder{machine: m, of: of}
	selecting, segments := parse.Selects(of.Tree) || takesOneOfResponse(of), parse.IsSegments(of.Tree)
	out := Piece{Part: b.build(of.Tree), segments: segments, at: of.Place.Whole(), place: of.Place}
	switch part := out.Part.(type) {
	case *formula:
		if selecting {
			part.selects = &selection{scope: of.Scope, t: of.Type}
		}
	case *Chain:
		out.Ref = part.path
	}
	return out, b.err
}

// build compiles a node. A node that only moves values is compiled by its structure,
// so that unknown and secret values keep their places. Others are compiled for the
// virtual machine.
func (b *builder) build(n ast.Node) Evaluator {
	if n != b.of.Tree || !takesOneOfResponse(b.of) {
		if part := b.buildStructure(n); part != nil {
			return part
		}
	}
	at := b.of.Extents.Of(n)
	var refs []check.Reference
	for _, r := range b.of.Uses {
		if r.At.From >= at.From && r.At.To <= at.To {
			refs = append(refs, r)
		}
	}
	p, err := b.machine.compile(n, b.of)
	if err != nil {
		b.err = errors.Join(b.err, err)
		return Constant{}
	}
	if len(refs) > 0 {
		return &formula{program: p, refs: refs}
	}
	return b.fold(p)
}

// The limits for evaluating a constant once and keeping the result. A constant that
// exceeds them is evaluated each time.
const (
	MaxFoldWork = 1_000_000
	maxFoldText = 1 << 20
	maxFoldSize = 10_000
)

// fold returns the constant value of an expression without references.
func (b *builder) fold(p *program) Evaluator {
	r := NewRun(nil, MaxFoldWork)
	v, err := p.evalIn(r, &Vars{}, false)
	if errors.Is(err, ErrWork) || r.Used() > MaxFoldWork/2 || r.text > maxFoldText || r.results > maxFoldSize {
		return &formula{program: p}
	}
	b.err = errors.Join(b.err, err)
	return Constant{v}
}

// buildStructure returns the evaluator of a node that only moves values, or nil for other
// nodes.
func (b *builder) buildStructure(n ast.Node) Evaluator {
	switch n := n.(type) {
	case *ast.NilNode:
		return Constant{}
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return Constant{parse.LiteralOf(n)}
	case *ast.VariableDeclaratorNode:
		return b.buildLet(n)
	case *ast.IdentifierNode:
		if value, ok := b.moved[n.Value]; ok {
			return b.build(value)
		}
		return b.buildChain(n)
	case *ast.MemberNode, *ast.ChainNode:
		return b.buildChain(n)
	case *ast.ArrayNode:
		out := &Sequence{}
		for _, item := range n.Nodes {
			out.Parts = append(out.Parts, b.build(item))
		}
		return Fold(out, out.Parts)
	case *ast.MapNode:
		return b.buildMap(n)
	case *ast.CallNode:
		return b.buildCall(n)
	}
	return nil
}

// Fold returns e as a constant if all its parts are constants.
func Fold(e Evaluator, parts []Evaluator) Evaluator {
	for _, p := range parts {
		if _, ok := p.(Constant); !ok {
			return e
		}
	}
	v, err := e.Eval(nil, NewRun(nil, MaxFoldWork))
	if err != nil {
		return e
	}
	return Constant{v}
}

// buildChain returns the evaluator of a plain member chain, or nil for other nodes.
func (b *builder) buildChain(n ast.Node) Evaluator {
	out := &Chain{at: b.of.Extents.Of(n), place: b.of.Place}
	for {
		switch m := n.(type) {
		case *ast.ChainNode:
			n = m.Node
			continue
		case *ast.MemberNode:
			step, ok := parse.StepOf(m.Property)
			if !ok {
				return nil
			}
			out.path = append(out.path, step)
			out.strict, out.demands = append(out.strict, b.of.Strict[m]), append(out.demands, b.of.Demands[m])
			n = m.Node
			continue
		case *ast.IdentifierNode:
			if m.Value == "null" {
				if len(out.path) == 0 {
					return Constant{}
				}
				return nil
			}
			out.path = append(out.path, m.Value)
			out.strict, out.demands = append(out.strict, false), append(out.demands, check.Anything)
			slices.Reverse(out.path)
			slices.Reverse(out.strict)
			slices.Reverse(out.demands)
			return out
		default:
			return nil
		}
	}
}

func (b *builder) buildMap(n *ast.MapNode) Evaluator {
	out := &Dict{}
	for _, pair := range n.Pairs {
		p, ok := pair.(*ast.PairNode)
		if !ok {
			return nil
		}
		key, ok := p.Key.(*ast.StringNode)
		if !ok {
			return nil
		}
		out.Keys = append(out.Keys, key.Value)
	}
	for _, pair := range n.Pairs {
		out.Parts = append(out.Parts, b.build(pair.(*ast.PairNode).Value))
	}
	return Fold(out, out.Parts)
}

// buildCall returns the evaluator of a merge, pick or omit, or nil for other calls.
func (b *builder) buildCall(n *ast.CallNode) Evaluator {
	id, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return nil
	}
	at := parse.ExtentOf(id)
	fail := func(err error) error { return failureOf(b.of.Place, at, err) }
	switch id.Value {
	case "merge":
		out := &mergeNode{fail: fail}
		for _, arg := range n.Arguments {
			out.parts = append(out.parts, b.build(arg))
		}
		return Fold(out, out.parts)
	case "pick", "omit":
		out := &selectNode{keep: id.Value == "pick", fail: fail}
		for _, arg := range n.Arguments[1:] {
			name, ok := arg.(*ast.StringNode)
			if !ok {
				return nil
			}
			out.names = append(out.names, name.Value)
		}
		out.part = b.build(n.Arguments[0])
		return Fold(out, []Evaluator{out.part})
	default:
		return nil
	}
}
