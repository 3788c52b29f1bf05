package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// attribute is one `@name(…)` of the language: where it means something, and
// how it is read.
type attribute struct {
	name string
	// roles are the blocks that it may stand in; top says that it may not
	// stand on the property of a nested struct.
	roles role
	top   bool
	// remedy says, where it does not belong, what to do.
	remedy string
	read   func(*attrCall)
}

// attributes is the table of LANGUAGE.md section 2.
func attributes() []attribute {
	inputs, all := inputRole, configRole|inputRole|outputRole|argumentRole|resultRole
	return []attribute{
		{name: "replace", roles: inputs, remedy: "It says what a change of an input does.", read: marker(func(p *spec.Property) { p.Replace = true })},
		{name: "secret", roles: all, read: marker(func(p *spec.Property) { p.Secret = true })},
		{name: "noRead", roles: inputs, remedy: "It says that the world does not give an input back.", read: marker(func(p *spec.Property) { p.NoRead = true })},
		{name: "ephemeral", roles: inputs, remedy: "It is for an input that is never stored.", read: marker(func(p *spec.Property) { p.Ephemeral = true })},
		{name: "stable", roles: outputRole, remedy: "It is for an output that an update never changes.", read: marker(func(p *spec.Property) { p.Stable = true })},
		{name: "env", roles: configRole, top: true, remedy: "Only configuration comes from the environment: put it in config, and use ${config.…}.", read: readEnv},
		{name: "autoname", roles: inputs, top: true, remedy: "It derives an input from the resource's name.", read: readAutoname},
		{name: "default", roles: inputs | argumentRole, top: true, remedy: "It computes an input from others.", read: readDefault},
		{name: "set", roles: all, read: readSet},
		{name: "key", roles: all, read: readKey},
		{name: "equal", roles: inputs | outputRole, remedy: "It says when two values of an input are the same.", read: readEqual},
		{name: "wire", roles: all &^ configRole, remedy: "Configuration is not sent under its names.", read: readWire},
		{name: "deprecated", roles: all, read: readText(func(p *spec.Property, s string) { p.Deprecated = s })},
		{name: "doc", roles: all, read: readText(func(p *spec.Property, s string) { p.Doc = s })},
		{name: "name", roles: all, read: readNames},
	}
}

// foreignAttributes are those of CUE itself and of its tools; they are not ours
// to judge.
var foreignAttributes = []string{"tag", "embed", "if", "extern", "ignore", "go", "protobuf", "jsonschema", "experiment", "test"}

// attrCall is an attribute where it stands.
type attrCall struct {
	l    *loader
	attr cue.Attribute
	prop *spec.Property
	at   diag.Range
	s    site
	m    item
}

func (c *attrCall) fail(summary, detail string) {
	c.l.report(badAttribute, c.at, c.s.place, summary, detail)
}

// attributes reads those of a property: its own, those of the definition that
// it refers to, and those that CUE binds to the values of a map written without
// braces.
func (l *loader) attributes(m item, p *spec.Property, s site, top bool) {
	seen := map[string]bool{}
	for _, from := range l.attributeSources(m) {
		for _, a := range from.value.Attributes(cue.ValueAttr) {
			key := a.Name() + "(" + a.Contents() + ")"
			if slices.Contains(foreignAttributes, a.Name()) || seen[key] {
				continue
			}
			seen[key] = true
			c := &attrCall{l: l, attr: a, prop: p, at: l.attributeRange(from, m, a), s: s, m: m}
			l.attribute(c, top)
		}
	}
	l.exclusive(m, p, s)
}

// attributeSources are the values whose attributes are a property's.
func (l *loader) attributeSources(m item) []item {
	sources := []item{m}
	if d := cue.Dereference(m.value); d.Source() != m.value.Source() {
		f, _ := d.Source().(*ast.Field)
		sources = append(sources, item{value: d, field: f})
	}
	if lit, ok := m.expr.(*ast.StructLit); ok && !lit.Lbrace.IsValid() {
		for _, inner := range l.members(m, cue.Patterns(true)) {
			if inner.pattern {
				sources = append(sources, inner)
			}
		}
	}
	return sources
}

// attributeRange is where an attribute is written.
func (l *loader) attributeRange(from, m item, a cue.Attribute) diag.Range {
	for _, f := range []*ast.Field{from.field, m.field} {
		if f == nil {
			continue
		}
		for _, attr := range f.Attrs {
			if strings.HasPrefix(attr.Text, "@"+a.Name()+"(") {
				return l.files.span(attr.Pos(), attr.Pos().Add(len(attr.Text)))
			}
		}
	}
	return m.at
}

// attribute checks one against the table, and reads it.
func (l *loader) attribute(c *attrCall, top bool) {
	table := attributes()
	i := slices.IndexFunc(table, func(a attribute) bool { return a.name == c.attr.Name() })
	if i < 0 {
		names := make([]string, len(table))
		for i, a := range table {
			names[i] = a.name
		}
		l.report(unknownAttribute, c.at, c.s.place, fmt.Sprintf("unknown attribute @%s", c.attr.Name()), diag.Remedy(c.attr.Name(), names))
		return
	}
	a := table[i]
	switch {
	case a.roles&c.s.role == 0:
		l.report(misplacedAttribute, c.at, c.s.place, fmt.Sprintf("@%s means nothing on %s", a.name, roleNames[c.s.role]), a.remedy)
	case a.top && (!top || c.s.named):
		l.report(misplacedAttribute, c.at, c.s.place, fmt.Sprintf("@%s means nothing inside a struct", a.name), "Put it on the property that holds the struct, or flatten the struct.")
	default:
		a.read(c)
	}
}

var roleNames = map[role]string{
	configRole: "configuration", inputRole: "an input", outputRole: "an output",
	argumentRole: "an argument", resultRole: "a result",
}

// exclusive reports attributes that contradict each other.
func (l *loader) exclusive(m item, p *spec.Property, s site) {
	switch {
	case p.Default != nil && p.DefaultExpr != nil:
		l.report(badAttribute, m.at, s.place, "the property has two defaults", "Keep the * or @default.")
	case p.Default != nil && p.Autoname != nil, p.DefaultExpr != nil && p.Autoname != nil:
		l.report(badAttribute, m.at, s.place, "the property has a default and a derived name", "Keep the default or @autoname.")
	case p.Equal != "" && p.EqualExpr != nil:
		l.report(badAttribute, m.at, s.place, "the property has two rules of equality", "Keep one @equal.")
	case p.Set && p.Key != "":
		l.report(badAttribute, m.at, s.place, "the list is both a set and keyed", "Keep @set() or @key(…).")
	}
}

// marker reads an attribute without arguments.
func marker(set func(*spec.Property)) func(*attrCall) {
	return func(c *attrCall) {
		if c.attr.NumArgs() > 1 || strings.TrimSpace(c.attr.Contents()) != "" {
			c.fail(fmt.Sprintf("@%s takes no argument", c.attr.Name()), fmt.Sprintf("Write @%s().", c.attr.Name()))
			return
		}
		set(c.prop)
	}
}

// texts are an attribute's arguments, which must all be plain text.
func (c *attrCall) texts() ([]string, bool) {
	var list []string
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		if value != "" {
			c.fail(fmt.Sprintf("@%s has no argument %q", c.attr.Name(), key), "")
			return nil, false
		}
		if key != "" {
			list = append(list, key)
		}
	}
	return list, true
}

// readText reads an attribute of one text.
func readText(set func(*spec.Property, string)) func(*attrCall) {
	return func(c *attrCall) {
		list, ok := c.texts()
		if !ok {
			return
		}
		if len(list) != 1 {
			c.fail(fmt.Sprintf("@%s takes one text", c.attr.Name()), fmt.Sprintf(`Write @%s("…").`, c.attr.Name()))
			return
		}
		set(c.prop, list[0])
	}
}

func readEnv(c *attrCall) {
	list, ok := c.texts()
	if !ok {
		return
	}
	if len(list) == 0 {
		c.fail("@env names no variable", "Write @env(NAME).")
		return
	}
	for _, name := range list {
		if !stepName.MatchString(name) {
			c.fail(fmt.Sprintf("%q is no name of a variable", name), "Letters, digits and underscores.")
			return
		}
	}
	c.prop.Env = list
}

func readAutoname(c *attrCall) {
	if t := c.l.named.types.Resolve(c.prop.Type); t.Kind != spec.String {
		c.fail(fmt.Sprintf("@autoname is for text, not %s", t.Kind), "")
		return
	}
	auto := &spec.Autoname{Sep: "-"}
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		switch {
		case key == "sep":
			auto.Sep = value
		case key == "max":
			n, err := strconv.Atoi(value)
			if err != nil || n < 8 {
				c.fail("@autoname's max must be a number from 8 on", "A name has seven random digits, and something before them.")
				return
			}
			auto.Max = n
		case key == "" && value == "":
		default:
			c.fail(fmt.Sprintf("@autoname has no argument %q", key), diag.Remedy(key, []string{"max", "sep"}))
			return
		}
	}
	c.prop.Autoname = auto
}

func readDefault(c *attrCall) {
	if n := c.template(); n != nil {
		c.prop.DefaultExpr = n
	}
}

// template is an attribute's only argument, with its place in the source.
func (c *attrCall) template() *spec.Node {
	list, ok := c.texts()
	if !ok {
		return nil
	}
	if len(list) != 1 || !strings.Contains(list[0], "${") {
		c.fail(fmt.Sprintf("@%s takes an expression", c.attr.Name()), fmt.Sprintf(`Write @%s("${…}").`, c.attr.Name()))
		return nil
	}
	n := &spec.Node{Kind: spec.StringNode, Text: list[0], Range: c.at}
	if placed, ok := c.l.attributeString(c, list[0]); ok {
		return placed
	}
	return n
}

// attributeString finds the quoted argument in the attribute's text.
func (l *loader) attributeString(c *attrCall, text string) (*spec.Node, bool) {
	for _, f := range l.fieldsWith(c.m, c.attr.Name()) {
		body := f.Text
		from := strings.IndexAny(body, `"#`)
		if from < 0 || !f.Pos().IsValid() {
			continue
		}
		src := l.files.byName[f.Pos().Filename()]
		if src == nil {
			continue
		}
		inner := src.innerMost(f.Pos().Offset() + from)
		n, ok := inner.scan(f.Pos().Offset() + from)
		if ok && n.Text == text {
			return n, true
		}
	}
	return nil, false
}

// fieldsWith are the attributes of that name on a property's declarations.
func (l *loader) fieldsWith(m item, name string) []*ast.Attribute {
	var attrs []*ast.Attribute
	for _, from := range l.attributeSources(m) {
		if from.field == nil {
			continue
		}
		for _, a := range from.field.Attrs {
			if strings.HasPrefix(a.Text, "@"+name+"(") {
				attrs = append(attrs, a)
			}
		}
	}
	return attrs
}

func readSet(c *attrCall) {
	if t := c.l.named.types.Resolve(c.prop.Type); t.Kind != spec.List && t.Kind != spec.Any {
		c.fail(fmt.Sprintf("@set is for a list, not %s", t.Kind), "")
		return
	}
	marker(func(p *spec.Property) { p.Set = true })(c)
}

func readKey(c *attrCall) {
	list, ok := c.texts()
	if !ok {
		return
	}
	if len(list) != 1 {
		c.fail("@key takes the name of a field", "Write @key(name).")
		return
	}
	t := c.l.named.types.Resolve(c.prop.Type)
	if t.Kind != spec.List {
		c.fail(fmt.Sprintf("@key is for a list of structs, not %s", t.Kind), "")
		return
	}
	prop := c.prop
	c.l.named.later = append(c.l.named.later, func() {
		elem := c.l.named.types.Resolve(t.Elem)
		if elem.Kind == spec.Object && elem.Field(list[0]) == nil {
			c.fail(fmt.Sprintf("the list's items have no field %q", list[0]), diag.Remedy(list[0], elem.FieldNames()))
		} else if elem.Kind != spec.Object && elem.Kind != spec.Any && elem.Kind != spec.Map {
			c.fail(fmt.Sprintf("@key is for a list of structs, not of %s", elem.Kind), "")
		}
	})
	prop.Key = list[0]
}

// equalities are the rules of @equal, with the kind that each is for.
var equalities = []string{"fold", "trim", "json", "path"}

func readEqual(c *attrCall) {
	list, ok := c.texts()
	if !ok {
		return
	}
	if len(list) == 1 && strings.Contains(list[0], "${") {
		c.prop.EqualExpr = c.template()
		return
	}
	if len(list) != 1 || !slices.Contains(equalities, list[0]) {
		given := strings.Join(list, ", ")
		c.fail(fmt.Sprintf("@equal has no rule %q", given), diag.Remedy(given, equalities)+` Or write @equal("${lower(old) == lower(new)}").`)
		return
	}
	if t := c.l.named.types.Resolve(c.prop.Type); t.Kind != spec.String && t.Kind != spec.Any {
		c.fail(fmt.Sprintf("@equal(%s) is for text, not %s", list[0], t.Kind), "")
		return
	}
	c.prop.Equal = list[0]
}

func readWire(c *attrCall) {
	list, ok := c.texts()
	if !ok {
		return
	}
	if len(list) != 1 || list[0] == "" {
		c.fail("@wire takes one name", "Write @wire(name).")
		return
	}
	c.prop.Wire = list[0]
}

// targets are the hosts and SDKs that a property may be renamed for.
var targets = []string{"terraform", "python", "nodejs", "typescript", "go", "csharp", "dotnet", "java"}

func readNames(c *attrCall) {
	if strings.TrimSpace(c.attr.Contents()) == "" {
		c.fail("@name gives no name", `Write @name(terraform="x").`)
		return
	}
	names := map[string]string{}
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		switch {
		case !slices.Contains(targets, key):
			c.fail(fmt.Sprintf("@name has no argument %q", key), diag.Remedy(key, targets))
			return
		case !stepName.MatchString(value):
			c.fail(fmt.Sprintf("%q is no name for a property", value), fmt.Sprintf(`Write @name(%s="name"): letters, digits and underscores.`, key))
			return
		}
		names[key] = value
	}
	c.prop.Names = names
}

// scan reads the quoted string at a byte of the source.
func (s *source) scan(offset int) (*spec.Node, bool) {
	scan := &literalScan{src: s, raw: s.content, at: offset}
	if !scan.run() {
		return nil, false
	}
	text := scan.text.String()
	if _, err := literal.Unquote(string(s.content[offset:scan.at])); err != nil {
		return nil, false
	}
	return &spec.Node{Kind: spec.StringNode, Text: text, Range: s.span(offset, scan.at), Marks: scan.marks}, true
}

// innerMost is the source itself: an attribute's text is in the file, or in the
// string of a YAML or JSON document, whose positions innerSpan maps.
func (s *source) innerMost(int) *source { return s }
