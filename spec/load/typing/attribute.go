package typing

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
)

// Attribute describes one attribute `@name(…)` of the language: where it may be used,
// what it means, and how it is read.
type Attribute struct {
	Name string
	// Usage is an example of the attribute, and Doc what that example means.
	Usage, Doc string
	// Roles are the blocks in which the attribute may be used. If top is true, it may
	// not be used on a property of a nested struct.
	Roles Role
	top   bool
	// remedy is the detail of the message if the attribute is used in another block.
	remedy string
	read   func(*attrCall)
}

// Attributes returns the attributes of the language.
func Attributes() []Attribute {
	all := ConfigRole | InputRole | OutputRole | ArgumentRole | ResultRole
	return []Attribute{
		{
			Name: "replace", Usage: "@replace()", Doc: "A change of the input replaces the resource; a change of the setting, all resources of the provider. `@replace(false)` on a setting: another value leads to the same objects, as after a server has moved.",
			Roles: InputRole | ConfigRole, remedy: "It declares that a change of an input replaces the resource. Remove it.",
			read: readReplace,
		},
		{
			Name: "secret", Usage: "@secret()", Doc: "Encrypted in the state, masked everywhere else.",
			Roles: all, read: marker(func(p *spec.Property) { p.Secret = true }),
		},
		{
			Name: "noRead", Usage: "@noRead()", Doc: "Reads do not return it, for example a password or a token that is shown once. The recorded value is kept.",
			Roles: InputRole | OutputRole, remedy: "It declares that the API does not return an input or output. Remove it.",
			read: readNoRead,
		},
		{
			Name: "normalised", Usage: "@normalised()", Doc: "The API may rewrite the value. The input counts as unchanged as long as the program's value and the API's value are those of the last create or update.",
			Roles: InputRole, top: true, remedy: "It declares that the API may rewrite an input. Put it on the input; an output always has the value of the API.",
			read: readNormalised,
		},
		{
			Name: "ephemeral", Usage: "@ephemeral()", Doc: "Used once and never needed again. Pulumi stores it as a secret.",
			Roles: InputRole, remedy: "It is for inputs that are only needed once. Remove it.",
			read: marker(func(p *spec.Property) { p.Ephemeral = true }),
		},
		{
			Name: "stable", Usage: "@stable()", Doc: "Updates never change it, so its value is known in previews.",
			Roles: OutputRole, remedy: "It is for outputs that updates never change. Remove it.",
			read: marker(func(p *spec.Property) { p.Stable = true }),
		},
		{
			Name: "env", Usage: "@env(NAME, …)", Doc: "Read from the environment if the program sets no value. It takes precedence over the default; an empty variable counts as unset.",
			Roles: ConfigRole, top: true, remedy: "Only configuration can be read from the environment. Declare it in config, and use ${config.…}.",
			read: readEnv,
		},
		{
			Name: "autoname", Usage: `@autoname(max=63, sep="-")`, Doc: "Generated from the resource's name in the program, if the program sets no value.",
			Roles: InputRole, top: true, remedy: "It generates an input from the resource's name. Remove it.",
			read: readAutoname,
		},
		{
			Name: "default", Usage: `@default("${…}")`, Doc: "Computed from other inputs, if the program sets no value.",
			Roles: InputRole | ArgumentRole, top: true, remedy: "It computes an input from other inputs. Remove it.",
			read: readDefault,
		},
		{Name: "set", Usage: "@set()", Doc: "A list whose order is irrelevant.", Roles: all, read: readSet},
		{Name: "key", Usage: "@key(name)", Doc: "A list whose items are identified by that field.", Roles: all, read: readKey},
		{
			Name: "equal", Usage: "@equal(fold)", Doc: "When two values count as equal: `fold`, `trim`, `json`, `path`, or an expression over `old` and `new`. `exact` distinguishes an empty list or map from an absent one.",
			Roles: InputRole | OutputRole, remedy: "It defines when two values of an input or output are equal. Remove it.",
			read: readEqual,
		},
		{
			Name: "wire", Usage: "@wire(name)", Doc: "Its name or path in requests and responses: `@wire(meta.name)`, `@wire(tags[].name)`. `@wire(type=int)` sends text as an integer, and a boolean as 0 or 1; `@wire(type=string)` sends numbers and booleans as text.",
			Roles: all &^ ConfigRole, remedy: "The names of configuration properties never go over the wire. Remove it.",
			read: readWire,
		},
		{
			Name: "deprecated", Usage: `@deprecated("use x")`, Doc: "Warns users.",
			Roles: all, read: readText(func(p *spec.Property, s string) { p.Deprecated = s }),
		},
		{
			Name: "doc", Usage: `@doc("…")`, Doc: "Documentation, for places where comments are impossible.",
			Roles: all, read: readText(func(p *spec.Property, s string) { p.Doc = s }),
		},
		{Name: "name", Usage: `@name(csharp="Y")`, Doc: "Its name in one SDK, if the generator of that SDK supports it.", Roles: all, read: readNames},
	}
}

// IsAttribute reports whether the language has an attribute with that name.
func IsAttribute(name string) bool {
	return slices.ContainsFunc(Attributes(), func(a Attribute) bool { return a.Name == name })
}

// IsForeign reports whether an attribute belongs to CUE or its tools, and is
// therefore not checked.
func IsForeign(name string) bool {
	return slices.Contains([]string{"tag", "embed", "if", "extern", "ignore", "go", "protobuf", "jsonschema", "experiment", "test"}, name)
}

// attributeReader reads the attributes of one property.
type attributeReader struct {
	*Extractor
	prop *spec.Property
	item walk.Item
	site Site
	// top reports that the property is not in a nested struct. broken reports that its type has a
	// mistake, which was reported.
	top, broken bool
}

// attrCall is one use of an attribute.
type attrCall struct {
	*attributeReader
	attr cue.Attribute
	at   diag.Range
}

func (c *attrCall) fail(summary, detail string) *diag.Diagnostic {
	return c.Report(source.CodeBadAttribute, c.at, c.site.Place, summary, detail)
}

// failKind reports that an attribute is not for a kind of types, if the kind is known.
func (c *attrCall) failKind(t *spec.Type, summary, detail string) {
	if t.Kind != spec.Any || !c.broken {
		c.fail(summary, detail)
	}
}

// read reads the attributes of a property, of the definitions that its type refers to, and
// those that CUE binds to the values of a map.
func (r *attributeReader) read() {
	seen := map[string]bool{}
	each := func(from walk.Item, definition bool, read func(*attrCall)) {
		for _, a := range from.Value.Attributes(cue.ValueAttr) {
			key := a.Name() + "(" + a.Contents() + ")"
			if IsForeign(a.Name()) || seen[key] || definition && isWireRule(a) {
				continue // on a definition, the rule applies to its members
			}
			seen[key] = true
			read(&attrCall{attributeReader: r, attr: a, at: r.rangeOf(from, a)})
		}
	}
	for i, from := range r.sources() {
		each(from, i > 0, (*attrCall).read)
	}
	for _, of := range r.inners() {
		each(of.Item, true, func(c *attrCall) { c.readInner(of) })
	}
	r.checkExclusive()
}

// sources returns the values whose attributes apply to the property.
func (r *attributeReader) sources() []walk.Item {
	sources := []walk.Item{r.item}
	if d := cue.Dereference(r.item.Value); d.Source() != r.item.Value.Source() {
		f, _ := d.Source().(*ast.Field)
		sources = append(sources, walk.Item{Value: d, Field: f})
	}
	return append(sources, r.patternsOf(r.item)...)
}

// patternsOf returns the field of a map, [key]: T, if it is all that the map consists of, and those
// of the maps in the map: their attributes are those of the property.
func (r *attributeReader) patternsOf(it walk.Item) []walk.Item {
	lit, ok := it.Expr.(*ast.StructLit)
	if !ok || len(lit.Elts) != 1 {
		return nil
	}
	for _, inner := range r.Members(it, cue.Patterns(true)) {
		if p := r.patterns[inner.Field]; inner.Pattern && p != nil {
			p.read = true
			return append([]walk.Item{inner}, r.patternsOf(inner)...)
		}
	}
	return nil
}

// checkPatterns reports attributes of the values of a map that no property has read.
func (x *Extractor) checkPatterns() {
	left := slices.SortedFunc(maps.Values(x.patterns), func(a, b *patternField) int { return a.order - b.order })
	for _, p := range left {
		for _, a := range p.item.Field.Attrs {
			if name, _ := a.Split(); !p.read && !IsForeign(name) {
				x.Report(source.CodeMisplacedAttribute, x.Files.Span(a.Pos(), a.Pos().Add(len(a.Text))), p.site.Place, "an attribute of the values of a map has no effect",
					"Write it behind the type of the property, for the whole map: `labels: {[string]: string} @secret()`.")
			}
		}
	}
}

// rangeOf returns the position of an attribute.
func (r *attributeReader) rangeOf(from walk.Item, a cue.Attribute) diag.Range {
	for _, f := range []*ast.Field{from.Field, r.item.Field} {
		if f == nil {
			continue
		}
		for _, attr := range f.Attrs {
			if strings.HasPrefix(attr.Text, "@"+a.Name()+"(") {
				return r.Files.Span(attr.Pos(), attr.Pos().Add(len(attr.Text)))
			}
		}
	}
	return r.item.At
}

// read checks an attribute against the table and calls its reader.
func (c *attrCall) read() {
	table := Attributes()
	i := slices.IndexFunc(table, func(a Attribute) bool { return a.Name == c.attr.Name() })
	if i < 0 {
		own := c.reportUnknown(table)
		if i = slices.IndexFunc(table, func(a Attribute) bool { return a.Name == own }); i < 0 || c.attr.Contents() != "" || table[i].Roles&c.site.Role == 0 {
			return
		}
	}
	a := table[i]
	switch {
	case a.Roles&c.site.Role == 0:
		c.Report(source.CodeMisplacedAttribute, c.at, c.site.Place, fmt.Sprintf("@%s is not allowed on %s", a.Name, roleNames[c.site.Role]), a.remedy)
	case a.top && (!c.top || c.site.named):
		c.Report(source.CodeMisplacedAttribute, c.at, c.site.Place, fmt.Sprintf("@%s is not allowed inside a nested struct", a.Name), "Put it on the property that holds the struct, or flatten the struct.")
	default:
		a.read(c)
	}
}

// reportUnknown reports an attribute that does not exist, and returns the name of the one that is meant, or "".
func (c *attrCall) reportUnknown(table []Attribute) string {
	names := lists.Map(table, func(a Attribute) string { return a.Name })
	d := c.Report(source.CodeUnknownAttribute, c.at, c.site.Place, fmt.Sprintf("unknown attribute @%s", c.attr.Name()), "")
	if c.site.Role == OutputRole && foreign.IsComputed(c.attr.Name()) {
		d.Detail = "The server sets all outputs. Remove it."
		at := c.at
		at.Start.Column--
		if text := c.Files.TextAt(at); strings.HasPrefix(text, " @") {
			d.Suggest(diag.Edit{At: at, Old: text})
		}
		return ""
	}
	if t, ok := foreign.Attribute(c.attr.Name()); ok {
		d.Detail = t.Remedy
		if t.Own != "" {
			d.Replace("@"+c.attr.Name(), "@"+t.Own)
		}
		return t.Own
	}
	d.Meant(c.attr.Name(), names)
	return diag.DidYouMean(c.attr.Name(), names)
}

var roleNames = map[Role]string{
	ConfigRole: "configuration", InputRole: "an input", OutputRole: "an output",
	ArgumentRole: "an argument", ResultRole: "a result",
}

// checkExclusive reports attributes that contradict each other.
func (r *attributeReader) checkExclusive() {
	p, m, s := r.prop, r.item, r.site
	switch {
	case p.Replace && p.Moves:
		r.Report(source.CodeBadAttribute, m.At, s.Place, "the setting has both @replace() and @replace(false)", "Keep one of them.")
	case p.Default != nil && p.DefaultExpr != nil:
		r.Report(source.CodeBadAttribute, m.At, s.Place, "the property has two defaults", "Remove the * or @default.")
	case p.Default != nil && p.Autoname != nil, p.DefaultExpr != nil && p.Autoname != nil:
		r.Report(source.CodeBadAttribute, m.At, s.Place, "the property has both a default and a generated name", "Remove the default or @autoname.")
	case p.Equal != "" && p.EqualExpr != nil:
		r.Report(source.CodeBadAttribute, m.At, s.Place, "the property has two equality rules", "Keep one @equal.")
	case p.Normalised && (p.NoRead || p.Ephemeral):
		r.Report(source.CodeBadAttribute, m.At, s.Place, "the property is never compared with the API's value, so @normalised has no effect", "Remove @normalised, or @noRead and @ephemeral.")
	case p.Set && p.Key != "":
		r.Report(source.CodeBadAttribute, m.At, s.Place, "the list is both a set and keyed", "Keep @set() or @key(…).")
	}
}
