package openapi

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec/load/layout"
	"github.com/declprov/declprov/spec/names"
	"github.com/declprov/declprov/spec/screen"
)

// printer prints a spec in one of its forms. Both have the same keys; in YAML, types are text, an optional property has its question mark
// in its key, and definitions are under types.
type printer struct {
	strings.Builder
	yaml   bool
	indent int
}

// print returns the spec as text.
func (d *document) print(inYAML bool) ([]byte, error) {
	p := &printer{yaml: inYAML}
	p.comment(cmp.Or(d.title, d.name) + ", from its OpenAPI document.")
	if !inYAML {
		p.line("package " + strings.ReplaceAll(d.name, "-", "_"))
	}
	p.line("")
	p.option(option{"name", literalOf(d.name)})
	p.option(option{"version", `"0.1.0"`})
	if d.wire != "" {
		p.option(option{"wire", literalOf(d.wire)})
	}
	p.line("")
	p.block("config", func() { p.properties(d.settings) })
	p.block("http", func() {
		for _, o := range d.http {
			p.option(o)
		}
	})
	if len(d.rest) > 0 {
		p.option(option{"rest", "{" + joined(d.rest) + "}"})
	}
	if inYAML && len(d.definitions) > 0 {
		p.line("")
		p.block("types", func() { p.types(d.definitions) })
	} else {
		p.types(d.definitions)
	}
	if inYAML {
		p.line("")
		p.block("resources", func() { p.resources(d.resources) })
	} else {
		p.resources(d.resources)
	}
	if inYAML {
		return layout.YAML([]byte(p.String()))
	}
	return layout.CUE([]byte(p.String()))
}

func (p *printer) types(definitions []*definition) {
	for _, def := range slices.SortedFunc(slices.Values(definitions), func(a, b *definition) int { return cmp.Compare(a.name, b.name) }) {
		p.line("")
		p.comment(def.doc)
		name := "#" + def.name
		if p.yaml {
			name = def.name
		}
		p.group(name, def.properties)
	}
}

func (p *printer) resources(resources []*resource) {
	for _, r := range resources {
		p.line("")
		p.comment(r.doc)
		name := "resources: " + r.name
		if p.yaml {
			name = r.name
		}
		p.block(name, func() {
			p.group("inputs", r.inputs)
			if len(r.outputs) > 0 {
				p.group("outputs", r.outputs)
			}
			for _, note := range r.notes {
				p.comment(note)
			}
			if len(r.rest) == 1 {
				p.option(option{"rest", r.rest[0].value})
			} else {
				p.option(option{"rest", "{" + joined(r.rest) + "}"})
			}
			for _, o := range r.keys {
				p.option(o)
			}
		})
	}
}

func joined(options []option) string {
	var out []string
	for _, o := range options {
		key := o.key
		if !names.IsIdentifier(key) {
			key = literalOf(key)
		}
		out = append(out, key+": "+o.value)
	}
	return strings.Join(out, ", ")
}

// group prints a key with its properties: on one line, if that is short and no property has a comment. In YAML, types would need more quotes there.
func (p *printer) group(key string, properties []property) {
	var texts []string
	for _, property := range properties {
		if property.doc != "" || p.yaml {
			break
		}
		texts = append(texts, p.property(property))
	}
	line := key + ": {" + strings.Join(texts, ", ") + "}"
	if len(texts) > 0 && len(texts) == len(properties) && 4*p.indent+len(line) <= lineLength {
		p.line(line)
		return
	}
	p.block(key, func() { p.properties(properties) })
}

func (p *printer) properties(properties []property) {
	if len(properties) == 0 && p.yaml {
		p.line("{}")
	}
	for _, property := range properties {
		p.comment(property.doc)
		p.line(p.property(property))
	}
}

func (p *printer) property(of property) string {
	typ := strings.Join(append([]string{of.typ}, of.attributes...), " ")
	name := of.name
	if of.optional {
		name += "?"
	}
	if p.yaml {
		name, typ = plainYAML(name), plainYAML(typ)
	}
	return name + ": " + typ
}

// plainYAML returns a text as YAML writes it: with quotes only where it requires them.
func plainYAML(text string) string {
	out, err := yaml.Marshal(text)
	if err != nil || strings.Count(string(out), "\n") > 1 {
		return literalOf(text)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (p *printer) option(o option) { p.line(o.key + ": " + o.value) }

// block prints a key with what it contains.
func (p *printer) block(key string, content func()) {
	opening, closing := key+": {", "}"
	if p.yaml {
		opening, closing = key+":", ""
	}
	p.line(opening)
	p.indent++
	content()
	p.indent--
	if closing != "" {
		p.line(closing)
	}
}

func (p *printer) line(text string) {
	if text != "" {
		p.WriteString(strings.Repeat("  ", p.indent))
	}
	p.WriteString(text)
	p.WriteByte('\n')
}

const (
	// maxComment is the length from which a comment is cut at a sentence.
	maxComment = 300
	// lineLength is the length at which comments are wrapped.
	lineLength = 100
)

// markup matches tags and links, which descriptions contain.
var markup = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<[^<>]{1,100}>|\[([^\[\]]{1,200})\]\([^()]{1,500}\)`)
})

// comment prints the first paragraph of a description.
func (p *printer) comment(text string) {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n\n")
	text = strings.Join(strings.Fields(screen.Visible(markup().ReplaceAllString(text, "$1"))), " ")
	if len(text) > maxComment {
		if at := strings.LastIndex(text[:maxComment], ". "); at > 0 {
			text = text[:at+1]
		} else {
			text = strings.ToValidUTF8(text[:maxComment], "") + " …"
		}
	}
	if text == "" {
		return
	}
	sign := "//"
	if p.yaml {
		sign = "#"
	}
	line := sign
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > lineLength && line != sign {
			p.line(line)
			line = sign
		}
		line += " " + word
	}
	p.line(line)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
