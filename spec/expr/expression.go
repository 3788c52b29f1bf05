package expr

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// compiled is a compiled expression.
type compiled struct {
	part  evaluator
	t     *spec.Type
	ref   []string
	place place
	// segments says that it is a call of segments(…).
	segments bool
	// present are the keys of what is not null where it comes out true, passed
	// of what is not null where it comes out false or null.
	present, passed []string
}

func (e compiled) piece() piece {
	return piece{part: e.part, ref: e.ref, segments: e.segments, at: extent{0, runeLen(e.place.source)}, place: e.place}
}

// expression parses, checks and compiles one `${…}`.
func (c *compilation) expression(n *spec.Node, raw rawPiece, want *spec.Type, inText bool) compiled {
	faulty := compiled{part: fixed{}, t: static().any, place: place{n, raw.from, raw.text}}
	tree, bad := parse(raw.text, theMachine().config(false))
	if bad != nil {
		c.report(CodeSyntax, n.At(raw.from+bad.from, raw.from+bad.to), bad.detail(), "%s", bad.message)
		return faulty
	}
	k := &checker{scope: c.scope, types: c.scope.Types, node: n, offset: raw.from, extents: extents{[]rune(raw.text)}, facts: c.scope.facts()}
	v := k.check(tree)
	k.use(v)
	whole := k.trimmed()
	if !k.diags.HasErrors() {
		if inText {
			k.textPart(tree, v, whole)
		} else {
			k.wanted(tree, v, want, whole)
		}
	}
	c.diags = append(c.diags, k.diags...)
	for _, at := range k.unchecked {
		c.unchecked = append(c.unchecked, k.rangeOf(at))
	}
	slices.SortStableFunc(k.refs, func(a, b reference) int { return a.at.from - b.at.from })
	for _, r := range k.refs {
		c.refs = append(c.refs, Ref{Path: r.path, Range: k.rangeOf(r.at), Presence: r.presence})
	}
	if k.diags.HasErrors() {
		return faulty
	}
	present, passed := k.when(tree, true), k.passed(tree) // before the builder rewrites the tree
	selecting := selects(tree)
	b := builder{checker: k, place: faulty.place}
	part := b.build(tree)
	if f, ok := part.(*formula); ok && selecting {
		f.selects = &selection{scope: c.scope, t: v.t}
	}
	if b.err != nil {
		c.diags = append(c.diags, c.placed(failed(b.err), n, raw))
		return faulty
	}
	if f, ok := part.(fixed); ok && want != nil && !inText {
		if m := fits(f.value, want, c.scope.Types, 0); m != nil {
			c.report(m.code, k.rangeOf(whole), remedyForValue(m, f.value, want, c.scope.Types), "%s", m.Error())
		}
	}
	out := compiled{part: part, t: v.t, place: faulty.place, segments: isSegments(tree), present: present, passed: passed}
	if ch, ok := part.(*chain); ok {
		out.ref = ch.path
	}
	return out
}

// placed gives a finding without a place that of the expression.
func (c *compilation) placed(d diag.Diagnostic, n *spec.Node, raw rawPiece) diag.Diagnostic {
	if d.Subject.IsZero() {
		d.Subject = n.At(raw.from, raw.to)
	}
	return d
}

// trimmed is where the expression stands, without the space around it.
func (c *checker) trimmed() extent {
	source := string(c.extents.source)
	from := len(c.extents.source) - runeLen(strings.TrimLeft(source, " \t\r\n"))
	return extent{from, from + runeLen(strings.TrimSpace(source))}
}

// wanted checks the value of a whole expression against what is wanted.
func (c *checker) wanted(n ast.Node, v typed, want *spec.Type, whole extent) {
	a := assignment{types: c.types}
	m := a.check(v.t, want, 0)
	if m == nil {
		return
	}
	if m.code == CodeNullUnguarded && m.path == "" && !isNull(resolve(v.t, c.types)) {
		v.at = whole
		c.nullFault(v)
		return
	}
	detail := ""
	from, to := resolve(present(v.t, c.types), c.types), resolve(want, c.types)
	if m.path == "" {
		detail = remedyFor(from, to)
	} else {
		if m.code == CodeNullUnguarded {
			detail = "Say what stands in for it, with ??."
		}
		if at := c.within(n, m.path); at != (extent{}) {
			whole = at
		}
	}
	c.report(diag.Error, m.code, whole, detail, "%s", m.Error())
}

// within is where the value at a path stands in a literal, as far as it is
// written down there.
func (c *checker) within(n ast.Node, path string) extent {
	step, rest, _ := strings.Cut(path, ".")
	switch n := n.(type) {
	case *ast.MapNode:
		for _, pair := range n.Pairs {
			p, _ := pair.(*ast.PairNode)
			if key, ok := p.Key.(*ast.StringNode); !ok || key.Value != step {
				continue
			}
			if at := c.within(p.Value, rest); at != (extent{}) {
				return at
			}
			return c.extents.of(p.Value)
		}
	case *ast.ArrayNode:
		if len(n.Nodes) == 1 {
			return c.within(n.Nodes[0], rest)
		}
	}
	return extent{}
}

// textPart checks an expression that stands amid text.
func (c *checker) textPart(n ast.Node, v typed, whole extent) {
	v.at = whole
	t := c.nonNull(v)
	if isScalar(t, c.types) {
		return
	}
	if isSegments(n) {
		return
	}
	remedy := "Use jsonencode(…), or join(…) for a list."
	if t.Kind == spec.Asset || t.Kind == spec.Archive {
		remedy = "Hand it to an action as a whole."
	}
	c.fail(CodeTextPart, whole, remedy, "%s is %s, which cannot stand amid text", c.text(whole), Describe(t))
}

// isSegments reports whether an expression is a call of segments(…).
func isSegments(n ast.Node) bool {
	call, ok := n.(*ast.CallNode)
	if !ok {
		return false
	}
	id, ok := call.Callee.(*ast.IdentifierNode)
	return ok && id.Value == "segments"
}
