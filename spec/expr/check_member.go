package expr

import (
	"cmp"

	"github.com/expr-lang/expr/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

func (c *checker) member(n *ast.MemberNode) typed {
	base := c.check(n.Node)
	t := resolve(base.t, c.types)
	guarded := true
	if mayBeNull(t, c.types) && !isAny(t) {
		if guarded = n.Optional; guarded {
			c.mayEndEarly()
			t = resolve(present(t, c.types), c.types)
		} else {
			t = c.baseWithoutNull(n, base)
		}
	}
	at := c.extents.of(n)
	out := typed{at: at}
	step, ok := stepOf(n.Property)
	if _, isName := n.Property.(*ast.StringNode); !ok || base.shuffled && !isName {
		step = "*"
	}
	out.origin = extend(base.origin, step)
	out.t = c.memberType(n, t, base)
	if n.Optional && (t.Kind == spec.List || isString(t)) {
		out.t = nullable(out.t)
	}
	if out.t = c.narrowed(c.key(n), out.t); !guarded {
		// One finding for one null is enough.
		out.t = present(out.t, c.types)
	}
	return out
}

func extend(path []string, step string) []string {
	if path == nil {
		return nil
	}
	return append(path[:len(path):len(path)], step)
}

// mayEndEarly notes that the chain at hand is null where its `?.` meets null.
func (c *checker) mayEndEarly() {
	if len(c.chain) > 0 {
		c.chain[len(c.chain)-1] = true
	}
}

func (c *checker) baseWithoutNull(n *ast.MemberNode, base typed) *spec.Type {
	if isNull(resolve(base.t, c.types)) {
		return c.nonNull(base)
	}
	text, how := c.text(base.at), "?."
	if n.Location() != n.Property.Location() {
		how = "?.["
	}
	detail := cmp.Or(c.nullHelp(text), "Write "+text+how+"… for null where it is absent, or use it only where "+text+" != null.")
	c.report(diag.Error, CodeNullUnguarded, base.at, detail, "%s may be null", text)
	return resolve(present(base.t, c.types), c.types)
}

// memberType is the type of a member of what is of type t, resolved and not
// null.
func (c *checker) memberType(n *ast.MemberNode, t *spec.Type, base typed) *spec.Type {
	if name, ok := n.Property.(*ast.StringNode); ok {
		return c.named(n, t, base, name)
	}
	index := c.operand(n.Property)
	it := c.nonNull(index)
	switch {
	case isAny(t):
		c.trust(index.at)
		return static().any
	case t.Kind == spec.List || isString(t):
		return c.indexed(n, t, it, index)
	case t.Kind == spec.Map, t.Kind == spec.Object:
		if !isAny(it) && !isString(it) {
			c.fail(CodeTypeMismatch, index.at, "", "a key must be a string, and this is %s", Describe(index.t))
			return static().any
		}
		return c.keyed(n, t, it, base)
	case t.Kind == spec.Union && !isTime(t):
		c.trust(index.at)
		return static().any
	}
	c.fail(CodeUnknownMember, base.at, "", "%s has no items", Describe(t))
	return static().any
}

// indexed is an item of a list, or a character of a string.
func (c *checker) indexed(n *ast.MemberNode, t, it *spec.Type, index typed) *spec.Type {
	if !isAny(it) && it.Kind != spec.Int {
		c.fail(CodeTypeMismatch, index.at, "", "an index must be int, and this is %s", Describe(index.t))
		return static().any
	}
	if p, ok := n.Property.(*ast.IntegerNode); ok && t.MaxLen != nil && p.Value >= *t.MaxLen {
		c.fail(CodeUnknownMember, index.at, "The first item has the index 0.", "index %d is out of range: there are at most %d", p.Value, *t.MaxLen)
		return static().any
	}
	if !n.Optional {
		if c.strict == nil {
			c.strict = map[*ast.MemberNode]bool{}
		}
		c.strict[n] = true
	}
	if isString(t) {
		return static().string
	}
	return elem(t)
}

// keyed is the value of a key that is computed.
func (c *checker) keyed(n *ast.MemberNode, t, key *spec.Type, base typed) *spec.Type {
	if t.Kind == spec.Map {
		return nullable(elem(t))
	}
	out := static().never
	if names := literals(key); names != nil {
		for _, name := range names {
			s, _ := name.(string)
			member, ok := memberOf(t, s, c.types)
			if !ok {
				c.unknownMember(c.extents.of(n.Property), t, s, base)
				return static().any
			}
			out = join(out, member, c.types)
		}
		return out
	}
	for _, f := range t.Fields {
		out = join(out, propertyType(f), c.types)
	}
	if t.Open {
		out = join(out, elem(t), c.types)
	}
	return nullable(out)
}

// named is a member by its name.
func (c *checker) named(n *ast.MemberNode, t *spec.Type, base typed, name *ast.StringNode) *spec.Type {
	at := extent{name.Location().From, name.Location().To}
	switch {
	case isAny(t):
		c.trust(at)
		return static().any
	case t.Kind == spec.Union && !isTime(t):
		return c.ofUnion(t, base, name.Value, at)
	case t.Kind == spec.List:
		c.fail(CodeUnknownMember, at, "Take an item of it ([0], first(…)), or all of them: map("+c.text(base.at)+", ."+name.Value+").", "a list has no member %q", name.Value)
		return static().any
	case t.Kind == spec.Map:
		if m := keyFits(name.Value, t); m != nil {
			c.fail(CodeUnknownMember, at, "", "%q %s", name.Value, m.reason)
			return static().any
		}
	}
	member, ok := memberOf(t, name.Value, c.types)
	if !ok {
		c.unknownMember(at, t, name.Value, base)
		return static().any
	}
	if t.Kind == spec.Object && t.Field(name.Value) == nil && isAny(resolve(member, c.types)) {
		c.trust(at) // an open struct may have it, of whatever type
	}
	return member
}

// memberOf is the type of a named member of an object or a map.
func memberOf(t *spec.Type, name string, types spec.Types) (*spec.Type, bool) {
	switch {
	case t.Kind == spec.Map:
		return nullable(elem(t)), true
	case t.Kind != spec.Object:
		return nil, false
	}
	if f := t.Field(name); f != nil {
		return propertyType(f), true
	}
	if t.Open {
		if t.Elem == nil {
			return static().any, true
		}
		return nullable(t.Elem), true
	}
	return nil, false
}

func (c *checker) unknownMember(at extent, t *spec.Type, name string, base typed) {
	switch {
	case t.Kind == spec.Object:
		c.fail(CodeUnknownMember, at, diag.Remedy(name, t.FieldNames()), "%s has no member %q", c.text(base.at), name)
	case t.Kind == spec.Asset || t.Kind == spec.Archive:
		c.fail(CodeUnknownMember, at, "It can only be handed to an action as a whole.", "%s is %s, which has no members", c.text(base.at), Describe(t))
	default:
		c.fail(CodeUnknownMember, at, "", "%s is %s, which has no member %q", c.text(base.at), Describe(t), name)
	}
}

// ofUnion is a member of a union: of each variant that has it, and null for the
// others.
func (c *checker) ofUnion(t *spec.Type, base typed, name string, at extent) *spec.Type {
	out, missing := static().never, false
	var names []string
	for _, v := range t.Variants {
		rv := resolve(v, c.types)
		if isAny(rv) {
			return static().any
		}
		member, ok := memberOf(rv, name, c.types)
		if !ok {
			missing = true
			names = append(names, rv.FieldNames()...)
			continue
		}
		out = join(out, member, c.types)
	}
	switch {
	case isNever(out):
		c.fail(CodeUnknownMember, at, diag.Remedy(name, names), "%s has no member %q", c.text(base.at), name)
		return static().any
	case missing:
		return nullable(out)
	default:
		return out
	}
}

func (c *checker) slice(n *ast.SliceNode) typed {
	base := c.check(n.Node)
	t := c.nonNull(base)
	for _, bound := range [...]ast.Node{n.From, n.To} {
		if bound == nil {
			continue
		}
		v := c.operand(bound)
		if b := c.nonNull(v); !isAny(b) && b.Kind != spec.Int {
			c.fail(CodeTypeMismatch, v.at, "", "an index must be int, and this is %s", Describe(v.t))
		}
	}
	switch {
	case isAny(t):
		c.trust(base.at)
		return typed{t: t, origin: base.origin, shuffled: true}
	case isString(t):
		c.use(base)
		return typed{t: static().string}
	case t.Kind == spec.List:
		return typed{t: listOf(elem(t)), origin: base.origin, shuffled: true}
	}
	return c.fail(CodeTypeMismatch, base.at, "", "only lists and strings have slices, and this is %s", Describe(base.t))
}
