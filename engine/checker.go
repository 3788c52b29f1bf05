package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// checker is a type made ready to check values: references followed, patterns
// compiled, members by name. It takes microseconds where CUE takes hundreds.
type checker struct {
	t        *spec.Type
	elem     *checker
	fields   []*member
	byName   map[string]*member
	variants []*checker
	types    spec.Types // those of a union's variants
	patterns []*budget.Regexp
	keys     []*budget.Regexp
	min, max float64 // of a number; infinite where unbounded
}

// member is a property of an object.
type member struct {
	*spec.Property
	check *checker
	// fallback is the property's default, ready to use; null where it has none.
	fallback property.Value
	// equal is the @equal template, or nil.
	equal *expr.Value
}

// checker compiles a type. Named types are compiled once, so that those that
// refer to themselves end.
func (c *compiler) checker(t *spec.Type) *checker {
	if t == nil {
		t = &spec.Type{}
	}
	if t.Ref != "" {
		key := fmt.Sprintf("%s/%t", t.Ref, t.Nullable)
		if known := c.checkers[key]; known != nil {
			return known
		}
		out := &checker{}
		c.checkers[key] = out
		*out = *c.build(c.spec.Types.Resolve(t))
		return out
	}
	return c.build(t)
}

func (c *compiler) build(t *spec.Type) *checker {
	out := &checker{t: t, byName: map[string]*member{}, min: bound(t.Min, math.Inf(-1)), max: bound(t.Max, math.Inf(1))}
	if t.Elem != nil {
		out.elem = c.checker(t.Elem)
	}
	for _, p := range t.Fields {
		m := &member{Property: p, check: c.checker(p.Type)}
		if p.Default != nil {
			m.fallback = fromLiteral(p.Default).WithSecret(p.Secret || p.Ephemeral)
		}
		if p.EqualExpr != nil {
			scope := c.scope(c.configName(), expr.Name{Name: "old", Type: p.Type}, expr.Name{Name: "new", Type: p.Type})
			m.equal = c.template(p.EqualExpr, scope, truthType, p.Name)
		}
		out.fields = append(out.fields, m)
		out.byName[p.Name] = m
	}
	for _, v := range t.Variants {
		out.types = c.spec.Types
		out.variants = append(out.variants, c.checker(v))
	}
	for _, p := range t.Patterns {
		out.patterns = append(out.patterns, budget.MustCompile(p.Regexp))
	}
	for _, k := range t.Keys {
		out.keys = append(out.keys, budget.MustCompile(k))
	}
	return out
}

func bound(b *spec.Bound, def float64) float64 {
	if b == nil {
		return def
	}
	n, ok := b.Value.(json.Number)
	if !ok {
		return def
	}
	f, err := n.Float64()
	if err != nil {
		return def
	}
	return f
}

// findings collects failures while a value is walked.
type findings struct {
	list []Failure
	// hidden is how many secrets the walk is within: none of what is there is
	// shown.
	hidden int
	// ctx ends the walk; nil does not. spent bounds what it may take.
	ctx   context.Context
	spent *budget.Budget
	// over says that the walk was ended, and what was not looked at is not known.
	over bool
}

// maxCheckWork is what the regular expressions of a type may take of one value with
// all that is in it: a few seconds.
const maxCheckWork = 100_000_000

// matches reports whether a text matches. Where nobody has the time to tell, that is
// the finding, and all others match.
func (f *findings) matches(re *budget.Regexp, s, path string) bool {
	if f.over {
		return true
	}
	if f.spent == nil {
		f.spent = budget.New(cmp.Or(f.ctx, context.Background()), maxCheckWork)
	}
	found, err := re.Match(f.spent, s)
	if err != nil {
		f.over = true
		f.add(path, "cannot be checked against %s: %v; give shorter texts, or fewer", re, err)
		return true
	}
	return found
}

func (f *findings) add(path, format string, args ...any) {
	f.list = append(f.list, Failure{Path: path, Reason: fmt.Sprintf(format, args...)})
}

// complete checks v and returns it with defaults added; nothing else of it
// changes. Unknown values pass, secrets stay secret.
func (c *checker) complete(v property.Value, path string, f *findings) property.Value {
	v, _ = c.walk(v, path, f)
	return v
}

// walk is complete, and reports whether it changed anything, so that what it did
// not is not built anew.
func (c *checker) walk(v property.Value, path string, f *findings) (property.Value, bool) {
	if v.IsComputed() {
		return v, false
	}
	if v.Secret() {
		f.hidden++
		defer func() { f.hidden-- }()
	}
	if v.IsNull() {
		if !c.t.Nullable && c.t.Kind != spec.Any {
			f.add(path, "must not be null; leave it out, or give %s", describe(c.t))
		}
		return v, false
	}
	switch c.t.Kind {
	case spec.Object:
		return c.object(v, path, f)
	case spec.Map:
		return c.entries(v, path, f)
	case spec.List:
		return c.items(v, path, f)
	case spec.Union:
		return c.union(v, path, f)
	case spec.Any:
		return v, false
	default:
		c.scalar(v, path, f)
		return v, false
	}
}

// object checks the members of an object and adds the defaults of absent ones.
func (c *checker) object(v property.Value, path string, f *findings) (property.Value, bool) {
	if !v.IsMap() {
		f.add(path, "must be %s, not %s", describe(c.t), f.kindOf(v))
		return v, false
	}
	values := v.AsMap()
	out := rebuilt{of: values}
	for _, m := range c.fields {
		value, given := values.GetOk(m.Name)
		at := join(path, m.Name)
		if !given || value.IsNull() && !m.check.t.Nullable && m.check.t.Kind != spec.Any {
			m.absent(at, &out, f)
			continue
		}
		marked := (m.Secret || m.Ephemeral) && !value.Secret()
		if marked {
			value = value.WithSecret(true) // before it is walked, so that no failure shows it
		}
		if checked, changed := m.check.walk(value, at, f); changed || marked {
			out.set(m.Name, checked)
		}
	}
	c.extras(values, path, &out, f)
	return out.value(v)
}

// absent adds the default of a member that is not given, or says that it must
// be.
func (m *member) absent(at string, out *rebuilt, f *findings) {
	switch {
	case m.Default != nil:
		// What a default leaves out has defaults in turn.
		out.set(m.Name, m.check.complete(m.fallback, at, f))
	case m.check.t.Nullable:
		// Null is a value of it, and hosts leave nulls out.
	case m.Required && m.Autoname == nil && m.DefaultExpr == nil:
		f.add(at, "is required%s", docHint(m.Property))
	}
}

// extras checks the members that an object does not name, their keys among them, and
// adds the defaults of what is in them.
func (c *checker) extras(values property.Map, path string, out *rebuilt, f *findings) {
	if values.Len() <= len(c.fields) && !c.t.Open && c.allNamed(values) {
		return
	}
	for name, value := range values.AllStable {
		if c.byName[name] != nil || strings.HasPrefix(name, "__") {
			continue
		}
		if !c.t.Open {
			f.add(join(path, name), "is not a property of this. %s", diag.Remedy(name, c.t.FieldNames()))
			continue
		}
		for _, k := range c.keys {
			if !f.matches(k, name, join(path, name)) {
				f.add(join(path, name), "the key must match %s", k)
			}
		}
		if c.elem == nil {
			continue
		}
		if checked, changed := c.elem.walk(value, join(path, name), f); changed {
			out.set(name, checked)
		}
	}
}

// allNamed spares the sorting of names where none is strange.
func (c *checker) allNamed(values property.Map) bool {
	for name := range values.All {
		if c.byName[name] == nil {
			return false
		}
	}
	return true
}

// entries checks a map.
func (c *checker) entries(v property.Value, path string, f *findings) (property.Value, bool) {
	if !v.IsMap() {
		f.add(path, "must be %s, not %s", describe(c.t), f.kindOf(v))
		return v, false
	}
	c.length(v.AsMap().Len(), "entries", path, f)
	out := rebuilt{of: v.AsMap()}
	for name, value := range v.AsMap().AllStable {
		at := join(path, name)
		for _, k := range c.keys {
			if !f.matches(k, name, at) {
				f.add(at, "the key must match %s", k)
			}
		}
		if c.elem == nil {
			continue
		}
		if checked, changed := c.elem.walk(value, at, f); changed {
			out.set(name, checked)
		}
	}
	return out.value(v)
}

// items checks a list.
func (c *checker) items(v property.Value, path string, f *findings) (property.Value, bool) {
	if !v.IsArray() {
		f.add(path, "must be %s, not %s", describe(c.t), f.kindOf(v))
		return v, false
	}
	list := v.AsArray()
	c.length(list.Len(), "items", path, f)
	c.unique(list, path, f)
	if c.elem == nil {
		return v, false
	}
	var rebuilt []property.Value
	for i, value := range list.All {
		checked, changed := c.elem.walk(value, path+"["+strconv.Itoa(i)+"]", f)
		if !changed {
			continue
		}
		if rebuilt == nil {
			rebuilt = list.AsSlice()
		}
		rebuilt[i] = checked
	}
	if rebuilt == nil {
		return v, false
	}
	return property.WithGoValue(v, property.NewArray(rebuilt)), true
}

// unique reports items that are the same, where they must differ.
func (c *checker) unique(list property.Array, path string, f *findings) {
	if !c.t.Unique {
		return
	}
	seen := make(map[string]int, list.Len())
	for i, value := range list.All {
		if value.HasComputed() {
			continue
		}
		key := canonical(value)
		if j, ok := seen[key]; ok {
			f.add(path+"["+strconv.Itoa(i)+"]", "is the same as item %d; items must differ", j)
			continue
		}
		seen[key] = i
	}
}

func (c *checker) length(n int, what, path string, f *findings) {
	if n < c.t.MinLen {
		f.add(path, "must have at least %d %s, and has %d", c.t.MinLen, what, n)
	}
	if c.t.MaxLen != nil && n > *c.t.MaxLen {
		f.add(path, "must have at most %d %s, and has %d", *c.t.MaxLen, what, n)
	}
}

// union checks against the variant that a value is. Scalars, and what nothing
// but bounds and patterns tells apart, are checked against each.
func (c *checker) union(v property.Value, path string, f *findings) (property.Value, bool) {
	i := c.types.Variant(c.t, shape{v})
	switch {
	case i == spec.Undecided:
		return c.hedged(v)
	case i >= 0 && c.t.Tag != "" && v.IsMap():
		return c.variants[i].walk(v, path, f)
	case i == spec.NoVariant && c.t.Tag != "" && v.IsMap():
		c.unknownTag(v, path, f)
		return v, false
	}
	var wants []string
	for _, variant := range c.variants {
		tried := findings{hidden: f.hidden, ctx: f.ctx, spent: f.spent, over: f.over}
		checked, changed := variant.walk(v, path, &tried)
		f.spent = tried.spent
		if tried.over && !f.over {
			f.over, f.list = true, append(f.list, tried.list...) // which variant it is, nobody can tell
			return v, false
		}
		if tried.list == nil {
			return checked, changed
		}
		wants = append(wants, describe(variant.t))
	}
	if i >= 0 && (v.IsMap() || v.IsArray()) {
		return c.variants[i].walk(v, path, f)
	}
	f.add(path, "must be %s, not %s", enumerate(wants), f.kindOf(v))
	return v, false
}

// hedged is a value of which it is not known yet which variant it is: secret, where
// one of the variants has a secret.
func (c *checker) hedged(v property.Value) (property.Value, bool) {
	if v.Secret() || !c.types.HoldsSecret(c.t) {
		return v, false
	}
	return v.WithSecret(true), true
}

// unknownTag reports a struct whose tag names no variant.
func (c *checker) unknownTag(v property.Value, path string, f *findings) {
	known := c.tagValues()
	tag := v.AsMap().Get(c.t.Tag)
	f.add(join(path, c.t.Tag), "must be one of %s%s", enumerate(quoted(known)), f.suggestion(tag, known))
}

// tagValues are the literals of a union's tag.
func (c *checker) tagValues() []string {
	var known []string
	for _, p := range c.types.Tags(c.t, c.t.Tag) {
		known = append(known, literals(c.types.Resolve(p.Type).Enum)...)
	}
	return known
}

func docHint(p *spec.Property) string {
	if s := firstSentence(p.Doc); s != "" {
		return ": " + strings.TrimSuffix(s, ".")
	}
	return ""
}

// join makes the path of a member, in the form of Pulumi's property paths, which
// escape a quote and nothing else.
func join(path, name string) string {
	if !isPlainKey(name) {
		return path + `["` + strings.ReplaceAll(name, `"`, `\"`) + `"]`
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// isPlainKey reports whether a path can name a member without quotes: with
// letters, digits, _ and $, the first no digit. It is asked for every value.
func isPlainKey(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}
