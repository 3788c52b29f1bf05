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
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// Receive returns a value from outside as a value of the type that the naming is for:
// with members under their declared names, with defaults, and without members that a
// closed struct does not declare. If the value does not match, it returns the
// matching parts and an error. path is the name of the value in the error.
func (n Naming) Receive(v any, path string, form actions.Form) (any, error) {
	r := reception{rule: n.Rule, types: n.types, xml: form == actions.XML, path: []pathStep{{name: path, wire: path}}}
	out := r.receive(v, n.onto)
	if r.first != nil {
		return out, r.first
	}
	return out, nil
}

// Adapt returns a value from outside in which the members that match the type have
// their declared names. All other members remain.
func (n Naming) Adapt(v any, form actions.Form) any {
	r := reception{rule: n.Rule, types: n.types, xml: form == actions.XML, lenient: true}
	return r.receive(v, n.onto)
}

// ReceiveDeclared is like Receive for a value whose members already have their
// declared names, such as the result of `find`.
func (n Naming) ReceiveDeclared(v any, path string) (any, error) {
	r := reception{rule: n.Rule, types: n.types, declared: true, path: []pathStep{{name: path, wire: path}}}
	out := r.receive(v, n.onto)
	if r.first != nil {
		return out, r.first
	}
	return out, nil
}

// reception is the conversion of one response.
type reception struct {
	rule  WireRule
	types spec.Types
	path  []pathStep
	// declared is true if members have their declared names, and not their wire names.
	declared bool
	// lenient is true if parts that do not match remain unchanged. xml is true if the
	// value was XML, with qualified names; see decode.LocalNames.
	lenient, xml bool
	// first is the first mismatch.
	first *MisfitError
}

// wire returns the name of a property in the value.
func (r *reception) wire(p *spec.Property) string {
	if r.declared {
		return p.Name
	}
	return r.rule.Name(p)
}

// parents returns the members that contain a property in the value.
func (r *reception) parents(p *spec.Property) []string {
	if r.declared {
		return nil
	}
	return p.WireParents
}

// shape returns a value in the form for resolving unions.
func (r *reception) shape(v any) types.Shape {
	switch {
	case r.declared:
		return types.ShapeOf(v, nil)
	case r.xml:
		return xmlShape{r: r, value: v}
	}
	return types.ShapeOf(v, r.rule.Name)
}

// receiveAt converts a member, with the path extended by it.
func (r *reception) receiveAt(at pathStep, v any, t *spec.Type) any {
	r.path = append(r.path, at)
	out := r.receive(v, t)
	r.path = r.path[:len(r.path)-1]
	return out
}

// mostSteps is the maximum length of a path. No decoder accepts values that nest more
// deeply; see actions.
const mostSteps = decode.MaxDepth + 2

func (r *reception) receive(v any, declared *spec.Type) any {
	t := r.types.Resolve(declared)
	if r.xml {
		v = fromXML(v, t)
	}
	if v == nil {
		if !allowsNull(t, r.types) {
			r.misfit(Describe(declared), "null", "")
		}
		return nil
	}
	if len(r.path) > mostSteps {
		return r.reject(v, declared, "a value that nests too deeply")
	}
	switch t.Kind {
	case spec.Any:
		return v
	case spec.Union:
		return r.receiveUnion(v, t, declared)
	case spec.Object:
		if m, ok := v.(map[string]any); ok {
			return r.receiveObject(m, t)
		}
	case spec.Map:
		if m, ok := v.(map[string]any); ok {
			return r.receiveMap(m, t)
		}
	case spec.List:
		if list, ok := v.([]any); ok {
			return r.receiveList(list, t)
		}
	default:
		scalar := v
		if !r.declared {
			scalar = types.FromWire(v, t)
		}
		if scalar, ok := asScalar(scalar, t); ok {
			return scalar
		}
	}
	return r.reject(v, declared, receivedKind(v))
}

// reject records a mismatch, and returns the replacement for the value.
func (r *reception) reject(v any, declared *spec.Type, got string) any {
	r.misfit(Describe(declared), got, "")
	if r.lenient {
		return r.asIs(v)
	}
	return nil
}

// asIs returns a value without a declared type.
func (r *reception) asIs(v any) any {
	if r.xml {
		return decode.Unqualify(v)
	}
	return v
}

// asScalar converts a scalar to a type. A number keeps its digits if a string is
// declared, and becomes an integer if that is declared.
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
		return nil, false // responses contain no files
	}
}

// asInteger returns a whole number as an int64 if possible.
func asInteger(v any) (any, bool) {
	const exactly = 1 << 53 // a float64 represents every integer up to this
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) <= exactly {
		return int64(f), true
	}
	return v, types.ShapeOf(v, nil).Kind() == spec.Int
}

// receiveObject returns the declared members under their declared names, and the
// other members of an open struct unchanged.
func (r *reception) receiveObject(v map[string]any, t *spec.Type) any {
	out := make(map[string]any, len(t.Fields))
	switch {
	case r.lenient && r.xml:
		out = decode.Unqualify(v).(map[string]any)
	case r.lenient:
		out = maps.Clone(v)
	}
	if r.xml {
		v = r.renameElements(v, t, nil)
	}
	for _, p := range t.Fields {
		wire := r.wire(p)
		r.path = append(r.path, r.stepTo(p, wire))
		if holder, ok := r.parentOf(v, p); ok {
			r.receiveMember(out, holder, p, wire)
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
		if t.Field(name) != nil || !r.declared && r.rule.propertyNamed(t, name) != nil {
			continue
		}
		if item != nil { // null is equivalent to absent
			item = r.receiveAt(keyStep(name), item, t.Elem)
		}
		out[name] = item
	}
	return out
}

// stepTo returns the step to a property, whose name in the value is given.
func (r *reception) stepTo(p *spec.Property, name string) pathStep {
	step := pathStep{name: p.Name, wire: name, parents: r.parents(p), secret: p.IsSecret()}
	if !r.declared {
		step.item = p.WireItem
	}
	return step
}

// parentOf returns the object that contains a property on the wire, or nil if it is
// absent.
func (r *reception) parentOf(v map[string]any, p *spec.Property) (map[string]any, bool) {
	for _, parent := range r.parents(p) {
		next := v[parent]
		inner, ok := next.(map[string]any)
		if !ok && next != nil {
			r.misfit(fmt.Sprintf("an object at %q", parent), receivedKind(next), r.inItems(p, next))
			return nil, false
		}
		v = inner
	}
	return v, true
}

// inItems returns the remedy for a member whose parent in the value is a list, if the member is
// declared as a list.
func (r *reception) inItems(p *spec.Property, parent any) string {
	if _, isList := parent.([]any); !isList || r.types.Resolve(p.Type).Kind != spec.List || len(p.WireParents) != 1 {
		return ""
	}
	return fmt.Sprintf("the items are in objects: write @wire(%s[].%s)", WireArgument(p.WireParents[0]), WireArgument(p.Wire))
}

// receiveMember sets a declared member in out.
func (r *reception) receiveMember(out, v map[string]any, p *spec.Property, wire string) {
	item, t := v[wire], r.types.Resolve(p.Type)
	if r.xml {
		item = fromXML(item, t)
	}
	if item != nil {
		if !r.declared {
			item = types.AtItems(item, p.WireItem)
		}
		out[p.Name] = r.receive(item, p.Type)
		return
	}
	_, given := v[wire]
	nullable := allowsNull(t, r.types)
	switch {
	case r.xml && !given && r.ambiguous(v, p, wire):
	case given && nullable:
		out[p.Name] = nil
	case p.Default != nil:
		out[p.Name] = Restore(p.Default)
	case !p.Required:
	case r.xml && t.Kind == spec.List:
		out[p.Name] = []any{} // no elements are an empty list
	case given:
		r.misfit(Describe(p.Type), "null", "")
	case nullable && t.Kind != spec.Any:
		out[p.Name] = nil
	default:
		r.misfit(Describe(p.Type), "nothing", r.otherSpelling(v, p))
	}
}

// otherSpelling returns the remedy for a missing member if the value has a member
// with a similar name.
func (r *reception) otherSpelling(v map[string]any, p *spec.Property) string {
	if r.declared {
		return "" // the author chose the names
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if spec.SameSpelling(name, p.Name) || spec.SameSpelling(name, r.wire(p)) || r.xml && strings.HasSuffix(r.wire(p), ":"+name) {
			path := lists.Map(append(slices.Clone(p.WireParents), name), WireArgument)
			return fmt.Sprintf("the response has %q: write @wire(%s)", name, strings.Join(path, "."))
		}
	}
	return ""
}

// WireArgument returns a name in the syntax of an argument of @wire.
func WireArgument(name string) string {
	for _, c := range name {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return strconv.Quote(name)
		}
	}
	return name
}

// receiveMap converts the values of a map. It omits nulls unless the type allows
// them.
func (r *reception) receiveMap(v map[string]any, t *spec.Type) any {
	if t.Elem == nil {
		return r.asIs(v)
	}
	if r.xml {
		v = decode.LocalNames(v, nil)
	}
	out := make(map[string]any, len(v))
	nullable := allowsNull(r.types.Resolve(t.Elem), r.types)
	for name, item := range v {
		if item == nil && !nullable {
			continue
		}
		out[name] = r.receiveAt(keyStep(name), item, t.Elem)
	}
	return out
}

// receiveList converts the items of a list.
func (r *reception) receiveList(v []any, t *spec.Type) any {
	if t.Elem == nil {
		return r.asIs(v)
	}
	out := make([]any, len(v))
	for i, item := range v {
		out[i] = r.receiveAt(pathStep{index: i}, item, t.Elem)
	}
	return out
}

// receiveUnion converts a value to the variant of a union that it belongs to.
func (r *reception) receiveUnion(v any, t, declared *spec.Type) any {
	if r.xml && !slices.ContainsFunc(t.Variants, r.allowsBlank) {
		v = asElement(v, &spec.Type{})
	}
	if i := types.Variant(t, r.shape(v), r.types); i >= 0 {
		return r.receive(v, t.Variants[i])
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
		return r.reject(v, declared, receivedKind(v))
	}
	wire := r.wire(tags[0])
	got := "another value"
	if r.shape(members).Member(tags[0]) == nil {
		got = "nothing"
	}
	r.path = append(r.path, pathStep{name: t.Tag, wire: wire})
	r.misfit("one of "+diag.Or(lists.Map(textsOf(tags, r.types), Quote)), got, "")
	r.path = r.path[:len(r.path)-1]
	if r.lenient {
		return r.asIs(v)
	}
	return nil
}

// allowsNull reports whether null is a value of a resolved type.
func allowsNull(t *spec.Type, named spec.Types) bool {
	return t.Kind == spec.Any || types.MayBeNull(t, named)
}
