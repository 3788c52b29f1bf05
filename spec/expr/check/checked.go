package check

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// Checked is an expression that was checked.
type Checked struct {
	Scope *Scope
	Tree  ast.Node
	// Place is where it stands, and At its extent there, without the space around it.
	Place parse.Place
	At    parse.Extent
	Type  *spec.Type
	Diags diag.List
	// Unchecked are the accesses to what has no known type.
	Unchecked []diag.Range
	// Present are the paths of what is not null where it comes out true, Passed
	// of what is not null where it comes out false or null.
	Present, Passed [][]string

	// Extents measures the parts of the tree; Uses are what each refers to.
	Extents parse.Extents
	Uses    []Reference
	// Strict are the accesses by index to lists of known type: an index beyond the
	// end is an error there, and null elsewhere.
	Strict map[*ast.MemberNode]bool
}

// Expression checks the tree of an expression in a scope, against the type that is wanted of
// it; or, amid text, that it can stand there.
func Expression(tree ast.Node, at parse.Place, scope *Scope, functions *Functions, want *spec.Type, amidText bool) Checked {
	c := &checker{
		findings:  findings{scope: scope, Types: scope.Types, place: at, extents: parse.Extents{Source: []rune(at.Source)}},
		knowledge: knowledge{facts: scope.facts()}, functions: functions,
	}
	v := c.check(tree)
	c.use(v)
	out := Checked{Scope: scope, Tree: tree, Place: at, At: at.Trimmed(), Type: v.T, Extents: c.extents}
	if !c.diags.HasErrors() {
		if amidText {
			c.textPart(tree, v, out.At)
		} else {
			c.wanted(tree, v, want, out.At)
		}
	}
	for _, e := range c.unchecked {
		out.Unchecked = append(out.Unchecked, at.At(e))
	}
	slices.SortStableFunc(c.refs, func(a, b Reference) int { return a.At.From - b.At.From })
	out.Diags, out.Uses, out.Strict = c.diags, c.refs, c.strict
	if !c.diags.HasErrors() {
		out.Present, out.Passed = pathsOf(c.when(tree, true)), pathsOf(c.passed(tree))
	}
	return out
}

// AppendRefs appends what the expression refers to, in the order of the document.
func (c *Checked) AppendRefs(refs []Ref) []Ref {
	for _, r := range c.Uses {
		refs = append(refs, Ref{Path: r.Path, Range: c.Place.At(r.At), Presence: r.Presence})
	}
	return refs
}

// wanted checks the value of a whole expression against what is wanted.
func (c *checker) wanted(n ast.Node, v Typed, want *spec.Type, whole parse.Extent) {
	m := types.Assignable(v.T, want, c.Types)
	if m == nil {
		return
	}
	if m.Code == types.CodeNullUnguarded && m.Path == "" && !types.IsNull(types.Resolve(v.T, c.Types)) {
		v.At = whole
		c.nullFault(v)
		return
	}
	detail := ""
	from, to := types.Resolve(types.Present(v.T, c.Types), c.Types), types.Resolve(want, c.Types)
	if m.Path == "" {
		detail = RemedyFor(from, to)
	} else {
		if m.Code == types.CodeNullUnguarded {
			detail = "Say what stands in for it, with ??."
		}
		if at := within(&c.extents, n, m.Path); at != (parse.Extent{}) {
			whole = at
		}
	}
	c.report(diag.Error, m.Code, whole, detail, "%s", m.Error())
}

// within returns where the value at a path stands in a literal, as far as it is
// written down there.
func within(x *parse.Extents, n ast.Node, path string) parse.Extent {
	step, rest, _ := strings.Cut(path, ".")
	switch n := n.(type) {
	case *ast.MapNode:
		for _, pair := range n.Pairs {
			p, _ := pair.(*ast.PairNode)
			if key, ok := p.Key.(*ast.StringNode); !ok || key.Value != step {
				continue
			}
			if at := within(x, p.Value, rest); at != (parse.Extent{}) {
				return at
			}
			return x.Of(p.Value)
		}
	case *ast.ArrayNode:
		if len(n.Nodes) == 1 {
			return within(x, n.Nodes[0], rest)
		}
	}
	return parse.Extent{}
}

// textPart checks an expression that stands amid text.
func (c *checker) textPart(n ast.Node, v Typed, whole parse.Extent) {
	v.At = whole
	t := c.NonNull(v)
	if types.IsScalar(t, c.Types) || parse.IsSegments(n) {
		return
	}
	remedy := "Use jsonencode(…), or join(…) for a list."
	if t.Kind == spec.Asset || t.Kind == spec.Archive {
		remedy = "Hand it to an action as a whole."
	}
	c.Fail(CodeTextPart, whole, remedy, "%s is %s, which cannot stand amid text", c.Text(whole), types.Describe(t))
}

// pathsOf returns the paths of keys that begin with a name of the scope; variables
// and items are of no use outside of their expression.
func pathsOf(keys []string) [][]string {
	var paths [][]string
	for _, key := range keys {
		if !strings.HasPrefix(key, "let ") && !strings.HasPrefix(key, "#") {
			paths = append(paths, strings.Split(key, "\x00"))
		}
	}
	return paths
}
