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
	"github.com/declprov/declprov/spec/types"
)

// Failure is one thing wrong with inputs.
type Failure struct {
	// Path is the property's: `rules[0].port`; "" for the whole.
	Path   string
	Reason string
}

// Findings collects failures while a value is walked.
type Findings struct {
	List []Failure
	// hidden is how many secrets the walk is within: none of what is there is
	// shown.
	hidden int
	// ctx ends the walk; nil does not. spent bounds what it may take.
	Context context.Context
	spent   *budget.Budget
	// over says that the walk was ended, and what was not looked at is not known.
	over bool
}

// maxCheckWork is what the regular expressions of a type may take of one value with
// all that is in it: a few seconds.
const maxCheckWork = 100_000_000

// matches reports whether a text matches. Where nobody has the time to tell, that is
// the finding, and all others match.
func (f *Findings) matches(re *budget.Regexp, s, path string) bool {
	if f.over {
		return true
	}
	if f.spent == nil {
		f.spent = budget.New(cmp.Or(f.Context, context.Background()), maxCheckWork)
	}
	found, err := re.Match(f.spent, s)
	if err != nil {
		f.over = true
		f.Add(path, "cannot be checked against %s: %v; give shorter texts, or fewer", re, err)
		return true
	}
	return found
}

// Add records a failure at a path.
func (f *Findings) Add(path, format string, args ...any) {
	f.List = append(f.List, Failure{Path: path, Reason: fmt.Sprintf(format, args...)})
}

// Complete checks v and returns it with defaults added; nothing else of it
// changes. Unknown values pass, secrets stay secret.
func (c *Type) Complete(v property.Value, path string, f *Findings) property.Value {
	v, _ = f.walk(c, v, path)
	return v
}

// walk is complete, and reports whether it changed anything, so that what it did
// not is not built anew.
func (f *Findings) walk(c *Type, v property.Value, path string) (property.Value, bool) {
	if v.IsComputed() {
		return v, false
	}
	if v.Secret() {
		f.hidden++
		defer func() { f.hidden-- }()
	}
	if v.IsNull() {
		if !c.Spec.Nullable && c.Spec.Kind != spec.Any {
			f.Add(path, "must not be null; leave it out, or give %s", Describe(c.Spec))
		}
		return v, false
	}
	switch c.Spec.Kind {
	case spec.Object:
		return f.object(c, v, path)
	case spec.Map:
		return f.entries(c, v, path)
	case spec.List:
		return f.items(c, v, path)
	case spec.Union:
		return f.union(c, v, path)
	case spec.Any:
		return v, false
	default:
		f.scalar(c, v, path)
		return v, false
	}
}

// object checks the members of an object and adds the defaults of absent ones.
func (f *Findings) object(c *Type, v property.Value, path string) (property.Value, bool) {
	if !v.IsMap() {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return v, false
	}
	values := v.AsMap()
	out := rebuilt{of: values}
	for _, m := range c.Fields {
		value, given := values.GetOk(m.Name)
		at := Join(path, m.Name)
		if !given || value.IsNull() && !m.Check.Spec.Nullable && m.Check.Spec.Kind != spec.Any {
			m.absent(at, &out, f)
			continue
		}
		marked := (m.Secret || m.Ephemeral) && !value.Secret()
		if marked {
			value = value.WithSecret(true) // before it is walked, so that no failure shows it
		}
		if checked, changed := f.walk(m.Check, value, at); changed || marked {
			out.set(m.Name, checked)
		}
	}
	f.extras(c, values, path, &out)
	return out.value(v)
}

// absent adds the default of a member that is not given, or says that it must
// be.
func (m *Member) absent(at string, out *rebuilt, f *Findings) {
	switch {
	case m.Default != nil:
		// What a default leaves out has defaults in turn.
		out.set(m.Name, m.Check.Complete(m.Fallback, at, f))
	case m.Check.Spec.Nullable:
		// Null is a value of it, and hosts leave nulls out.
	case m.Required && m.Autoname == nil && m.DefaultExpr == nil:
		f.Add(at, "is required%s", docHint(m.Property))
	}
}

// extras checks the members that an object does not name, their keys among them, and
// adds the defaults of what is in them.
func (f *Findings) extras(c *Type, values property.Map, path string, out *rebuilt) {
	strange := c.Spec.Open
	for name := range values.All {
		strange = strange || c.ByName[name] == nil
	}
	if !strange { // the usual case, in which no names are sorted
		return
	}
	for name, value := range values.AllStable {
		if c.ByName[name] != nil || strings.HasPrefix(name, "__") {
			continue
		}
		if !c.Spec.Open {
			f.Add(Join(path, name), "is not a property of this. %s", diag.Remedy(name, c.Spec.FieldNames()))
			continue
		}
		for _, k := range c.keys {
			if !f.matches(k, name, Join(path, name)) {
				f.Add(Join(path, name), "the key must match %s", k)
			}
		}
		if c.elem == nil {
			continue
		}
		if checked, changed := f.walk(c.elem, value, Join(path, name)); changed {
			out.set(name, checked)
		}
	}
}

// entries checks a map.
func (f *Findings) entries(c *Type, v property.Value, path string) (property.Value, bool) {
	if !v.IsMap() {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return v, false
	}
	f.length(c, v.AsMap().Len(), "entries", path)
	out := rebuilt{of: v.AsMap()}
	for name, value := range v.AsMap().AllStable {
		at := Join(path, name)
		for _, k := range c.keys {
			if !f.matches(k, name, at) {
				f.Add(at, "the key must match %s", k)
			}
		}
		if c.elem == nil {
			continue
		}
		if checked, changed := f.walk(c.elem, value, at); changed {
			out.set(name, checked)
		}
	}
	return out.value(v)
}

// items checks a list.
func (f *Findings) items(c *Type, v property.Value, path string) (property.Value, bool) {
	if !v.IsArray() {
		f.Add(path, "must be %s, not %s", Describe(c.Spec), f.kindOf(v))
		return v, false
	}
	list := v.AsArray()
	f.length(c, list.Len(), "items", path)
	f.unique(c, list, path)
	if c.elem == nil {
		return v, false
	}
	var rebuilt []property.Value
	for i, value := range list.All {
		checked, changed := f.walk(c.elem, value, path+"["+strconv.Itoa(i)+"]")
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
func (f *Findings) unique(c *Type, list property.Array, path string) {
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
			f.Add(path+"["+strconv.Itoa(i)+"]", "is the same as item %d; items must differ", j)
			continue
		}
		seen[key] = i
	}
}

func (f *Findings) length(c *Type, n int, what, path string) {
	if wrong := types.WrongCount(n, what, c.Spec); wrong != "" {
		f.Add(path, "%s", wrong)
	}
}

// union checks against the variant that a value is. Scalars, and what nothing
// but bounds and patterns tells apart, are checked against each.
func (f *Findings) union(c *Type, v property.Value, path string) (property.Value, bool) {
	i := types.Variant(c.Spec, shape{v}, c.types)
	switch {
	case i == types.Undecided:
		return c.hedged(v)
	case i >= 0 && c.Spec.Tag != "" && v.IsMap():
		return f.walk(c.variants[i], v, path)
	case i == types.NoVariant && c.Spec.Tag != "" && v.IsMap():
		f.unknownTag(c, v, path)
		return v, false
	}
	var wants []string
	for _, variant := range c.variants {
		tried := Findings{hidden: f.hidden, Context: f.Context, spent: f.spent, over: f.over}
		checked, changed := tried.walk(variant, v, path)
		f.spent = tried.spent
		if tried.over && !f.over {
			f.over, f.List = true, append(f.List, tried.List...) // which variant it is, nobody can tell
			return v, false
		}
		if tried.List == nil {
			return checked, changed
		}
		wants = append(wants, Describe(variant.Spec))
	}
	if i >= 0 && (v.IsMap() || v.IsArray()) {
		return f.walk(c.variants[i], v, path)
	}
	f.Add(path, "must be %s, not %s", diag.Or(wants), f.kindOf(v))
	return v, false
}

// hedged is a value of which it is not known yet which variant it is: secret, where
// one of the variants has a secret.
func (c *Type) hedged(v property.Value) (property.Value, bool) {
	if v.Secret() || !types.HoldsSecret(c.Spec, c.types) {
		return v, false
	}
	return v.WithSecret(true), true
}

// unknownTag reports a struct whose tag names no variant.
func (f *Findings) unknownTag(c *Type, v property.Value, path string) {
	known := c.tagValues()
	tag := v.AsMap().Get(c.Spec.Tag)
	f.Add(Join(path, c.Spec.Tag), "must be one of %s%s", diag.Or(quoted(known)), f.suggestion(tag, known))
}

// tagValues are the literals of a union's tag.
func (c *Type) tagValues() []string {
	var known []string
	for _, p := range types.Tags(c.Spec, c.Spec.Tag, c.types) {
		known = append(known, literals(c.types.Resolve(p.Type).Enum)...)
	}
	return known
}

func docHint(p *spec.Property) string {
	if s := diag.FirstSentence(p.Doc); s != "" {
		return ": " + strings.TrimSuffix(s, ".")
	}
	return ""
}
