package expr

import (
	"cmp"

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
	base typed
	// t is the type of the base, resolved and without null.
	t *spec.Type
}

func (c *checker) member(n *ast.MemberNode) typed {
	m := memberCheck{checker: c, n: n, base: c.check(n.Node)}
	m.t = types.Resolve(m.base.t, c.types)
	guarded := true
	if types.MayBeNull(m.t, c.types) && !types.IsAny(m.t) {
		guarded = n.Optional
		switch {
		case !guarded:
			m.t = m.withoutNull()
		case len(c.chain) > 0:
			// The chain at hand is null where its `?.` meets null.
			c.chain[len(c.chain)-1] = true
			fallthrough
		default:
			m.t = types.Resolve(types.Present(m.t, c.types), c.types)
		}
	}
	out := typed{at: c.extents.Of(n)}
	step, ok := parse.StepOf(n.Property)
	if _, isName := n.Property.(*ast.StringNode); !ok || m.base.shuffled && !isName {
		step = "*"
	}
	out.origin = extend(m.base.origin, step)
	out.t = m.memberType()
	if n.Optional && (m.t.Kind == spec.List || types.IsString(m.t)) {
		out.t = types.Nullable(out.t)
	}
	if out.t = c.narrowed(c.key(n), out.t); !guarded {
		// One finding for one null is enough.
		out.t = types.Present(out.t, c.types)
	}
	return out
}

func extend(path []string, step string) []string {
	if path == nil {
		return nil
	}
	return append(path[:len(path):len(path)], step)
}

// withoutNull reports that the base may be null, and returns its type without it.
func (m *memberCheck) withoutNull() *spec.Type {
	if types.IsNull(m.t) {
		return m.nonNull(m.base)
	}
	text, how := m.text(m.base.at), "?."
	if m.n.Location() != m.n.Property.Location() {
		how = "?.["
	}
	detail := cmp.Or(m.nullHelp(text), "Write "+text+how+"… for null where it is absent, or use it only where "+text+" != null.")
	m.report(diag.Error, types.CodeNullUnguarded, m.base.at, detail, "%s may be null", text)
	return types.Resolve(types.Present(m.base.t, m.types), m.types)
}

// memberType returns the type of the member.
func (m *memberCheck) memberType() *spec.Type {
	if name, ok := m.n.Property.(*ast.StringNode); ok {
		return m.named(name)
	}
	index := m.operand(m.n.Property)
	it := m.nonNull(index)
	switch {
	case types.IsAny(m.t):
		m.trust(index.at)
		return types.Any()
	case m.t.Kind == spec.List || types.IsString(m.t):
		return m.indexed(it, index)
	case m.t.Kind == spec.Map, m.t.Kind == spec.Object:
		if !types.IsAny(it) && !types.IsString(it) {
			m.fail(types.CodeTypeMismatch, index.at, "", "a key must be a string, and this is %s", types.Describe(index.t))
			return types.Any()
		}
		return m.keyed(it)
	case m.t.Kind == spec.Union && !types.IsTime(m.t):
		m.trust(index.at)
		return types.Any()
	}
	m.fail(types.CodeUnknownMember, m.base.at, "", "%s has no items", types.Describe(m.t))
	return types.Any()
}

// indexed returns the type of an item of a list, or of a character of a string.
func (m *memberCheck) indexed(it *spec.Type, index typed) *spec.Type {
	if !types.IsAny(it) && it.Kind != spec.Int {
		m.fail(types.CodeTypeMismatch, index.at, "", "an index must be int, and this is %s", types.Describe(index.t))
		return types.Any()
	}
	if p, ok := m.n.Property.(*ast.IntegerNode); ok && m.t.MaxLen != nil && p.Value >= *m.t.MaxLen {
		m.fail(types.CodeUnknownMember, index.at, "The first item has the index 0.", "index %d is out of range: there are at most %d", p.Value, *m.t.MaxLen)
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
	return types.Elem(m.t)
}

// keyed returns the type of the value of a key that is computed.
func (m *memberCheck) keyed(key *spec.Type) *spec.Type {
	if m.t.Kind == spec.Map {
		return types.Nullable(types.Elem(m.t))
	}
	out := types.Never()
	if names := types.Literals(key); names != nil {
		for _, name := range names {
			s, _ := name.(string)
			member, ok := memberOf(m.t, s)
			if !ok {
				m.unknownMember(m.extents.Of(m.n.Property), m.t, s, m.base)
				return types.Any()
			}
			out = types.Join(out, member, m.types)
		}
		return out
	}
	for _, f := range m.t.Fields {
		out = types.Join(out, types.PropertyType(f), m.types)
	}
	if m.t.Open {
		out = types.Join(out, types.Elem(m.t), m.types)
	}
	return types.Nullable(out)
}

// named returns the type of a member that is written by its name.
func (m *memberCheck) named(name *ast.StringNode) *spec.Type {
	at := parse.ExtentOf(name)
	switch {
	case types.IsAny(m.t):
		m.trust(at)
		return types.Any()
	case m.t.Kind == spec.Union && !types.IsTime(m.t):
		return m.ofUnion(name.Value, at)
	case m.t.Kind == spec.List:
		m.fail(types.CodeUnknownMember, at, "Take an item of it ([0], first(…)), or all of them: map("+m.text(m.base.at)+", ."+name.Value+").", "a list has no member %q", name.Value)
		return types.Any()
	case m.t.Kind == spec.Map:
		if bad := types.KeyFits(name.Value, m.t); bad != nil {
			m.fail(types.CodeUnknownMember, at, "", "%q %s", name.Value, bad.Reason)
			return types.Any()
		}
	}
	member, ok := memberOf(m.t, name.Value)
	if !ok {
		m.unknownMember(at, m.t, name.Value, m.base)
		return types.Any()
	}
	if m.t.Kind == spec.Object && m.t.Field(name.Value) == nil && types.IsAny(types.Resolve(member, m.types)) {
		m.trust(at) // an open struct may have it, of whatever type
	}
	return member
}

// ofUnion returns the type of a member of a union: of each variant that has it, and
// null for the others.
func (m *memberCheck) ofUnion(name string, at parse.Extent) *spec.Type {
	out, missing := types.Never(), false
	var names []string
	for _, v := range m.t.Variants {
		rv := types.Resolve(v, m.types)
		if types.IsAny(rv) {
			return types.Any()
		}
		member, ok := memberOf(rv, name)
		if !ok {
			missing = true
			names = append(names, rv.FieldNames()...)
			continue
		}
		out = types.Join(out, member, m.types)
	}
	switch {
	case types.IsNever(out):
		m.fail(types.CodeUnknownMember, at, diag.Remedy(name, names), "%s has no member %q", m.text(m.base.at), name)
		return types.Any()
	case missing:
		return types.Nullable(out)
	default:
		return out
	}
}

// memberOf is the type of a named member of an object or a map.
func memberOf(t *spec.Type, name string) (*spec.Type, bool) {
	switch {
	case t.Kind == spec.Map:
		return types.Nullable(types.Elem(t)), true
	case t.Kind != spec.Object:
		return nil, false
	}
	if f := t.Field(name); f != nil {
		return types.PropertyType(f), true
	}
	if t.Open {
		if t.Elem == nil {
			return types.Any(), true
		}
		return types.Nullable(t.Elem), true
	}
	return nil, false
}

func (c *checker) slice(n *ast.SliceNode) typed {
	base := c.check(n.Node)
	t := c.nonNull(base)
	for _, bound := range [...]ast.Node{n.From, n.To} {
		if bound == nil {
			continue
		}
		v := c.operand(bound)
		if b := c.nonNull(v); !types.IsAny(b) && b.Kind != spec.Int {
			c.fail(types.CodeTypeMismatch, v.at, "", "an index must be int, and this is %s", types.Describe(v.t))
		}
	}
	switch {
	case types.IsAny(t):
		c.trust(base.at)
		return typed{t: t, origin: base.origin, shuffled: true}
	case types.IsString(t):
		c.use(base)
		return typed{t: types.String()}
	case t.Kind == spec.List:
		return typed{t: types.ListOf(types.Elem(t)), origin: base.origin, shuffled: true}
	}
	return c.fail(types.CodeTypeMismatch, base.at, "", "only lists and strings have slices, and this is %s", types.Describe(base.t))
}
