package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// memberCheck checks one access to a member: base.name, base[index].
type memberCheck struct {
	*checker
	n    *ast.MemberNode
	base TypedPart
	// t is the type of the base, resolved and without null.
	t *spec.Type
}

func (c *checker) checkMember(n *ast.MemberNode) TypedPart {
	m := memberCheck{checker: c, n: n, base: c.check(n.Node)}
	m.t = types.Resolve(m.base.T, c.Types)
	guarded := true
	if types.MayBeNull(m.t, c.Types) && !types.IsAny(m.t) {
		guarded = n.Optional
		switch {
		case !guarded:
			m.t = m.withoutNull()
		case len(c.chain) > 0:
			// The enclosing chain is null if its `?.` meets null.
			c.chain[len(c.chain)-1] = true
			fallthrough
		default:
			m.t = types.Resolve(types.Present(m.t, c.Types), c.Types)
		}
	}
	m.noteDemand()
	out := TypedPart{At: c.extents.Of(n)}
	step, ok := parse.StepOf(n.Property)
	if _, isName := n.Property.(*ast.StringNode); !ok || m.base.Shuffled && !isName {
		step = "*"
	}
	out.Origin = Extend(m.base.Origin, step)
	out.T = m.memberType()
	if n.Optional && (m.t.Kind == spec.List || types.IsString(m.t)) {
		out.T = types.Nullable(out.T)
	}
	if out.T = c.narrow(c.key(n), out.T); !guarded {
		// Report one finding per null.
		out.T = types.Present(out.T, c.Types)
	}
	return out
}

// Extend returns path with step appended, or nil if path is nil.
func Extend(path []string, step string) []string {
	if path == nil {
		return nil
	}
	return append(path[:len(path):len(path)], step)
}

// withoutNull reports a base that may be null, and returns its type without null.
func (m *memberCheck) withoutNull() *spec.Type {
	if types.IsNull(m.t) {
		return m.NonNull(m.base)
	}
	text, how := m.Text(m.base.At), "?."
	if m.n.Location() != m.n.Property.Location() {
		how = "?.["
	}
	detail := cmp.Or(m.nullHelp(text), "Write "+text+how+"… to get null if it is absent, or use it only if "+text+" != null.")
	m.report(diag.Error, types.CodeNullUnguarded, m.base.At, detail, "%s may be null", text)
	if dot := (parse.Extent{From: m.base.At.To, To: m.base.At.To + 1}); how == "?." && m.Text(dot) == "." && m.nullHelp(text) == "" {
		m.last().Suggest(diag.Edit{At: m.place.At(dot), Old: ".", Text: "?."})
	}
	return types.Resolve(types.Present(m.base.T, m.Types), m.Types)
}

// memberType returns the type of the member.
func (m *memberCheck) memberType() *spec.Type {
	if name, ok := m.n.Property.(*ast.StringNode); ok {
		return m.namedType(name)
	}
	index := m.checkOperand(m.n.Property)
	it := m.NonNull(index)
	switch {
	case types.IsAny(m.t):
		m.Trust(index.At)
		return types.MemberOfUntyped(m.t, "", m.Types)
	case m.t.Kind == spec.List || types.IsString(m.t):
		return m.indexType(it, index)
	case m.t.Kind == spec.Map, m.t.Kind == spec.Object:
		if !types.IsAny(it) && !types.IsString(it) {
			remedy := ""
			if m.Text(m.base.At) == "steps" {
				remedy = "Steps have names: name that step with `as: \"look\"`, and write steps.look."
			}
			m.Fail(types.CodeTypeMismatch, index.At, remedy, "a key must be a string, got %s", types.Describe(index.T))
			return types.Any()
		}
		return m.keyType(it)
	case m.t.Kind == spec.Union && !types.IsTime(m.t):
		m.Trust(index.At)
		return types.Any()
	}
	m.Fail(types.CodeUnknownMember, m.base.At, "", "%s has no items", types.Describe(m.t))
	return types.Any()
}

// indexType returns the type of an item of a list or of a character of a string.
func (m *memberCheck) indexType(it *spec.Type, index TypedPart) *spec.Type {
	if !types.IsAny(it) && it.Kind != spec.Int {
		m.Fail(types.CodeTypeMismatch, index.At, "", "an index must be an int, got %s", types.Describe(index.T))
		return types.Any()
	}
	if p, ok := m.n.Property.(*ast.IntegerNode); ok && m.t.MaxLen != nil && p.Value >= *m.t.MaxLen {
		m.Fail(types.CodeUnknownMember, index.At, "The first item has the index 0.", "index %d is out of range: there are at most %d", p.Value, *m.t.MaxLen)
		return types.Any()
	}
	if !m.n.Optional {
		if m.strict == nil {
			m.strict = map[*ast.MemberNode]bool{}
		}
		m.strict[m.n] = true
	}
	if types.IsString(m.t) {
		return types.String()
	}
	if p, ok := m.n.Property.(*ast.IntegerNode); ok && m.t.Sent != nil && p.Value >= 0 && p.Value < len(m.t.Sent.Items) {
		return m.t.Sent.Items[p.Value]
	}
	return types.Elem(m.t)
}

// keyType returns the type of the value of a computed key.
func (m *memberCheck) keyType(key *spec.Type) *spec.Type {
	if m.t.Kind == spec.Map {
		return types.Nullable(types.Elem(m.t))
	}
	out := types.Never()
	if names := types.Literals(key); names != nil {
		for _, name := range names {
			s, _ := name.(string)
			member, ok := types.Member(m.t, s)
			if !ok {
				m.UnknownMember(m.extents.Of(m.n.Property), m.t, s, m.base)
				return types.Any()
			}
			out = types.Join(out, member, m.Types)
		}
		return out
	}
	for _, f := range m.t.Fields {
		out = types.Join(out, types.PropertyType(f), m.Types)
	}
	if m.t.Open {
		out = types.Join(out, types.Elem(m.t), m.Types)
	}
	return types.Nullable(out)
}

// namedType returns the type of a member that is accessed by name.
func (m *memberCheck) namedType(name *ast.StringNode) *spec.Type {
	at := parse.ExtentOf(name)
	switch {
	case types.IsAny(m.t):
		m.Trust(at)
		return types.MemberOfUntyped(m.t, name.Value, m.Types)
	case m.t.Kind == spec.Union && !types.IsTime(m.t):
		return m.unionMemberType(name.Value, at)
	case m.t.Kind == spec.List && (translator{m.checker}).translateLength(at, m.t, name.Value, m.base):
		return types.Any()
	case m.t.Kind == spec.List:
		m.Fail(types.CodeUnknownMember, at, "Select an item ([0], first(…)), or use all items: map("+m.Text(m.base.At)+", ."+name.Value+").", "a list has no member %q", name.Value)
		return types.Any()
	case m.t.Kind == spec.Map:
		if !m.CheckKey(at, m.t, name.Value) {
			return types.Any()
		}
	}
	member, ok := types.Member(m.t, name.Value)
	if !ok && (m.meansName(name.Value, at) || m.meansOther(name.Value, at) || m.meansResource(at)) {
		return types.Any()
	}
	if !ok {
		if m.t.Kind == spec.Object || !(translator{m.checker}).translateMember(at, m.t, name.Value, m.base) {
			m.UnknownMember(at, m.t, name.Value, m.base)
		}
		return types.Any()
	}
	if m.t.Kind == spec.Object && m.t.Field(name.Value) == nil && types.IsAny(types.Resolve(member, m.Types)) {
		m.Trust(at) // an open struct may have it, with any type
	}
	return member
}

// meansName reports a member that a name of the language does not have and that is such a name itself:
// inputs.id for id.
func (m *memberCheck) meansName(name string, at parse.Extent) bool {
	base, whole := m.Text(m.base.At), parse.Extent{From: m.base.At.From, To: at.To}
	if m.scope.Available(name) == nil || !slices.Contains([]string{"inputs", "state", "config", "changes"}, base) || m.Text(whole) != base+"."+name {
		return false
	}
	m.Fail(types.CodeUnknownMember, at, fmt.Sprintf("%s is a name of its own: write %[1]s.", name), "%s has no member %q", base, name)
	m.last().Suggest(diag.Edit{At: m.place.At(whole), Old: base + "." + name, Text: name})
	return true
}

// unionMemberType returns the type of a member of a union: its type in each variant that has
// it, and null if some variants do not.
func (m *memberCheck) unionMemberType(name string, at parse.Extent) *spec.Type {
	out, missing := types.Never(), false
	var names []string
	for _, v := range m.t.Variants {
		rv := types.Resolve(v, m.Types)
		if types.IsAny(rv) {
			return types.Any()
		}
		member, ok := types.Member(rv, name)
		if !ok {
			missing = true
			names = append(names, rv.FieldNames()...)
			continue
		}
		out = types.Join(out, member, m.Types)
	}
	switch {
	case types.IsNever(out):
		m.FailMeaning(types.CodeUnknownMember, at, name, names, "%s has no member %q", m.Text(m.base.At), name)
		return types.Any()
	case missing:
		return types.Nullable(out)
	default:
		return out
	}
}

func (c *checker) checkSlice(n *ast.SliceNode) TypedPart {
	base := c.check(n.Node)
	t := c.NonNull(base)
	for _, bound := range [...]ast.Node{n.From, n.To} {
		if bound == nil {
			continue
		}
		v := c.checkOperand(bound)
		if b := c.NonNull(v); !types.IsAny(b) && b.Kind != spec.Int {
			c.Fail(types.CodeTypeMismatch, v.At, "", "an index must be an int, got %s", types.Describe(v.T))
		}
	}
	switch {
	case types.IsAny(t):
		c.Trust(base.At)
		return TypedPart{T: t, Origin: base.Origin, Shuffled: true}
	case types.IsString(t):
		c.use(base)
		return TypedPart{T: types.String()}
	case t.Kind == spec.List:
		return TypedPart{T: types.ListOf(types.Elem(t)), Origin: base.Origin, Shuffled: true}
	}
	return c.Fail(types.CodeTypeMismatch, base.At, "", "only lists and strings can be sliced, got %s", types.Describe(base.T))
}
