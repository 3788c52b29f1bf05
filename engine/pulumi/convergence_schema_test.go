package pulumi_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
)

// converging is a generated resource, and the habits of the server that has it.
type converging struct {
	rule string // of the names on the wire
	// ruleOfItems is that of a definition.
	ruleOfItems string
	members     []*convergingMember
	typed       bool   // responses have a declared type
	update      string // "PATCH", "merge" or "PUT"
	silent      bool   // writes respond with the id only
}

// convergingMember is an input, and what the server makes of it.
type convergingMember struct {
	name string
	wire []string // the path on the wire
	item []string // where the items of a list are in objects on the wire
	typ  string   // in CUE
	kind string
	// optional and nullable say what the program may leave out or set to null; fallback is the
	// default as CUE, "" for none.
	optional, nullable bool
	fallback           string
	attributes         []string
	habit              string
	output             bool // it is an output, too
}

// The habits of servers.
const (
	echoes  = "echo"       // what was sent
	raises  = "upper case" // of strings
	fills   = "fill in"    // what was not sent
	empties = "empty"      // is absent, and the other way round
	sorts   = "sort"       // lists
)

func genConverging(t *rapid.T) *converging {
	g := &converging{
		ruleOfItems: rapid.SampledFrom(append([]string{""}, spec.WireRules...)).Draw(t, "rule of items"),
		rule:        rapid.SampledFrom(append([]string{""}, spec.WireRules...)).Draw(t, "rule"),
		typed:       rapid.Bool().Draw(t, "typed"),
		update:      rapid.SampledFrom([]string{"PATCH", "merge", "PUT"}).Draw(t, "update"),
		silent:      rapid.Bool().Draw(t, "silent"),
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "members") {
		g.members = append(g.members, g.member(t, i))
	}
	return g
}

// kinds are the types of members, and the values that they get.
var convergingKinds = map[string]struct {
	typ    string
	values []any
	zero   string // a default
	onWire string // the type on the wire, if that is another one
}{
	"string": {"string", []any{"one", "Two", "three"}, `"three"`, ""},
	"int":    {"int", []any{0, 1, 40000}, "7", ""},
	"number": {"number", []any{0.5, -1.25}, "1.5", ""},
	"bool":   {"bool", []any{true, false}, "true", ""},
	"enum":   {`"red" | "green"`, []any{"red", "green"}, "", ""},
	"list":   {"[...string]", []any{[]any{}, []any{"b", "a"}, []any{"a"}}, "", ""},
	"set":    {"[...string]", []any{[]any{"b", "a"}, []any{"c", "b", "a"}, []any{"a"}}, "", ""},
	"digits": {"string", []any{"7", "-12", "0"}, `"7"`, "int"},
	"0 or 1": {"bool", []any{true, false}, "true", "int"},
	"text":   {"int", []any{0, -1, 40000}, "3", "string"},
	"ids":    {"[...string]", []any{[]any{}, []any{"4", "30"}, []any{"2"}}, "", "int"},
	"flags":  {"[string]: bool", []any{map[string]any{}, map[string]any{"a": true}, map[string]any{"a": false, "b": true}}, "", "string"},
	"keyed": {"[...#Item]", []any{
		[]any{map[string]any{"itemName": "b", "itemSize": 1}, map[string]any{"itemName": "a"}},
		[]any{map[string]any{"itemName": "a", "itemSize": 2}},
		[]any{map[string]any{"itemName": "a", "itemSize": 2, "labels": []any{"x"}}, map[string]any{"itemName": "b"}},
	}, "", ""},
	"map": {"[string]: string", []any{map[string]any{}, map[string]any{"aKey": "x", "other key": "y"}, map[string]any{"aKey": "z"}}, "", ""},
	"union": {`{kind: "round", radiusOf: int} | {kind: "square", sideLength?: string}`, []any{
		map[string]any{"kind": "round", "radiusOf": 3}, map[string]any{"kind": "square"}, map[string]any{"kind": "square", "sideLength": "x"},
	}, "", ""},
	"any": {"_", []any{map[string]any{"free": []any{1, "x"}}, "text", []any{}, map[string]any{"other": true}}, "", ""},
	"struct": {"#Part", []any{
		map[string]any{"partName": "p"},
		map[string]any{"partName": "q", "partSize": 3, "inner": map[string]any{"deepName": "d"}},
		map[string]any{"partName": "p", "note": nil, "labels": map[string]any{"l": "m"}},
		map[string]any{"partName": "p", "note": "n"},
	}, "", ""},
}

func (g *converging) member(t *rapid.T, i int) *convergingMember {
	some := func(what string) bool { return rapid.Bool().Draw(t, what) }
	names := []string{"petName", "birthYear", "x", "aLongerName", "sizeOf"}
	m := &convergingMember{name: names[i], habit: echoes}
	kinds := make([]string, 0, len(convergingKinds))
	for kind := range convergingKinds {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	m.kind = rapid.SampledFrom(kinds).Draw(t, "kind")
	of := convergingKinds[m.kind]
	m.typ = of.typ
	switch presence := rapid.IntRange(0, 3).Draw(t, "presence"); {
	case presence == 1 && g.update == "merge": // which has another meaning for null
	case presence == 0:
		m.optional = true
	case presence == 1:
		m.nullable = true
	case presence == 2 && rapid.Bool().Draw(t, "both") && g.update != "merge":
		m.optional, m.nullable = true, true
	case presence == 2:
		m.fallback = of.zero
	}
	switch m.kind {
	case "set":
		m.habit, m.attributes = sorts, []string{"@set()"}
	case "keyed":
		m.habit, m.attributes = sorts, []string{"@key(itemName)"}
	case "string":
		if !m.nullable && some("raises") {
			m.habit, m.attributes = raises, []string{rapid.SampledFrom([]string{"@normalised()", "@equal(fold)"}).Draw(t, "rule")}
		}
	case "list", "map", "ids", "flags":
		if m.optional && !m.nullable && some("empties") {
			m.habit = empties
		}
	}
	if some("secret") {
		m.attributes = append(m.attributes, "@secret()")
	}
	// A merge patch keeps what the server has added to a map.
	keeps := g.update == "merge" && slices.Contains([]string{"any", "map", "flags", "struct", "union"}, m.kind)
	if m.optional && !m.nullable && m.habit == echoes && !keeps && some("fills") {
		m.habit = fills
		if m.output = some("output"); !m.output || some("both") {
			m.attributes = append(m.attributes, "@normalised()")
		}
	}
	m.wire = []string{spec.WireName(g.rule, m.name)}
	if wire := rapid.SampledFrom([][]string{nil, nil, {"other" + fmt.Sprint(i)}, {"deep", "m" + fmt.Sprint(i)}, {"deep", "er", "m" + fmt.Sprint(i)}, {"dot.ted" + fmt.Sprint(i)}}).Draw(t, "wire"); wire != nil {
		m.wire = wire
		argument := wireArgument(wire)
		if slices.Contains([]string{"list", "set", "ids"}, m.kind) && some("in objects") {
			m.item = rapid.SampledFrom([][]string{{"name"}, {"of", "na.me"}}).Draw(t, "item")
			argument += "[]." + wireArgument(m.item)
		}
		if of.onWire != "" {
			argument += ", type=" + of.onWire
		}
		m.attributes = append(m.attributes, "@wire("+argument+")")
	} else if of.onWire != "" {
		m.attributes = append(m.attributes, "@wire(type="+of.onWire+")")
	}
	return m
}

func wireArgument(path []string) string {
	var parts []string
	for _, name := range path {
		if strings.Contains(name, ".") {
			name = `"` + name + `"`
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ".")
}

func (m *convergingMember) has(attribute string) bool {
	return slices.Contains(m.attributes, attribute)
}

// declaration is the member in CUE.
func (m *convergingMember) declaration(attributes ...string) string {
	name, typ := m.name, m.typ
	if m.optional {
		name += "?"
	}
	if m.nullable {
		typ = "null | " + typ
	}
	if m.kind == "map" || m.kind == "flags" {
		typ = "{" + m.typ + "}"
		if m.nullable {
			typ = "null | " + typ
		}
	}
	if m.fallback != "" {
		typ = "*" + m.fallback + " | " + typ
	}
	return "\t\t" + name + ": " + typ + " " + strings.Join(attributes, " ") + "\n"
}

// text is the spec.
func (g *converging) text() string {
	var inputs, outputs, named strings.Builder
	for _, m := range g.members {
		inputs.WriteString(m.declaration(m.attributes...))
		wire := slices.DeleteFunc(slices.Clone(m.attributes), func(a string) bool { return !strings.HasPrefix(a, "@wire(") })
		if m.output {
			outputs.WriteString(m.declaration(wire...))
		}
		named.WriteString(m.declaration(wire...))
	}
	rest := []string{`path: "/things"`, "idempotencyKey: true"}
	switch g.update {
	case "merge":
		rest = append(rest, `patch: "merge"`)
	case "PUT":
		rest = append(rest, `update: "PUT"`)
	}
	if g.typed {
		rest = append(rest, "returns: #Thing")
	}
	wire := ""
	if g.rule != "" {
		wire = fmt.Sprintf("wire: %q\n", g.rule)
	}
	ofItem := ""
	if g.ruleOfItems != "" {
		ofItem = ", @wire(" + g.ruleOfItems + ")"
	}
	defs := "#Item: {itemName: string, itemSize?: int, labels?: [...string]" + ofItem + "}\n" +
		"#Part: {partName: string @wire(pn), partSize?: int @wire(dims.size), inner?: {deepName: string}, note?: null | string, labels?: [string]: string}\n"
	if g.typed {
		defs += "#Thing: {\n\t\tthingId: string @wire(id)\n" + named.String() + "}\n"
	}
	return "name: \"things\"\nversion: \"1.0.0\"\nconfig: endpoint: string\nhttp: baseURL: \"${config.endpoint}\"\n" + wire + defs +
		"resources: Thing: {\n\tinputs: {\n" + inputs.String() + "\t}\n\toutputs: {\n\t\tthingId: string @wire(id)\n" + outputs.String() + "\t}\n\trest: {" + strings.Join(rest, ", ") + "}\n}\n"
}

// inputs are values of a program.
func (g *converging) inputs(t *rapid.T) map[string]any {
	all := map[string]any{}
	for _, m := range g.members {
		values := convergingKinds[m.kind].values
		i := rapid.IntRange(-2, len(values)-1).Draw(t, m.name)
		switch {
		case i < 0 && (m.optional || m.fallback != ""):
		case i < 0 && m.nullable:
			all[m.name] = nil
		default:
			all[m.name] = values[max(i, 0)]
		}
	}
	return all
}

// plainProperty is a value of a program as a property.
func plainProperty(v any) property.Value {
	switch v := v.(type) {
	case nil:
		return property.Value{}
	case int:
		return property.New(float64(v))
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			items[i] = plainProperty(item)
		}
		return property.New(items)
	case map[string]any:
		members := map[string]property.Value{}
		for name, member := range v {
			members[name] = plainProperty(member)
		}
		return property.New(members)
	default:
		out, err := property.Any(v)
		if err != nil {
			panic(err) // a test's own mistake
		}
		return out
	}
}
