package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// property is a property of a resource, a setting, or a member of a definition.
type property struct {
	// name is the declared name, wire the one in requests and responses.
	name, wire string
	optional   bool
	// typ is a type in CUE, on one line.
	typ        string
	attributes []string
	doc        string
}

// definition is a named type.
type definition struct {
	name, doc  string
	properties []property
}

// types translates schemas to types in CUE.
type types struct {
	rule        string
	definitions []*definition
	// made are the definitions by the name of their component and their direction.
	made map[string]*definition
	// named are the definitions by their names.
	named map[string]*definition
	// open are the definitions whose members are being translated, from the outermost to the innermost.
	open []*definition
}

// direction tells whether a schema describes what is sent or what is received: readOnly members are not sent, and writeOnly ones not received.
type direction int

const (
	sent direction = iota
	received
)

func (d direction) has(v view) bool {
	if d == sent {
		return !v.readOnly
	}
	return !v.writeOnly
}

// componentName returns the name of a component of schemas, or "".
func componentName(ref string) string {
	_, name, ok := strings.Cut(ref, "/schemas/")
	if !ok {
		_, name, ok = strings.Cut(ref, "#/definitions/")
	}
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	return name
}

// of returns the type of a schema. A type that requires a name takes that of its component, or path.
func (t *types) of(v view, d direction, path string, depth int) string {
	switch {
	case depth > maxDepth:
		return "_"
	case len(v.enum) > 0:
		return enumeration(v)
	case v.fixed != nil:
		return literalOf(v.fixed)
	case v.variants != nil:
		return t.union(v, d, path, depth)
	}
	switch v.kind {
	case stringKind:
		return text(v)
	case integerKind, numberKind:
		return number(v)
	case booleanKind:
		return "bool"
	case arrayKind:
		return "[..." + t.element(viewOf(v.items), d, path+"Item", depth+1) + "]"
	case objectKind:
		return t.object(v, d, path, depth)
	default:
		return "_"
	}
}

// element returns the type of an item of a list or an entry of a map.
func (t *types) element(v view, d direction, path string, depth int) string {
	typ := t.of(v, d, path, depth)
	if v.nullable && typ != "_" {
		return "null | " + typ
	}
	return typ
}

// object returns the type of an object. One with members gets a name.
func (t *types) object(v view, d direction, path string, depth int) string {
	if len(v.members) == 0 {
		if v.entries.exists() {
			return "{[string]: " + t.element(viewOf(v.entries), d, path+"Entry", depth+1) + "}"
		}
		return "{...}"
	}
	name := path
	if v.name != "" {
		name = names.Pascal(v.name)
	}
	key := fmt.Sprint(d, " ", v.name)
	if def := t.made[key]; def != nil && v.name != "" {
		return "#" + def.name
	}
	def := &definition{name: t.unused(name), doc: cmp.Or(v.about, v.description)}
	if v.name != "" {
		t.made[key] = def
	}
	t.definitions = append(t.definitions, def)
	t.named[def.name] = def
	t.open = append(t.open, def)
	def.properties = t.membersOf(v, d, def.name, depth+1)
	t.open = t.open[:len(t.open)-1]
	return "#" + t.same(def, key)
}

// same returns the name of the definition, or of the one with the name without a number if that has the same content: the schemas of what is
// sent and received often are the same. The definition is then removed.
func (t *types) same(def *definition, key string) string {
	other := t.named[strings.TrimRight(def.name, "0123456789")]
	if other == nil || other == def || fmt.Sprint(other.properties) != strings.ReplaceAll(fmt.Sprint(def.properties), "#"+def.name, "#"+other.name) {
		return def.name
	}
	t.definitions = slices.DeleteFunc(t.definitions, func(d *definition) bool { return d == def })
	delete(t.named, def.name)
	if t.made[key] != nil {
		t.made[key] = other
	}
	return other.name
}

// unused returns a name that no definition has yet.
func (t *types) unused(name string) string {
	out := name
	for n := 2; t.named[out] != nil; n++ {
		out = name + strconv.Itoa(n)
	}
	return out
}

// membersOf returns the members of an object as properties.
func (t *types) membersOf(v view, d direction, path string, depth int) []property {
	var out []property
	for _, m := range v.members {
		of := viewOf(m.schema)
		if !d.has(of) {
			continue
		}
		p := t.property(m, of, d, path, depth)
		if slices.ContainsFunc(out, func(o property) bool { return o.name == p.name }) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// property returns a member as a property.
func (t *types) property(m member, v view, d direction, path string, depth int) property {
	name := cmp.Or(m.last, m.name)
	p := property{name: declared(name), wire: m.name, doc: v.description, optional: !m.required || v.nullable && d == received}
	p.typ = t.of(v, d, path+names.Pascal(names.Suggest(name, true)), depth)
	if m.last != "" || spec.WireName(t.rule, p.name) != m.name {
		p.attributes = append(p.attributes, m.wireAttribute())
	}
	if value := defaultOf(v); value != "" && d == sent {
		p.typ, p.optional = withDefault(value, p.typ), false
	}
	if slices.ContainsFunc(t.open, func(def *definition) bool { return "#"+def.name == p.typ }) {
		p.optional = true // a type that contains itself
	}
	if v.nullable && !p.optional && !strings.HasPrefix(p.typ, "*") && p.typ != "_" {
		p.typ = "null | " + p.typ
	}
	if isSecret(name, v) {
		p.attributes = append(p.attributes, "@secret()")
	}
	if v.deprecated {
		p.attributes = append(p.attributes, `@deprecated("The API has deprecated it.")`)
	}
	if v.unique && v.kind == arrayKind {
		p.attributes = append(p.attributes, "@set()")
	}
	return p
}

// wireAttribute returns the attribute for the name on the wire.
func (m member) wireAttribute() string {
	quoted := func(name string) string {
		if names.IsIdentifier(name) {
			return name
		}
		return literalOf(name)
	}
	if m.last != "" {
		return "@wire(" + strings.TrimSuffix(m.name, m.last) + quoted(m.last) + ")"
	}
	return "@wire(" + quoted(m.name) + ")"
}

// union returns the type for alternatives that a literal tells apart, and otherwise that of any value.
func (t *types) union(v view, d direction, path string, depth int) string {
	var out []string
	tags := map[string][]string{}
	for _, ref := range v.variants {
		variant := viewOf(ref)
		if variant.kind != objectKind || len(variant.members) == 0 || variant.variants != nil {
			return "_"
		}
		for _, m := range variant.members {
			if tag := viewOf(m.schema).constant(); m.required && tag != "" && !slices.Contains(tags[m.name], tag) {
				tags[m.name] = append(tags[m.name], tag)
			}
		}
	}
	told := false
	for _, values := range tags {
		told = told || len(values) == len(v.variants)
	}
	if !told {
		return "_"
	}
	for i, ref := range v.variants {
		out = append(out, t.object(viewOf(ref), d, path+strconv.Itoa(i+1), depth+1))
	}
	return strings.Join(out, " | ")
}

// enumeration returns the values that a schema lists. Null is not one of them: the schema is nullable then.
func enumeration(v view) string {
	var out []string
	for _, value := range v.enum {
		lit := literalOf(value)
		if value != nil && lit != "" && !slices.Contains(out, lit) {
			out = append(out, lit)
		}
	}
	if len(out) == 0 {
		return "_"
	}
	return strings.Join(out, " | ")
}

// literalOf returns a value of JSON in CUE, or "" if it has none that is short.
func literalOf(value any) string {
	switch value := value.(type) {
	case string, bool, nil:
	case float64:
		if value != math.Trunc(value) || math.Abs(value) > 1<<53 {
			break
		}
		return strconv.FormatInt(int64(value), 10)
	case int, int64, uint64:
	default:
		return ""
	}
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text returns the type of a string. What a server does not accept, it refuses: lengths and formats are left to it.
func text(v view) string {
	if v.pattern != "" && len(v.pattern) < 200 {
		if _, err := regexp.Compile(v.pattern); err == nil {
			return "=~" + literalOf(v.pattern)
		}
	}
	return "string"
}

// number returns the type of a number with its bounds.
func number(v view) string {
	typ := map[string]string{integerKind: "int", numberKind: "number"}[v.kind]
	for _, bound := range []struct {
		value    *float64
		excluded bool
		op       string
	}{{v.min, v.above, ">"}, {v.max, v.below, "<"}} {
		value, op := bound.value, bound.op
		if !bound.excluded {
			op += "="
		}
		if value == nil || math.Abs(*value) > 1<<53 || v.kind == integerKind && *value != math.Trunc(*value) {
			continue
		}
		typ += " & " + op + strconv.FormatFloat(*value, 'f', -1, 64)
	}
	return typ
}

// defaultOf returns the default of a schema in CUE if it has one that its type allows, and "" otherwise.
func defaultOf(v view) string {
	lit := literalOf(v.def)
	if v.def == nil || lit == "" {
		return ""
	}
	if len(v.enum) > 0 {
		if !slices.ContainsFunc(v.enum, func(e any) bool { return literalOf(e) == lit }) {
			return ""
		}
		return lit
	}
	ok := false
	switch value := v.def.(type) {
	case string:
		pattern, err := regexp.Compile(v.pattern)
		ok = v.kind == stringKind && err == nil && pattern.MatchString(value)
	case bool:
		ok = v.kind == booleanKind
	case float64:
		ok = (v.kind == numberKind || v.kind == integerKind && value == math.Trunc(value)) && (v.min == nil || value >= *v.min) && (v.max == nil || value <= *v.max)
	}
	if !ok {
		return ""
	}
	return lit
}

// withDefault returns a type with a default value.
func withDefault(value, typ string) string {
	var others []string
	for part := range strings.SplitSeq(typ, " | ") {
		if part != value || !strings.Contains(typ, " | ") {
			others = append(others, part)
		}
	}
	return "*" + value + " | " + strings.Join(others, " | ")
}

// secretName matches the names of properties that vet takes for secrets.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|_|-)(password|passphrase|secret|token|api_?key|private_?key|access_?key|client_?secret)$|[a-z](Password|Passphrase|Secret|Token|ApiKey|PrivateKey|AccessKey)$`)
})

func isSecret(name string, v view) bool {
	return v.kind == stringKind && (v.format == "password" || secretName().MatchString(name))
}

// declared returns the name of a property for a name on the wire: in lowerCamelCase.
func declared(wire string) string {
	name := names.Suggest(wire, false)
	if strings.IndexFunc(name, unicode.IsLower) < 0 || len(wire) > 1 && strings.ToUpper(wire[:2]) == wire[:2] {
		return lowerAcronym(strings.ToUpper(name[:1]) + name[1:])
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// lowerAcronym returns a name that begins with capital letters in lowerCamelCase: ID is id, and URLPrefix urlPrefix.
func lowerAcronym(name string) string {
	end := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsUpper(r) })
	switch {
	case end < 0:
		return strings.ToLower(name)
	case end > 1 && unicode.IsLower(rune(name[end])) && name[end:] != "s":
		end--
	}
	return strings.ToLower(name[:end]) + name[end:]
}
