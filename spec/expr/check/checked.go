package check

import (
	"strings"

	"github.com/declprov/declprov/spec/stable"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// Result is the result of checking an expression.
type Result struct {
	Scope *Scope
	Tree  ast.Node
	// Place is the position of the expression, and At its extent there without
	// surrounding space.
	Place parse.Place
	At    parse.Extent
	Type  *spec.Type
	Diags diag.List
	// Unchecked are the accesses to values of unknown type.
	Unchecked []diag.Range
	// Present are the paths that are not null if the expression is true. Passed are
	// the paths that are not null if it is false or null.
	Present, Passed [][]string
	// True are the paths that are true if it is true.
	True [][]string
	// Keys are the keys that are written in the expression, and that its value has.
	Keys []parse.Key

	// Extents returns the extents of the parts of the tree. Uses are the references
	// of each part.
	Extents parse.Extents
	Uses    []Reference
	// Strict are the index accesses to lists of known type. In them, an index beyond
	// the end is an error; in others, it gives null.
	Strict map[*ast.MemberNode]bool
	// Demands are the accesses to members of values that must have members: see Scope.Bodies.
	Demands map[*ast.MemberNode]Demand
	// NotNull are the parts that must not be null.
	NotNull map[ast.Node]bool
}

// Expression checks the tree of an expression in a scope. want is the expected type.
// If amidText is true, the value must be one that can be inserted into text.
func Expression(tree ast.Node, at parse.Place, scope *Scope, functions *Functions, want *spec.Type, amidText bool) Result {
	c := &checker{
		findings:  findings{scope: scope, Types: scope.Types, place: at, extents: parse.Extents{Source: []rune(at.Source)}},
		knowledge: knowledge{facts: scope.facts()}, functions: functions,
	}
	if scope.Absence != SaysNothing {
		c.deciding = decidingParts(tree, scope.Absence)
	}
	v := c.check(tree)
	c.use(v)
	out := Result{Scope: scope, Tree: tree, Place: at, At: at.Trimmed(), Type: v.T, Extents: c.extents}
	if !c.diags.HasErrors() {
		if amidText {
			c.checkTextPart(tree, v, out.At)
		} else {
			c.checkResult(tree, v, want, out.At)
		}
		if isLacking(c, v) {
			c.reportNull(v, v.T)
		}
	}
	for _, e := range c.unchecked {
		out.Unchecked = append(out.Unchecked, at.At(e))
	}
	stable.Sort(c.refs, func(a, b Reference) int { return a.At.From - b.At.From })
	out.Diags, out.Uses, out.Strict, out.Demands, out.NotNull = c.diags, c.refs, c.strict, c.demands, c.deciding.present
	if !c.diags.HasErrors() {
		out.Present, out.Passed = pathsOf(c.factsWhen(tree, true)), pathsOf(c.factsPassed(tree))
		out.True = pathsOf(c.truthsWhen(tree, true))
		out.Keys = parse.KeysOf(tree, &c.extents)
	}
	return out
}

// isLacking reports whether a value is a member that is missing, and no condition has excluded that.
func isLacking(c *checker, v TypedPart) bool {
	if len(v.Origin) != 2 || !types.MayBeNull(v.T, c.Types) {
		return false
	}
	of := c.scope.Find(v.Origin[0])
	return of != nil && of.Lacks == v.Origin[1]
}

// AppendRefs appends the references of the expression, in the order of the document.
func (c *Result) AppendRefs(refs []Ref) []Ref {
	for _, r := range c.Uses {
		refs = append(refs, Ref{Path: r.Path, Range: c.Place.At(r.At), Presence: r.Presence})
	}
	return refs
}

// checkResult checks the value of a whole expression against the expected type.
func (c *checker) checkResult(n ast.Node, v TypedPart, want *spec.Type, whole parse.Extent) {
	m := types.Assignable(v.T, want, c.Types)
	if m == nil || m.Code == types.CodeUnknownMember && c.reportKeys(n, want) {
		return
	}
	if m.Code == types.CodeNullUnguarded && m.Path == "" && !types.IsNull(types.Resolve(v.T, c.Types)) {
		v.At = whole
		c.reportNull(v, v.T)
		return
	}
	if m.Path == "" && (translator{c}).reportWholeElement(m.Code, whole, want, "%s", m.Error()) {
		return
	}
	detail := ""
	from, to := types.Resolve(types.Present(v.T, c.Types), c.Types), types.Resolve(want, c.Types)
	if m.Path == "" {
		detail = RemedyFor(from, to)
	} else {
		if m.Code == types.CodeNullUnguarded {
			detail = "Provide a default with ??."
		}
		if at := extentIn(&c.extents, n, m.Path); at != (parse.Extent{}) {
			whole = at
		}
	}
	c.report(diag.Error, m.Code, whole, detail, "%s", m.Error())
}

// extentIn returns the extent of the value at a path in a literal, as far as the
// literal contains it.
func extentIn(x *parse.Extents, n ast.Node, path string) parse.Extent {
	step, rest, _ := strings.Cut(path, ".")
	switch n := n.(type) {
	case *ast.MapNode:
		for _, pair := range n.Pairs {
			p, _ := pair.(*ast.PairNode)
			if key, ok := p.Key.(*ast.StringNode); !ok || key.Value != step {
				continue
			}
			if at := extentIn(x, p.Value, rest); at != (parse.Extent{}) {
				return at
			}
			return x.Of(p.Value)
		}
	case *ast.ArrayNode:
		if len(n.Nodes) == 1 {
			return extentIn(x, n.Nodes[0], rest)
		}
	}
	return parse.Extent{}
}

// checkTextPart checks an expression that is inserted into text.
func (c *checker) checkTextPart(n ast.Node, v TypedPart, whole parse.Extent) {
	v.At = whole
	t := c.NonNull(v)
	if types.IsScalar(t, c.Types) || parse.IsSegments(n) {
		return
	}
	if (translator{c}).reportWholeElement(CodeTextPart, whole, nil, "each is %s, which cannot be inserted into text", types.Describe(t)) {
		return
	}
	remedy := "Use jsonencode(…), or join(…) for a list."
	if t.Kind == spec.Asset || t.Kind == spec.Archive {
		remedy = "Pass it to an action as a whole."
	}
	c.Fail(CodeTextPart, whole, remedy, "%s is %s, which cannot be inserted into text", c.Text(whole), types.Describe(t))
}

// pathsOf returns the paths for keys that begin with a name of the scope. Keys of
// variables and items are dropped, because they are meaningless outside of their
// expression.
func pathsOf(keys []string) [][]string {
	var paths [][]string
	for _, key := range keys {
		if !strings.HasPrefix(key, "let ") && !strings.HasPrefix(key, "#") {
			paths = append(paths, strings.Split(key, "\x00"))
		}
	}
	return paths
}
