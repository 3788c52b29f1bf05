package value

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// Receive returns a value from outside as one of the type that it is for: its
// members under their declared names, with defaults, without what a closed struct
// does not declare. Of a value that does not fit, what does is returned beside the
// error; path is what the value is called.
func (n Naming) Receive(v any, path string, form actions.Form) (any, error) {
	r := reception{rule: n.Rule, types: n.types, xml: form == actions.XML, path: []pathStep{{name: path, wire: path}}}
	out := r.value(v, n.onto)
	if r.first != nil {
		return out, r.first
	}
	return out, nil
}

// Adapt returns a value from outside with what of it fits under its declared names,
// beside all that is there.
func (n Naming) Adapt(v any, form actions.Form) any {
	r := reception{rule: n.Rule, types: n.types, xml: form == actions.XML, lenient: true}
	return r.value(v, n.onto)
}

// Hold returns a value whose members have their declared names already, such as what
// `find` makes of another response, as one of the type.
func (n Naming) Hold(v any, path string) (any, error) {
	r := reception{rule: n.Rule, types: n.types, declared: true, path: []pathStep{{name: path, wire: path}}}
	out := r.value(v, n.onto)
	if r.first != nil {
		return out, r.first
	}
	return out, nil
}

// reception is one response on its way in.
type reception struct {
	rule  WireRule
	types spec.Types
	path  []pathStep
	// declared says that members have their declared names, and not those on the wire.
	declared bool
	// lenient says that what does not fit stays as it is, xml that the value came as
	// XML, with whole names: see decode.LocalNames.
	lenient, xml bool
	// first is the first misfit.
	first *MisfitError
}

// wire is the name of a property in the value.
func (r *reception) wire(p *spec.Property) string {
	if r.declared {
		return p.Name
	}
	return r.rule.Name(p)
}

// parents are the members that a property is within in the value.
func (r *reception) parents(p *spec.Property) []string {
	if r.declared {
		return nil
	}
	return p.WireParents
}

// shape is a value as a union sees it.
func (r *reception) shape(v any) types.Shape {
	switch {
	case r.declared:
		return types.ShapeOf(v, nil)
	case r.xml:
		return xmlShape{r: r, value: v}
	}
	return types.ShapeOf(v, r.rule.Name)
}

// pathStep is a step of a path, by its declared name and by that on the wire; or an
// index of a list, where name is "".
type pathStep struct {
	name, wire string
	// parents are the members that the one on the wire is within.
	parents []string
	index   int
}

// below is the value of a member, with the path one step deeper.
func (r *reception) below(at pathStep, v any, t *spec.Type) any {
	r.path = append(r.path, at)
	out := r.value(v, t)
	r.path = r.path[:len(r.path)-1]
	return out
}

// misfit notes that what is at the path is not what is expected there.
func (r *reception) misfit(expected, got, hint string) {
	if r.first != nil {
		return
	}
	var name, wire string
	for _, p := range r.path {
		if p.name == "" {
			name, wire = fmt.Sprintf("%s[%d]", name, p.index), fmt.Sprintf("%s[%d]", wire, p.index)
			continue
		}
		for _, parent := range p.parents {
			wire = Join(wire, parent)
		}
		name, wire = Join(name, p.name), Join(wire, p.wire)
	}
	r.first = &MisfitError{Path: name, Wire: wire, Expected: expected, Got: got, Hint: hint}
}

// mostSteps is how many steps of a path a type may lead through, as in
// actions: no decoder reads anything deeper.
const mostSteps = decode.MaxDepth + 2

func (r *reception) value(v any, declared *spec.Type) any {
	t := r.types.Resolve(declared)
	if r.xml {
		v = fromXML(v, t)
	}
	if v == nil {
		if !takesNull(t, r.types) {
			r.misfit(Describe(declared), "null", "")
		}
		return nil
	}
	if len(r.path) > mostSteps {
		return r.unfit(v, declared, "too deep a value")
	}
	switch t.Kind {
	case spec.Any:
		return v
	case spec.Union:
		return r.union(v, t, declared)
	case spec.Object:
		if m, ok := v.(map[string]any); ok {
			return r.object(m, t)
		}
	case spec.Map:
		if m, ok := v.(map[string]any); ok {
			return r.entries(m, t)
		}
	case spec.List:
		if list, ok := v.([]any); ok {
			return r.list(list, t)
		}
	default:
		if scalar, ok := asScalar(v, t); ok {
			return scalar
		}
	}
	return r.unfit(v, declared, receivedKind(v))
}

// unfit notes that a value is not of its type, and returns what stands in its place.
func (r *reception) unfit(v any, declared *spec.Type, got string) any {
	r.misfit(Describe(declared), got, "")
	if r.lenient {
		return r.asIs(v)
	}
	return nil
}

// asIs is a value of which no type is known.
func (r *reception) asIs(v any) any {
	if r.xml {
		return decode.Unqualify(v)
	}
	return v
}

// asScalar is a scalar as one of a type: a number keeps its digits where a string is
// declared, and a whole one is an integer where that is.
func asScalar(v any, t *spec.Type) (any, bool) {
	switch t.Kind {
	case spec.Bool:
		_, ok := v.(bool)
		return v, ok
	case spec.String:
		if _, ok := v.(string); ok {
			return v, true
		}
		if len(t.Enum) > 0 || receivedKind(v) != "a number" {
			return nil, false
		}
		text, err := actions.TextOf(v)
		return text, err == nil
	case spec.Number:
		return v, receivedKind(v) == "a number"
	case spec.Int:
		return asInteger(v)
	default:
		return nil, false // a file does not come in a response
	}
}

// asInteger is a whole number, as int64 where that holds it.
func asInteger(v any) (any, bool) {
	const exactly = 1 << 53 // the integers up to here are floats, each of them
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) <= exactly {
		return int64(f), true
	}
	return v, types.ShapeOf(v, nil).Kind() == spec.Int
}

// object returns the declared members under their declared names, and of an open
// struct the others as they are.
func (r *reception) object(v map[string]any, t *spec.Type) any {
	out := make(map[string]any, len(t.Fields))
	switch {
	case r.lenient && r.xml:
		out = decode.Unqualify(v).(map[string]any)
	case r.lenient:
		out = maps.Clone(v)
	}
	if r.xml {
		v = r.named(v, t, nil)
	}
	for _, p := range t.Fields {
		wire := r.wire(p)
		r.path = append(r.path, pathStep{name: p.Name, wire: wire, parents: r.parents(p)})
		if holder, ok := r.holder(v, p); ok {
			r.member(out, holder, p, wire)
		}
		r.path = r.path[:len(r.path)-1]
	}
	if !t.Open || r.lenient {
		return out
	}
	for _, p := range t.Fields {
		if parents := r.parents(p); parents != nil {
			_, _, v = takeAt(v, parents, r.wire(p))
		}
	}
	for name, item := range v {
		if t.Field(name) != nil || !r.declared && r.rule.onWire(t, name) != nil {
			continue
		}
		if item != nil { // null is as good as absent
			item = r.below(keyStep(name), item, t.Elem)
		}
		out[name] = item
	}
	return out
}

// holder is the object in which a member stands on the wire, nil where it is absent.
func (r *reception) holder(v map[string]any, p *spec.Property) (map[string]any, bool) {
	for _, parent := range r.parents(p) {
		next := v[parent]
		inner, ok := next.(map[string]any)
		if !ok && next != nil {
			r.misfit(fmt.Sprintf("an object at %q", parent), receivedKind(next), "")
			return nil, false
		}
		v = inner
	}
	return v, true
}

// member puts a declared member into out.
func (r *reception) member(out, v map[string]any, p *spec.Property, wire string) {
	item, t := v[wire], r.types.Resolve(p.Type)
	if r.xml {
		item = fromXML(item, t)
	}
	if item != nil {
		out[p.Name] = r.value(item, p.Type)
		return
	}
	_, given := v[wire]
	nullable := takesNull(t, r.types)
	switch {
	case r.xml && !given && r.ambiguous(v, p, wire):
	case given && nullable:
		out[p.Name] = nil
	case p.Default != nil:
		out[p.Name] = Restored(p.Default)
	case !p.Required:
	case r.xml && t.Kind == spec.List:
		out[p.Name] = []any{} // no element is an empty list
	case given:
		r.misfit(Describe(p.Type), "null", "")
	case nullable && t.Kind != spec.Any:
		out[p.Name] = nil
	default:
		r.misfit(Describe(p.Type), "nothing", r.otherSpelling(v, p))
	}
}

// otherSpelling says what to write for a member that is missing, where another
// spelling of its name is there.
func (r *reception) otherSpelling(v map[string]any, p *spec.Property) string {
	if r.declared {
		return "" // the names are the author's
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if spec.SameSpelling(name, p.Name) || spec.SameSpelling(name, r.wire(p)) || r.xml && strings.HasSuffix(r.wire(p), ":"+name) {
			var path []string
			for _, parent := range append(slices.Clone(p.WireParents), name) {
				path = append(path, WireArgument(parent))
			}
			return fmt.Sprintf("the response has %q: write @wire(%s)", name, strings.Join(path, "."))
		}
	}
	return ""
}

// WireArgument is a name as the argument of @wire.
func WireArgument(name string) string {
	for _, c := range name {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return strconv.Quote(name)
		}
	}
	return name
}

// entries returns a map's values; null is as good as absent, where the type does not
// have it.
func (r *reception) entries(v map[string]any, t *spec.Type) any {
	if t.Elem == nil {
		return r.asIs(v)
	}
	if r.xml {
		v = decode.LocalNames(v, nil)
	}
	out := make(map[string]any, len(v))
	nullable := takesNull(r.types.Resolve(t.Elem), r.types)
	for name, item := range v {
		if item == nil && !nullable {
			continue
		}
		out[name] = r.below(keyStep(name), item, t.Elem)
	}
	return out
}

func (r *reception) list(v []any, t *spec.Type) any {
	if t.Elem == nil {
		return r.asIs(v)
	}
	out := make([]any, len(v))
	for i, item := range v {
		out[i] = r.below(pathStep{index: i}, item, t.Elem)
	}
	return out
}

// union returns the value as one of the variant that it is.
func (r *reception) union(v any, t, declared *spec.Type) any {
	if r.xml && !slices.ContainsFunc(t.Variants, r.takesBlank) {
		v = elementOf(v, &spec.Type{})
	}
	if i := types.Variant(t, r.shape(v), r.types); i >= 0 {
		return r.value(v, t.Variants[i])
	}
	for _, variant := range t.Variants {
		variant = r.types.Resolve(variant)
		if variant.Kind != spec.String && !r.xml {
			continue
		}
		plain := v
		if r.xml {
			plain = fromXML(v, variant)
		}
		if scalar, ok := asScalar(plain, variant); ok {
			return scalar
		}
	}
	members, ok := v.(map[string]any)
	tags := types.Tags(t, t.Tag, r.types)
	if !ok || len(tags) == 0 {
		return r.unfit(v, declared, receivedKind(v))
	}
	var values []string
	for _, p := range tags {
		values = append(values, literals(r.types.Resolve(p.Type).Enum)...)
	}
	wire := r.wire(tags[0])
	got := "another one"
	if r.shape(members).Member(tags[0]) == nil {
		got = "nothing"
	}
	r.path = append(r.path, pathStep{name: t.Tag, wire: wire})
	r.misfit("one of "+diag.Or(quoted(values)), got, "")
	r.path = r.path[:len(r.path)-1]
	if r.lenient {
		return r.asIs(v)
	}
	return nil
}

// takesNull reports whether null is a value of a resolved type.
func takesNull(t *spec.Type, named spec.Types) bool {
	return t.Kind == spec.Any || t.Nullable || slices.Contains(t.Enum, nil) || t.Kind == spec.Union &&
		slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return named.Resolve(v).Nullable })
}

// receivedKind names what a value from outside is; it never shows the value, which
// may be secret.
func receivedKind(v any) string {
	switch types.ShapeOf(v, nil).Kind() {
	case spec.Bool:
		return "a boolean"
	case spec.Int, spec.Number:
		return "a number"
	case spec.String:
		return "a string"
	case spec.List:
		return "a list"
	case spec.Object:
		return "an object"
	default:
		return "null"
	}
}

// keyStep is a key from outside as a step of a path.
func keyStep(key string) pathStep {
	const most = 80
	if len(key) > most {
		key = strings.ToValidUTF8(key[:most], "") + "…"
	}
	if key == "" {
		key = `""`
	}
	return pathStep{name: key, wire: key}
}

// MisfitError reports the member of a response that is not what `returns` says.
type MisfitError struct {
	// Path is where the member is, by declared names; Wire by the names on the wire.
	Path, Wire string
	// Expected is its declared type, Got what came instead.
	Expected, Got string
	// Hint says what to write, where that can be guessed.
	Hint string
}

func (e *MisfitError) Error() string {
	where := e.Path
	if e.Wire != e.Path {
		where += fmt.Sprintf(" (on the wire %s)", e.Wire)
	}
	text := fmt.Sprintf("the response does not fit `returns`: %s: expected %s, got %s", where, e.Expected, e.Got)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}
