package schema

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec"
)

// ExampleEntry returns an example as an entry with a name in the resources of a YAML program,
// indented by two spaces.
func ExampleEntry(name, provider string, named spec.Types, r *spec.Resource, e *spec.Example) string {
	entry := yamlMap("type", yamlText(provider+":"+r.Name))
	properties := &yaml.Node{Kind: yaml.MappingNode}
	for f := range present(e.Inputs) {
		value := yamlValue(f.Value)
		if p := named.Resolve(r.Inputs).Field(f.Name); p != nil && f.Value.Kind == spec.StringNode {
			switch named.Resolve(p.Type).Kind {
			case spec.Asset:
				value = yamlMap("fn::fileAsset", value)
			case spec.Archive:
				value = yamlMap("fn::fileArchive", value)
			}
		}
		properties.Content = append(properties.Content, yamlText(f.Name), value)
	}
	if len(properties.Content) > 0 {
		entry.Content = append(entry.Content, yamlText("properties"), properties)
	}
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	_ = encoder.Encode(yamlMap(name, entry)) // a Builder accepts everything, and the nodes are of one document
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString("  " + line)
	}
	return out.String()
}

func yamlValue(n *spec.Node) *yaml.Node {
	switch n.Kind {
	case spec.StringNode:
		return yamlText(n.Text)
	case spec.ListNode:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range n.Items {
			list.Content = append(list.Content, yamlValue(item))
		}
		return list
	case spec.MapNode:
		out := &yaml.Node{Kind: yaml.MappingNode}
		for f := range present(n) {
			out.Content = append(out.Content, yamlText(f.Name), yamlValue(f.Value))
		}
		return out
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}
	}
}

func yamlMap(key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{yamlText(key), value}}
}

// yamlText returns a string, quoted if it would be something else without quotes.
func yamlText(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}
