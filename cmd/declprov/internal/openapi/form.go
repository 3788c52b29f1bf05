package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// formMedia is the type of a body that is a form.
const formMedia = "application/x-www-form-urlencoded"

// isForm reports whether an operation sends a form: the document has no body in JSON for it.
func isForm(o part) bool { return formOf(o).exists() && bodyOf(o).node == formOf(o).node }

// formContent returns the description of the form that an operation sends, which has its schema. It is absent in version 2.0.
func formContent(o part) part {
	content := o.get("requestBody").get("content")
	for _, name := range content.keys() {
		if media, _, _ := strings.Cut(name, ";"); strings.TrimSpace(media) == formMedia {
			return content.get(name)
		}
	}
	return part{}
}

// formOf returns the schema of the form that an operation sends, if any. In version 2.0, its members are parameters. A form with a file is
// sent in another format.
func formOf(o part) part {
	if of := formContent(o).get("schema"); of.exists() {
		return of
	}
	o = o.resolved()
	if o.node == nil {
		return part{}
	}
	doc := o.file.doc
	made, ok := doc.forms[o.node]
	if !ok {
		made = formOfParameters(o)
		doc.forms[o.node] = made
	}
	return made
}

// formOfParameters returns the schema of a form whose members are parameters of an operation.
func formOfParameters(o part) part {
	properties, required := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, p := range parametersOf(o) {
		if p.get("in").text() != "formData" {
			continue
		}
		if p.get("type").text() == "file" {
			return part{}
		}
		schema, name := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: p.get("name").text()}
		p.each(func(key string, value part) {
			if !slices.Contains([]string{"name", "in", "required"}, key) {
				schema.Content = append(schema.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value.node)
			}
		})
		properties.Content = append(properties.Content, name, schema)
		if p.get("required").isTrue() {
			required.Content = append(required.Content, name)
		}
	}
	if properties.Content == nil {
		return part{}
	}
	scalar := func(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text} }
	return part{file: o.file, node: &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
		scalar("type"), scalar("object"), scalar("properties"), properties, scalar("required"), required,
	}}}
}

// formRule returns the rule by which the forms of a resource write lists and maps, or "" if its bodies are JSON. known is false if the
// document does not say it.
func formRule(b *builder) (rule string, known bool) {
	if !isForm(b.create.part) {
		return "", true
	}
	rule, known = "repeat", true
	if b.wrap != "" {
		rule, known = "brackets", false
	}
	for _, o := range []part{b.create.part, b.update.part} {
		encoding := formContent(o).get("encoding")
		for _, m := range append(slices.Clone(b.body.members), b.changed.members...) {
			v := viewOf(m.schema)
			switch {
			case encoding.get(m.name).get("style").text() == "deepObject":
				return "brackets", true
			case v.kind == objectKind || v.kind == arrayKind && isComposite(viewOf(v.items)) || len(v.variants) > 0 || v.kind == anyKind:
				rule, known = "brackets", false
			}
		}
	}
	return rule, known
}

// isComposite reports whether a value has members or items.
func isComposite(v view) bool { return v.kind == objectKind || v.kind == arrayKind }

// addForm adds that bodies are forms.
func addForm(b *builder) {
	rule, known := formRule(b)
	updates := b.update.exists() && !b.byBody
	if rule == "" || b.madeID != "" && !updates { // no request of rest has a body
		return
	}
	b.add("form", literalOf(rule))
	if !known {
		b.notes = append(b.notes, "The document does not say how the form names what is in maps and structs. Brackets are usual: a[b]=1. Others are \"indices\" and \"N\".")
	}
	if rule == "brackets" && b.update.exists() {
		b.notes = append(b.notes, "If the API merges maps with what it has, add to rest: patch: \"merge\".")
	}
}

// bodyArgument returns the arguments of a request with a body, as JSON or as a form. clears says that null removes a member.
func bodyArgument(b *builder, body string, clears bool) string {
	rule, _ := formRule(b)
	switch {
	case rule == "":
		return "json: " + literalOf(body)
	case clears:
		return "form: " + literalOf(body) + ", lists: " + literalOf(rule) + `, nulls: "empty"`
	default:
		return "form: " + literalOf(body) + ", lists: " + literalOf(rule)
	}
}
