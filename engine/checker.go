package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
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
	patterns []*regexp.Regexp
	keys     []*regexp.Regexp
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
			m.fallback = fromLiteral(p.Default)
		}
		if p.EqualExpr != nil {
			scope := c.scope(expr.Name{Name: "old", Type: p.Type}, expr.Name{Name: "new", Type: p.Type})
			m.equal = c.template(p.EqualExpr, scope, truthType, p.Name)
		}
		out.fields = append(out.fields, m)
		out.byName[p.Name] = m
	}
	for _, v := range t.Variants {
		out.variants = append(out.variants, c.checker(v))
	}
	for _, p := range t.Patterns {
		out.patterns = append(out.patterns, regexp.MustCompile(p.Regexp))
	}
	for _, k := range t.Keys {
		out.keys = append(out.keys, regexp.MustCompile(k))
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
type findings struct{ list []Failure }

func (f *findings) add(path, format string, args ...any) {
	f.list = append(f.list, Failure{Path: path, Reason: fmt.Sprintf(format, args...)})
}

// complete checks v and returns it with defaults added; nothing else of it
// changes. Unknown values pass, secrets stay secret.
func (c *checker) complete(v property.Value, path string, f *findings) property.Value {
	if v.IsComputed() {
		return v
	}
	if v.IsNull() {
		if !c.t.Nullable && c.t.Kind != spec.Any {
			f.add(path, "must not be null; leave it out, or give %s", describe(c.t))
		}
		return v
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
		return v
	default:
		c.scalar(v, path, f)
		return v
	}
}

// object checks the members of an object and adds the defaults of absent ones.
func (c *checker) object(v property.Value, path string, f *findings) property.Value {
	if !v.IsMap() {
		f.add(path, "must be %s, not %s", describe(c.t), kindOf(v))
		return v
	}
	values := v.AsMap()
	var changed map[string]property.Value
	set := func(name string, value property.Value) {
		if changed == nil {
			changed = values.AsMap()
		}
		changed[name] = value
	}
	for _, m := range c.fields {
		value, given := values.GetOk(m.Name)
		at := join(path, m.Name)
		switch {
		case !given || value.IsNull() && !m.check.t.Nullable && m.check.t.Kind != spec.Any:
			switch {
			case m.Default != nil:
				set(m.Name, m.fallback)
			case m.Required && m.Autoname == nil && m.DefaultExpr == nil:
				f.add(at, "is required%s", docHint(m.Property))
			}
		default:
			checked := m.check.complete(value, at, f)
			if m.Secret || m.Ephemeral {
				checked = checked.WithSecret(true)
			}
			if !same(checked, value) {
				set(m.Name, checked)
			}
		}
	}
	c.extras(values, path, f)
	if changed == nil {
		return v
	}
	return property.WithGoValue(v, property.NewMap(changed))
}

// extras checks the members that an object does not name.
func (c *checker) extras(values property.Map, path string, f *findings) {
	for name, value := range values.AllStable {
		if c.byName[name] != nil || strings.HasPrefix(name, "__") {
			continue
		}
		if !c.t.Open {
			f.add(join(path, name), "is not a property of this. %s", diag.Remedy(name, c.t.FieldNames()))
			continue
		}
		if c.elem != nil {
			c.elem.complete(value, join(path, name), f)
		}
	}
}

// entries checks a map.
func (c *checker) entries(v property.Value, path string, f *findings) property.Value {
	if !v.IsMap() {
		f.add(path, "must be %s, not %s", describe(c.t), kindOf(v))
		return v
	}
	c.length(v.AsMap().Len(), "entries", path, f)
	var changed map[string]property.Value
	for name, value := range v.AsMap().AllStable {
		at := join(path, name)
		for _, k := range c.keys {
			if !k.MatchString(name) {
				f.add(at, "the key must match %s", k)
			}
		}
		if c.elem == nil {
			continue
		}
		if checked := c.elem.complete(value, at, f); !same(checked, value) {
			if changed == nil {
				changed = v.AsMap().AsMap()
			}
			changed[name] = checked
		}
	}
	if changed == nil {
		return v
	}
	return property.WithGoValue(v, property.NewMap(changed))
}

// items checks a list.
func (c *checker) items(v property.Value, path string, f *findings) property.Value {
	if !v.IsArray() {
		f.add(path, "must be %s, not %s", describe(c.t), kindOf(v))
		return v
	}
	list := v.AsArray()
	c.length(list.Len(), "items", path, f)
	var changed []property.Value
	for i, value := range list.All {
		if c.elem == nil {
			break
		}
		if checked := c.elem.complete(value, fmt.Sprintf("%s[%d]", path, i), f); !same(checked, value) {
			if changed == nil {
				changed = list.AsSlice()
			}
			changed[i] = checked
		}
		if c.t.Unique {
			for j := range i {
				if list.Get(j).WithSecret(false).Equals(value.WithSecret(false)) {
					f.add(fmt.Sprintf("%s[%d]", path, i), "is the same as item %d; items must differ", j)
				}
			}
		}
	}
	if changed == nil {
		return v
	}
	return property.WithGoValue(v, property.NewArray(changed))
}

func (c *checker) length(n int, what, path string, f *findings) {
	if n < c.t.MinLen {
		f.add(path, "must have at least %d %s, and has %d", c.t.MinLen, what, n)
	}
	if c.t.MaxLen != nil && n > *c.t.MaxLen {
		f.add(path, "must have at most %d %s, and has %d", *c.t.MaxLen, what, n)
	}
}

// union checks against the one variant that the tag names, else against each.
func (c *checker) union(v property.Value, path string, f *findings) property.Value {
	if c.t.Tag != "" && v.IsMap() {
		tag := v.AsMap().Get(c.t.Tag)
		if tag.IsComputed() {
			return v
		}
		var known []string
		for _, variant := range c.variants {
			m := variant.byName[c.t.Tag]
			if m == nil {
				continue
			}
			for _, literal := range m.check.t.Enum {
				if equalLiteral(tag, literal) {
					return variant.complete(v, path, f)
				}
				known = append(known, fmt.Sprint(literal))
			}
		}
		f.add(join(path, c.t.Tag), "must be one of %s%s", enumerate(quoted(known)), suggestion(tag, known))
		return v
	}
	var wants []string
	for _, variant := range c.variants {
		var tried findings
		if checked := variant.complete(v, path, &tried); tried.list == nil {
			return checked
		}
		wants = append(wants, describe(variant.t))
	}
	f.add(path, "must be %s, not %s", enumerate(wants), kindOf(v))
	return v
}

// scalar checks text, numbers, truth values, assets and archives.
func (c *checker) scalar(v property.Value, path string, f *findings) {
	if !c.kindFits(v) {
		f.add(path, "must be %s, not %s", describe(c.t), kindOf(v))
		return
	}
	if len(c.t.Enum) > 0 && !slices.ContainsFunc(c.t.Enum, func(l any) bool { return equalLiteral(v, l) }) {
		known := literals(c.t.Enum)
		f.add(path, "must be one of %s%s", enumerate(quoted(known)), suggestion(v, known))
		return
	}
	for _, l := range c.t.Not {
		if equalLiteral(v, l) {
			f.add(path, "must not be %s", quote(fmt.Sprint(l)))
		}
	}
	switch {
	case v.IsString():
		c.text(v.AsString(), path, f)
	case v.IsNumber():
		c.number(v.AsNumber(), path, f)
	}
}

func (c *checker) kindFits(v property.Value) bool {
	switch c.t.Kind {
	case spec.String:
		return v.IsString()
	case spec.Bool:
		return v.IsBool()
	case spec.Number:
		return v.IsNumber()
	case spec.Int:
		return v.IsNumber() && v.AsNumber() == math.Trunc(v.AsNumber())
	case spec.Asset:
		return v.IsAsset()
	case spec.Archive:
		return v.IsArchive()
	default:
		return true
	}
}

func (c *checker) text(s, path string, f *findings) {
	if c.t.MinLen > 0 || c.t.MaxLen != nil {
		c.length(utf8.RuneCountInString(s), "characters", path, f)
	}
	for i, p := range c.patterns {
		if p.MatchString(s) == c.t.Patterns[i].Negated {
			not := ""
			if c.t.Patterns[i].Negated {
				not = "not "
			}
			f.add(path, "must %smatch %s", not, p)
		}
	}
	if b := c.t.Min; b != nil {
		if l, ok := b.Value.(string); ok && (s < l || b.Exclusive && s == l) {
			f.add(path, "must come after %s%s", orIs(b), quote(l))
		}
	}
	if b := c.t.Max; b != nil {
		if l, ok := b.Value.(string); ok && (s > l || b.Exclusive && s == l) {
			f.add(path, "must come before %s%s", orIs(b), quote(l))
		}
	}
}

func orIs(b *spec.Bound) string {
	if b.Exclusive {
		return ""
	}
	return "or be "
}

func (c *checker) number(n float64, path string, f *findings) {
	if n < c.min || c.t.Min != nil && c.t.Min.Exclusive && n == c.min {
		f.add(path, "must be %s %v", map[bool]string{true: "more than", false: "at least"}[c.t.Min.Exclusive], c.t.Min.Value)
	}
	if n > c.max || c.t.Max != nil && c.t.Max.Exclusive && n == c.max {
		f.add(path, "must be %s %v", map[bool]string{true: "less than", false: "at most"}[c.t.Max.Exclusive], c.t.Max.Value)
	}
	if c.t.MultipleOf != "" {
		if m, err := strconv.ParseFloat(c.t.MultipleOf, 64); err == nil && m != 0 && math.Mod(n, m) != 0 {
			f.add(path, "must be a multiple of %s", c.t.MultipleOf)
		}
	}
}

// same reports whether complete left a value as it was: the same value with the
// same secrecy. Only containers are rebuilt, so comparing is cheap.
func same(a, b property.Value) bool {
	if a.Secret() != b.Secret() {
		return false
	}
	switch {
	case a.IsMap() && b.IsMap(), a.IsArray() && b.IsArray():
		return a.Equals(b)
	default:
		return true
	}
}

func docHint(p *spec.Property) string {
	if s := firstSentence(p.Doc); s != "" {
		return ": " + strings.TrimSuffix(s, ".")
	}
	return ""
}

// join makes the path of a member, in the form of Pulumi's property paths.
func join(path, name string) string {
	if !plainKey.MatchString(name) {
		return path + "[" + strconv.Quote(name) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)
