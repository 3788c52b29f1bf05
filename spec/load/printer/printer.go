// Package printer prints the model of a spec as a document in CUE or YAML. Loading the
// document gives the same model again, except for positions.
package printer

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue/format"
	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec"
)

// member is a member of a block of the document.
type member struct {
	key string
	doc string
	// value is a *spec.Node, a string, a bool, an int, a list of values, a block of
	// members, or an expression.
	value any
}

// block is a struct in the document; list is a list of values in it.
type (
	block []member
	list  []any
)

// expression is a type, or another expression of CUE, with its attributes.
type expression string

// add appends a member, unless its value is absent.
func (b *block) add(key string, value any) {
	switch v := value.(type) {
	case *spec.Node:
		if v == nil {
			return
		}
	case string:
		if v == "" {
			return
		}
	case bool:
		if !v {
			return
		}
	case int:
		if v == 0 {
			return
		}
	case block:
		if v == nil {
			return
		}
	case list:
		if v == nil {
			return
		}
	}
	*b = append(*b, member{key: key, value: value})
}

// CUE returns the spec as a CUE file.
func CUE(p *spec.Provider) ([]byte, error) {
	d := newDocument(p, false)
	head, declarations := d.head(), d.declarations()
	w := &cueWriter{packages: d.packages}
	definitions := d.definitions() // which may import further packages
	for _, m := range head {
		w.member("", m)
	}
	for _, m := range definitions {
		w.member("\n", m)
	}
	for _, m := range declarations {
		for _, inner := range m.value.(block) {
			w.member("\n", member{inner.key, inner.doc, inner.value}, m.key)
		}
	}
	var top strings.Builder
	if p.Description != "" {
		top.WriteString(comment(p.Description, "// "))
	}
	if p.Name != "" {
		fmt.Fprintf(&top, "package %s\n\n", strings.ReplaceAll(p.Name, "-", "_"))
	}
	for _, name := range sortedKeys(d.packages) {
		fmt.Fprintf(&top, "import %q\n", d.packages[name])
	}
	return format.Source([]byte(top.String()+"\n"+w.text.String()), format.Simplify())
}

// YAML returns the spec as a YAML document.
func YAML(p *spec.Provider) ([]byte, error) {
	d := newDocument(p, true)
	head, declarations := d.head(), d.declarations()
	var top, types block
	for _, m := range d.definitions() {
		types = append(types, member{strings.TrimPrefix(m.key, "#"), m.doc, m.value})
	}
	top.add("description", p.Description)
	top = append(top, head...)
	top.add("types", types)
	top = append(top, declarations...)
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(yamlValue(top)); err != nil {
		return nil, err
	}
	return []byte(b.String()), e.Close()
}

// comment returns text as a comment.
func comment(text, prefix string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
	}
	return b.String()
}

// yamlValue returns a value of the document as a node of YAML.
func yamlValue(v any) *yaml.Node {
	scalar := func(tag, text string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
	}
	switch v := v.(type) {
	case *spec.Node:
		return yamlValue(nodeValue(v))
	case string:
		n := &yaml.Node{}
		n.SetString(v)
		return n
	case expression:
		n := &yaml.Node{}
		n.SetString(string(v))
		return n
	case bool:
		return scalar("!!bool", strconv.FormatBool(v))
	case int:
		return scalar("!!int", strconv.Itoa(v))
	case number:
		return scalar("", string(v))
	case list:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			n.Content = append(n.Content, yamlValue(item))
		}
		return n
	case block:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, m := range v {
			key := &yaml.Node{}
			key.SetString(m.key)
			if m.doc != "" {
				key.HeadComment = strings.TrimRight(comment(m.doc, "# "), "\n")
			}
			n.Content = append(n.Content, key, yamlValue(m.value))
		}
		return n
	default:
		return scalar("!!null", "null")
	}
}
