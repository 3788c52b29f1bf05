package structure

import (
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// yamlVariants are those of a YAML document, each as YAML and, where it has no
// anchors or other things that JSON lacks, as JSON in turn.
func yamlVariants(src []byte, take func(what string) bool) ([]variant, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	w := &yamlWalk{doc: &doc, take: take}
	w.node("", doc.Content[0], nil)
	return w.out, w.err
}

type yamlWalk struct {
	doc  *yaml.Node
	take func(what string) bool
	out  []variant
	err  error
}

func (w *yamlWalk) put(what string, change, back func()) {
	for _, form := range []string{"yaml", "json"} {
		if !w.take(form+": "+what) || w.err != nil {
			continue
		}
		change()
		text, err := yaml.Marshal(w.doc)
		if form == "json" && err == nil {
			var v any
			if err = yaml.Unmarshal(text, &v); err == nil {
				text, err = json.MarshalIndent(v, "", " ")
			} else {
				text, err = nil, nil // a key twice, which only YAML can say
			}
		}
		back()
		if err != nil {
			w.err = fmt.Errorf("%s: %w", what, err)
			return
		}
		if text != nil {
			w.out = append(w.out, variant{What: what, Format: form, Text: text})
		}
	}
}

// values are what a node becomes.
func values() map[string]string {
	return map[string]string{
		"a map": "{}", "a list": "[]", "empty text": `""`, "text": "x", "an empty template": `"${}"`, "a number": "7", "null": "null", "true": "true",
		"a list of null": "[null]", "a list of a map": "[{}]", "a map of a number": "{x: 1}", "a map of a map of null": "{x: {x: null}}",
		"a type": "[...string]", "two keys of one name": "{x: 1, x: 2}",
	}
}

func (w *yamlWalk) node(at string, n *yaml.Node, moveOut func(key, value *yaml.Node) func()) {
	whole := *n
	back := func() { *n = whole }
	if at != "" {
		for what, text := range values() {
			var other yaml.Node
			if err := yaml.Unmarshal([]byte(text), &other); err != nil {
				continue
			}
			w.put("make "+at+" "+what, func() { *n = *other.Content[0] }, back)
		}
		inner := whole
		w.put("make "+at+" a list of it", func() { *n = yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{&inner}} }, back)
		w.put("make "+at+" a map of it", func() {
			*n = yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "x"}, &inner}}
		}, back)
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.members(at, n, moveOut)
	case yaml.SequenceNode:
		items := n.Content
		for i, item := range items {
			place := fmt.Sprintf("%s[%d]", at, i)
			w.put("drop "+place, func() { n.Content = slices.Delete(slices.Clone(items), i, i+1) }, func() { n.Content = items })
			w.put("duplicate "+place, func() { n.Content = slices.Insert(slices.Clone(items), i, item) }, func() { n.Content = items })
			w.node(place, item, nil)
		}
	}
}

func (w *yamlWalk) members(at string, n *yaml.Node, moveOut func(key, value *yaml.Node) func()) {
	whole := n.Content
	for i := 0; i+1 < len(whole); i += 2 {
		key, value := whole[i], whole[i+1]
		place := at + "." + key.Value
		without := slices.Delete(slices.Clone(whole), i, i+2)
		back := func() { n.Content = whole }
		w.put("drop "+place, func() { n.Content = without }, back)
		twin := &yaml.Node{Kind: yaml.ScalarNode, Value: "twin"}
		w.put("duplicate "+place+" as twin", func() { n.Content = append(slices.Clone(whole), twin, value) }, back)
		w.put("duplicate "+place, func() { n.Content = append(slices.Clone(whole), key, value) }, back)
		if moveOut != nil {
			undo := func() {}
			w.put("move "+place+" out", func() { n.Content, undo = without, moveOut(key, value) }, func() { undo(); back() })
		}
		for j := 0; j+1 < len(whole); j += 2 {
			other := whole[j+1]
			if j == i || other.Kind != yaml.MappingNode {
				continue
			}
			inner := other.Content
			w.put(fmt.Sprintf("move %s into %s", place, whole[j].Value), func() {
				other.Content = append(slices.Clone(inner), key, value)
				n.Content = without
			}, func() { other.Content = inner; back() })
		}
		w.node(place, value, func(key, value *yaml.Node) func() {
			before := n.Content
			n.Content = append(slices.Clone(before), key, value)
			return func() { n.Content = before }
		})
	}
}
