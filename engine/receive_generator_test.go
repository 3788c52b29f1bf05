package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
)

// responseGen generates a type, and responses of it.
type responseGen struct {
	// rule is the one that holds for what has no name of its own.
	rule, ofSpec, ofResource string
	resource                 bool
	// xml is the server that responds in XML, or "".
	xml   string
	types spec.Types
	// slots are the parts of the generated response that can be broken.
	slots []slot
	// item is where the items of the next list are in objects on the wire.
	item []string
}

// slot is a part of a response: a member, an element or an entry.
type slot struct {
	set func(any)
	// remove is nil where it cannot be missing, null that null is no fault of it.
	remove     func()
	null       bool
	of         *spec.Type
	path, wire string
	// respelt is another spelling of its name, stranger that one is there.
	respelt  func()
	stranger bool
}

// fault is what a broken response is to be told by.
type fault struct {
	path, wire string
	hint       bool
}

// object is a struct type of a few members with names of several words.
func (g *responseGen) object(t *rapid.T, depth int) *spec.Type {
	out := &spec.Type{Kind: spec.Object, Open: rapid.IntRange(0, 3).Draw(t, "open") == 0}
	for i := range rapid.IntRange(1, 4).Draw(t, "members") {
		p := &spec.Property{Name: fmt.Sprintf("petName%d", i), Type: g.typ(t, depth-1), Required: rapid.Bool().Draw(t, "required")}
		if rapid.IntRange(0, 3).Draw(t, "wire") == 0 {
			p.Wire = fmt.Sprintf("x-%d", i)
			p.WireParents = rapid.SampledFrom([][]string{nil, {"deep"}, {"deep", "er"}}).Draw(t, "parents")
			if g.xml == "" && p.Type.Kind == spec.List {
				p.WireItem = rapid.SampledFrom([][]string{nil, {"ref"}, {"ref", "of"}}).Draw(t, "in items")
			}
		}
		if !p.Required {
			p.Default = map[spec.Kind]any{spec.Bool: true, spec.String: "default"}[p.Type.Kind]
		}
		out.Fields = append(out.Fields, p)
	}
	return out
}

func (g *responseGen) typ(t *rapid.T, depth int) *spec.Type {
	kinds := []spec.Kind{spec.String, spec.Bool, spec.Int, spec.Number}
	if depth > 0 {
		kinds = append(kinds, spec.List, spec.Map, spec.Object, spec.Union)
	}
	out := &spec.Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch out.Kind {
	case spec.Object:
		if out = g.object(t, depth); rapid.Bool().Draw(t, "definition") {
			out = g.definition(t, out)
		}
	case spec.List, spec.Map:
		if out.Elem = g.typ(t, depth-1); g.xml != "" && out.Elem.Kind == spec.List {
			out.Elem = out.Elem.Elem
		}
		out.Elem.Nullable = false
	case spec.Union:
		out = g.union(t, depth)
	}
	out.Nullable = rapid.IntRange(0, 5).Draw(t, "nullable") == 0
	return out
}

// definition makes a type one of the spec's, as the loader does: with a rule of its own
// for the names in it, or with none.
func (g *responseGen) definition(t *rapid.T, of *spec.Type) *spec.Type {
	of.ApplyWireRule(rapid.SampledFrom(append([]string{""}, spec.WireRules...)).Draw(t, "rule of the definition"))
	name := fmt.Sprintf("Def%d", len(g.types))
	g.types[name] = &spec.Named{Name: name, Type: of}
	return &spec.Type{Ref: name}
}

// union is a union by a tag of text, numbers or booleans, or of a word and a struct.
func (g *responseGen) union(t *rapid.T, depth int) *spec.Type {
	out := &spec.Type{Kind: spec.Union}
	literals := rapid.SampledFrom([][]any{{"a", "b"}, {int64(1), int64(2)}, {true, false}, nil}).Draw(t, "tags")
	if literals == nil {
		out.Variants = []*spec.Type{{Kind: spec.String, Enum: []any{"none"}}, g.object(t, depth)}
		return out
	}
	out.Tag = "kindOf"
	kind := map[any]spec.Kind{"a": spec.String, int64(1): spec.Int, true: spec.Bool}[literals[0]]
	for _, literal := range literals {
		v := g.object(t, depth)
		v.Fields = append([]*spec.Property{{Name: "kindOf", Required: true, Type: &spec.Type{Kind: kind, Enum: []any{literal}}}}, v.Fields...)
		out.Variants = append(out.Variants, v)
	}
	return out
}

// value is a value of a type as a server sends it, and as it is to be projected.
func (g *responseGen) value(t *rapid.T, of *spec.Type, path, wire string) (came any, want property.Value) {
	of = g.types.Resolve(of)
	switch of.Kind {
	case spec.Object:
		return g.members(t, of, path, wire)
	case spec.Union:
		variant := of.Variants[rapid.IntRange(0, 1).Draw(t, "variant")]
		if variant.Kind == spec.String {
			return "none", property.New("none")
		}
		return g.members(t, variant, path, wire)
	case spec.List:
		list, wants := make([]any, rapid.IntRange(0, 2).Draw(t, "items")), []property.Value{}
		item := g.item
		g.item = nil
		for i := range list {
			set := func(v any) { list[i] = within(item, v) }
			at := slot{of: of.Elem, null: true, set: set, path: fmt.Sprintf("%s[%d]", path, i), wire: strings.Join(append([]string{fmt.Sprintf("%s[%d]", wire, i)}, item...), ".")}
			v, w := g.value(t, of.Elem, at.path, at.wire)
			set(v)
			wants = append(wants, w)
			if g.xml == "" || g.types.Resolve(of.Elem).Kind != spec.Union {
				g.slots = append(g.slots, at)
			}
		}
		return list, property.New(wants)
	case spec.Map:
		m, wants := map[string]any{}, map[string]property.Value{}
		for i := range rapid.IntRange(0, 2).Draw(t, "entries") {
			key := fmt.Sprintf("aKey%d", i)
			at := slot{of: of.Elem, set: func(v any) { m[key] = v }, path: path + "." + key, wire: wire + "." + key}
			m[key], wants[key] = g.value(t, of.Elem, at.path, at.wire)
			g.slots = append(g.slots, at)
		}
		if rapid.IntRange(0, 5).Draw(t, "null entry") == 0 {
			m["nothing"] = nil // as good as absent
		}
		return m, property.New(wants)
	case spec.Bool:
		v := rapid.Bool().Draw(t, "bool")
		return v, property.New(v)
	case spec.Int:
		v := rapid.Int64Range(-1<<53, 1<<53).Draw(t, "int")
		return v, property.New(float64(v))
	case spec.Number:
		v := rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		return v, property.New(v)
	default:
		v := rapid.StringMatching("[a-z]{0,5}").Draw(t, "string")
		return v, property.New(v)
	}
}

func (g *responseGen) members(t *rapid.T, of *spec.Type, path, wire string) (any, property.Value) {
	m, wants := map[string]any{}, map[string]property.Value{}
	for _, p := range of.Fields {
		g.member(t, p, m, wants, path, wire)
	}
	if rapid.IntRange(0, 3).Draw(t, "extra") == 0 {
		m["extra_member"] = []any{int64(1), nil}
		switch {
		case of.Open && g.xml != "":
			wants["extra_member"] = property.New("1")
		case of.Open:
			wants["extra_member"] = property.New([]property.Value{property.New(1.0), {}})
		}
	}
	return m, property.New(wants)
}

// member puts a member into a response, or leaves it out.
func (g *responseGen) member(t *rapid.T, p *spec.Property, m map[string]any, wants map[string]property.Value, path, wire string) {
	key := p.Wire
	if key == "" {
		key = spec.WireName(g.rule, p.Name)
	}
	at := slot{of: p.Type, path: path + "." + p.Name, wire: strings.Join(append([]string{wire}, p.WireParents...), ".")}
	if isPlain(key) {
		at.wire += "." + key
	} else {
		at.wire += `["` + key + `"]`
	}
	nullable := g.types.Resolve(p.Type).Nullable
	if g.xml != "" && p.Type.Kind == spec.List {
		g.elements(t, p, m, wants, at, key)
		return
	}
	presence := rapid.IntRange(0, 5).Draw(t, "presence")
	switch {
	case p.Type.Enum != nil:
		m[key], wants[p.Name] = p.Type.Enum[0], literalValue(p.Type.Enum[0])
		// Which variant it is is the fault of the tag alone.
		at.set, at.remove, at.null = func(any) { m[key] = "another" }, func() { delete(m, key) }, false
		g.slots = append(g.slots, at)
		return
	case nullable && presence == 0 && (g.xml == "" || p.Default == nil):
		if wants[p.Name] = (property.Value{}); g.xml == "" {
			holder(m, p)[key] = nil
		}
		return
	case !p.Required && presence < 2:
		if presence == 0 && p.WireParents == nil {
			m[key] = nil
		}
		if p.Default != nil {
			wants[p.Name] = literalValue(p.Default)
		} else if nullable {
			wants[p.Name] = property.Value{}
		}
		return
	}
	in := holder(m, p)
	at.set = func(v any) { in[key] = v }
	if p.Required && !nullable {
		at.remove, at.null = func() { delete(in, key) }, true
		at.respelt = func() { in[strings.ToUpper(p.Name)] = in[key]; delete(in, key) }
	}
	g.item = p.WireItem
	in[key], wants[p.Name] = g.value(t, p.Type, at.path, at.wire)
	g.item = nil
	if p.Name != key && p.WireParents == nil && rapid.IntRange(0, 5).Draw(t, "stranger") == 0 {
		m[p.Name], at.stranger = "a stranger of the same name", true
	}
	g.slots = append(g.slots, at)
}

// elements puts a list into a response in XML, where an empty one is none at all.
func (g *responseGen) elements(t *rapid.T, p *spec.Property, m map[string]any, wants map[string]property.Value, at slot, key string) {
	v, want := g.value(t, p.Type, at.path, at.wire)
	switch {
	case len(v.([]any)) > 0:
		holder(m, p)[key], wants[p.Name] = v, want
	case p.Required:
		wants[p.Name] = want
	case p.Type.Nullable:
		wants[p.Name] = property.Value{}
	}
}

func literalValue(v any) property.Value {
	switch v := v.(type) {
	case bool:
		return property.New(v)
	case int64:
		return property.New(float64(v))
	default:
		return property.New(v.(string))
	}
}

// within returns a value at a path of members.
func within(path []string, v any) any {
	for _, name := range slices.Backward(path) {
		v = map[string]any{name: v}
	}
	return v
}

// holder is the object that a member stands in, which is made where it is not there.
func holder(m map[string]any, p *spec.Property) map[string]any {
	for _, parent := range p.WireParents {
		inner, ok := m[parent].(map[string]any)
		if !ok {
			inner = map[string]any{}
			m[parent] = inner
		}
		m = inner
	}
	return m
}

func isPlain(key string) bool { return !strings.Contains(key, "-") }

// breakOne breaks one part of the response, or none: nil.
func (g *responseGen) breakOne(t *rapid.T) *fault {
	if len(g.slots) == 0 || rapid.IntRange(0, 3).Draw(t, "fits") == 0 {
		return nil
	}
	s := rapid.SampledFrom(g.slots).Draw(t, "slot")
	f := &fault{path: s.path, wire: s.wire}
	ways := []string{"kind"}
	if s.null && g.xml == "" {
		ways = append(ways, "null")
	}
	if s.remove != nil {
		ways = append(ways, "missing")
	}
	if s.respelt != nil {
		ways = append(ways, "renamed")
	}
	switch rapid.SampledFrom(ways).Draw(t, "way") {
	case "kind":
		if of := g.types.Resolve(s.of); g.xml != "" {
			s.set(ofAnotherText(of))
		} else {
			s.set(ofAnotherKind(of))
		}
	case "null":
		s.set(nil)
	case "missing":
		s.remove()
		f.hint = s.stranger
	case "renamed":
		s.respelt()
		f.hint = true
	}
	return f
}

// ofAnotherText is what no value of a type looks like in XML.
func ofAnotherText(of *spec.Type) any {
	switch of.Kind {
	case spec.String:
		return map[string]any{"inner": "x"}
	case spec.Int:
		return "1.5"
	case spec.Union:
		return []any{"two", "of them"}
	default:
		return "text"
	}
}

// ofAnotherKind is a value that is none of a type's.
func ofAnotherKind(of *spec.Type) any {
	switch of.Kind {
	case spec.Bool:
		return "true"
	case spec.Int:
		return 1.5
	case spec.Object, spec.Union:
		return []any{}
	default:
		return true
	}
}
