package value

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// Failure is one mistake in inputs.
type Failure struct {
	// Path is the path of the property, such as `rules[0].port`, or "" for the whole
	// value.
	Path   string
	Reason string
}

// Findings collects failures while a value is checked.
type Findings struct {
	List []Failure
	// hidden is the number of secrets that contain the current value. If it is not 0,
	// messages do not show the value.
	hidden int
	// Context cancels the check; it may be nil. spent is the budget for regular
	// expressions.
	Context context.Context
	spent   *budget.Budget
	// over is true if the check stopped early. Values that were not checked count as
	// valid.
	exhausted bool
}

// maxCheckWork is the budget for the regular expressions of one value and everything
// in it. It is worth a few seconds.
const maxCheckWork = 100_000_000

// matches reports whether a string matches. If the budget is exhausted, it adds a
// failure and returns true, also for all later strings.
func (f *Findings) matches(re *budget.Regexp, s, path string) bool {
	if f.exhausted {
		return true
	}
	if f.spent == nil {
		f.spent = budget.New(cmp.Or(f.Context, context.Background()), maxCheckWork)
	}
	found, err := re.Match(f.spent, s)
	if err != nil {
		f.exhausted = true
		f.Add(path, "cannot be checked against %s: %v; use shorter or fewer strings", re, err)
		return true
	}
	return found
}

// Add adds a failure.
func (f *Findings) Add(path, format string, args ...any) {
	f.List = append(f.List, Failure{Path: path, Reason: fmt.Sprintf(format, args...)})
}

// Complete checks v and returns it with defaults added. Unknown values are valid, and
// secrets remain secret.
func (c *Type) Complete(v property.Value, path string, f *Findings) property.Value {
	v, _ = f.check(c, v, path)
	return v
}

// walk is like Complete, and also reports whether it changed anything, so that
// callers do not rebuild unchanged values.
func (f *Findings) check(c *Type, v property.Value, path string) (property.Value, bool) {
	if v.IsComputed() {
		return v, false
	}
	if v.Secret() {
		f.hidden++
		defer func() { f.hidden-- }()
	}
	if v.IsNull() {
		if !mayBeNull(c) {
			f.Add(path, "must not be null; omit it, or use %s", Describe(c.Spec))
		}
		return v, false
	}
	switch c.Spec.Kind {
	case spec.Object:
		return f.checkObject(c, v, path)
	case spec.Map:
		return f.checkMap(c, v, path)
	case spec.List:
		return f.checkList(c, v, path)
	case spec.Union:
		return f.checkUnion(c, v, path)
	case spec.Any:
		return v, false
	default:
		f.checkScalar(c, v, path)
		return v, false
	}
}

// checkObject checks the members of an object, and adds the defaults of absent
// members.
func (f *Findings) checkObject(c *Type, v property.Value, path string) (property.Value, bool) {
	if !v.IsMap() {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return v, false
	}
	values := v.AsMap()
	out := copyOnWrite{original: values}
	for _, m := range c.Fields {
		value, given := values.GetOk(m.Name)
		at := Join(path, m.Name)
		if !given || value.IsNull() && !mayBeNull(m.Check) {
			m.fillAbsent(at, &out, f)
			continue
		}
		marked := m.IsSecret() && !value.Secret()
		if marked {
			value = value.WithSecret(true) // before the check, so that no failure shows it
		}
		if checked, changed := f.check(m.Check, value, at); changed || marked {
			out.set(m.Name, checked)
		}
	}
	f.checkUndeclared(c, values, path, &out)
	return out.value(v)
}

// fillAbsent adds the default of an absent member, or a failure if the member is
// required.
func (m *Member) fillAbsent(at string, out *copyOnWrite, f *Findings) {
	switch {
	case m.Default != nil:
		// The members that the default omits have defaults, too.
		out.set(m.Name, m.Check.Complete(m.Fallback, at, f))
	case m.Check.Spec.Nullable:
		// Null is a valid value, and hosts omit nulls.
	case m.Required && m.Autoname == nil && m.DefaultExpr == nil:
		f.Add(at, "is required%s", docHint(m.Property))
	}
}

// checkUndeclared checks the keys and values of members that an object does not
// declare, and adds the defaults in them.
func (f *Findings) checkUndeclared(c *Type, values property.Map, path string, out *copyOnWrite) {
	undeclared := c.Spec.Open
	for name := range values.All {
		undeclared = undeclared || c.ByName[name] == nil
	}
	if !undeclared { // the usual case: avoids sorting the names
		return
	}
	for name, value := range values.AllStable {
		if c.ByName[name] != nil || strings.HasPrefix(name, "__") {
			continue
		}
		if !c.Spec.Open {
			f.Add(Join(path, name), "unknown property. %s", diag.Remedy(name, c.Spec.FieldNames()))
			continue
		}
		f.checkEntry(c, name, value, path, out)
	}
}

// checkEntry checks an entry of a map, or a member of an object that no property declares.
func (f *Findings) checkEntry(c *Type, name string, value property.Value, path string, out *copyOnWrite) {
	at := f.place(path, name)
	f.checkKey(c, name, at)
	if c.elem == nil {
		return
	}
	if checked, changed := f.check(c.elem, value, at); changed {
		out.set(name, checked)
	}
}

// checkMap checks a map.
func (f *Findings) checkMap(c *Type, v property.Value, path string) (property.Value, bool) {
	if !v.IsMap() {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return v, false
	}
	f.checkLength(c, v.AsMap().Len(), "entries", path)
	out := copyOnWrite{original: v.AsMap()}
	for name, value := range v.AsMap().AllStable {
		f.checkEntry(c, name, value, path, &out)
	}
	return out.value(v)
}

// place returns the path of a value by its key. The keys of a secret map are a part of the
// secret: failures in it have the path of the map.
func (f *Findings) place(path, key string) string {
	if f.hidden > 0 {
		return path
	}
	return Join(path, key)
}

// checkKey checks a key of a map. at is the place of its value.
func (f *Findings) checkKey(c *Type, name, at string) {
	for _, k := range c.keys {
		switch {
		case f.matches(k, name, at):
		case f.hidden > 0:
			f.Add(at, "each key must match %s", k)
		default:
			f.Add(at, "the key must match %s", k)
		}
	}
}

// checkList checks a list.
func (f *Findings) checkList(c *Type, v property.Value, path string) (property.Value, bool) {
	if !v.IsArray() {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return v, false
	}
	list := v.AsArray()
	f.checkLength(c, list.Len(), "items", path)
	f.checkUnique(c, list, path)
	if c.elem == nil {
		return v, false
	}
	var rebuilt []property.Value
	for i, value := range list.All {
		checked, changed := f.check(c.elem, value, path+"["+strconv.Itoa(i)+"]")
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

// checkUnique reports duplicate items of a list whose items must be distinct.
func (f *Findings) checkUnique(c *Type, list property.Array, path string) {
	if !c.Spec.Unique {
		return
	}
	seen := make(map[string]int, list.Len())
	for i, value := range list.All {
		if value.HasComputed() {
			continue
		}
		key := Canonical(value)
		if j, ok := seen[key]; ok {
			f.Add(path+"["+strconv.Itoa(i)+"]", "is equal to item %d; items must be distinct", j)
			continue
		}
		seen[key] = i
	}
}

// checkLength reports a list or map with too few or too many items.
func (f *Findings) checkLength(c *Type, n int, what, path string) {
	if wrong := types.WrongCount(n, what, c.Spec); wrong != "" {
		f.Add(path, "%s", wrong)
	}
}

// checkUnion checks a value against the variant of a union that it belongs to.
// Scalars, and values that only bounds and patterns distinguish, are checked against
// each variant.
func (f *Findings) checkUnion(c *Type, v property.Value, path string) (property.Value, bool) {
	i := types.Variant(c.Spec, shape{v}, c.types)
	switch {
	case i == types.Undecided:
		return c.markUndecided(v)
	case i >= 0 && c.Spec.Tag != "" && v.IsMap():
		return f.check(c.variants[i], v, path)
	case i == types.NoVariant && c.Spec.Tag != "" && v.IsMap():
		f.unknownTag(c, v, path)
		return v, false
	}
	var wants []string
	for _, variant := range c.variants {
		tried := Findings{hidden: f.hidden, Context: f.Context, spent: f.spent, exhausted: f.exhausted}
		checked, changed := tried.check(variant, v, path)
		f.spent = tried.spent
		if tried.exhausted && !f.exhausted {
			f.exhausted, f.List = true, append(f.List, tried.List...) // the variant is not known
			return v, false
		}
		if tried.List == nil {
			return checked, changed
		}
		wants = append(wants, Describe(variant.Spec))
	}
	if i >= 0 && (v.IsMap() || v.IsArray()) {
		return f.check(c.variants[i], v, path)
	}
	f.Add(path, "must be %s, not %s", diag.Or(wants), f.kindOf(v))
	return v, false
}

// markUndecided marks a value whose variant is not known yet as secret, if one of the
// variants contains a secret.
func (c *Type) markUndecided(v property.Value) (property.Value, bool) {
	if v.Secret() || !types.HoldsSecret(c.Spec, c.types) {
		return v, false
	}
	return v.WithSecret(true), true
}

// unknownTag reports an object whose tag matches no variant.
func (f *Findings) unknownTag(c *Type, v property.Value, path string) {
	known := c.tagValues()
	tag := v.AsMap().Get(c.Spec.Tag)
	f.Add(Join(path, c.Spec.Tag), "must be one of %s%s", diag.Or(lists.Map(known, Quote)), f.suggestion(tag, known))
}

// tagValues returns the literals of a union's tag.
func (c *Type) tagValues() []string {
	return textsOf(types.Tags(c.Spec, c.Spec.Tag, c.types), c.types)
}

// textsOf returns the literals of the tags of a union's variants.
func textsOf(tags []*spec.Property, named spec.Types) []string {
	var texts []string
	for _, p := range tags {
		texts = append(texts, types.Texts(named.Resolve(p.Type).Enum)...)
	}
	return texts
}

func docHint(p *spec.Property) string {
	if s := diag.FirstSentence(p.Doc); s != "" {
		return " (" + strings.TrimSuffix(s, ".") + ")"
	}
	return ""
}
