package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// part is a part of a document. The zero part is absent; so is what it contains.
type part struct {
	node *yaml.Node
	file *file
	// component is the name of the component if a reference led here, or "".
	component string
}

// file is a file of a document.
type file struct {
	doc  *Document
	path string // the path in the file system, or "" if it has none
	root *yaml.Node
	// found are the parts that references of this file lead to.
	found map[string]part
}

// maxReferences limits how many references may lead from one to the next.
const maxReferences = 50

func (p part) exists() bool { return p.node != nil && p.node.Tag != "!!null" }

// resolved follows references.
func (p part) resolved() part {
	for range maxReferences {
		if p.node != nil && p.node.Kind == yaml.AliasNode {
			p.node = p.node.Alias
		}
		ref := nodeAt(p.node, "$ref")
		if ref == nil || ref.Kind != yaml.ScalarNode {
			return p
		}
		to, err := p.file.find(ref.Value)
		if err != nil {
			return part{}
		}
		p = to
	}
	return part{}
}

// beside returns what is next to a reference, or nothing.
func (p part) beside() part {
	if p.node == nil || p.node.Kind != yaml.MappingNode || nodeAt(p.node, "$ref") == nil {
		return part{}
	}
	own := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: p.node.Line}
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		if p.node.Content[i].Value != "$ref" {
			own.Content = append(own.Content, p.node.Content[i], p.node.Content[i+1])
		}
	}
	if len(own.Content) == 0 {
		return part{}
	}
	return part{node: own, file: p.file}
}

// nodeAt returns the node of a member of a mapping, or nil.
func nodeAt(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// get returns a member.
func (p part) get(name string) part {
	p = p.resolved()
	return part{node: nodeAt(p.node, name), file: p.file}
}

// each calls f for each member, in the order of the document.
func (p part) each(f func(name string, value part)) {
	p = p.resolved()
	if p.node == nil || p.node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		f(p.node.Content[i].Value, part{node: p.node.Content[i+1], file: p.file})
	}
}

// list returns the items of a list.
func (p part) list() []part {
	p = p.resolved()
	if p.node == nil || p.node.Kind != yaml.SequenceNode {
		return nil
	}
	var out []part
	for _, n := range p.node.Content {
		out = append(out, part{node: n, file: p.file})
	}
	return out
}

// value returns the value, decoded as JSON is.
func (p part) value() any {
	p = p.resolved()
	if p.node == nil {
		return nil
	}
	var out any
	if err := p.node.Decode(&out); err != nil {
		return nil
	}
	switch n := out.(type) {
	case int:
		return float64(n)
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	}
	return out
}

// text returns a text, or "".
func (p part) text() string {
	p = p.resolved()
	if p.node == nil || p.node.Kind != yaml.ScalarNode || p.node.Tag == "!!null" {
		return ""
	}
	return p.node.Value
}

func (p part) isTrue() bool { return p.value() == true }

// number returns a number, or nil.
func (p part) number() *float64 {
	if n, ok := p.value().(float64); ok {
		return &n
	}
	return nil
}

// texts returns the items of a list that are texts. A single text counts as a list of one.
func (p part) texts() []string {
	if t := p.text(); t != "" {
		return []string{t}
	}
	var out []string
	for _, item := range p.list() {
		out = append(out, item.text())
	}
	return out
}

// keys returns the names of the members in the order of the document.
func (p part) keys() []string {
	var out []string
	p.each(func(name string, _ part) { out = append(out, name) })
	return out
}

// errNothing is the error for a reference within the files of a document that leads nowhere.
var errNothing = errors.New("nothing is there")

// find returns the part that a reference names, such as #/components/schemas/Pet or pet.yaml#/Pet.
func (f *file) find(ref string) (part, error) {
	if p, ok := f.found[ref]; ok {
		return p, nil
	}
	p, err := f.search(ref)
	if err == nil {
		f.found[ref] = p
	}
	return p, err
}

func (f *file) search(ref string) (part, error) {
	location, pointer, _ := strings.Cut(ref, "#")
	if location != "" {
		other, err := f.doc.open(f, location)
		if err != nil {
			return part{}, err
		}
		f = other
	}
	p := part{node: f.root, file: f}
	names := strings.Split(strings.Trim(pointer, "/"), "/")
	if pointer == "" || pointer == "/" {
		names = nil
	}
	for _, name := range names {
		if unescaped, err := url.PathUnescape(name); err == nil {
			name = unescaped
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		next := p.get(name)
		if items := p.list(); items != nil {
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(items) {
				next = items[i]
			}
		}
		if !next.exists() {
			return part{}, fmt.Errorf("%w at %s", errNothing, ref)
		}
		p = next
	}
	p.component = componentName(ref)
	if p.component == "" && len(names) == 0 {
		p.component = strings.TrimSuffix(filepath.Base(location), filepath.Ext(location))
	}
	return p, nil
}
