package expr

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// encodeYAML is a value as YAML, with sorted keys.
func (r *run) encodeYAML(v any) (string, error) {
	// What JSON can say, YAML can: its limits and refusals are the same.
	text, err := r.encodeJSON(v, "")
	if err != nil {
		return "", err
	}
	y := yamlEncoder{}
	node, err := y.node(v)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(len(text))
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(node); err != nil {
		return "", faultf("this cannot be written as YAML: %s", quoted(err.Error()))
	}
	return b.String(), r.grow(b.Len())
}

// yamlEncoder makes YAML nodes of values; the library would write times, big
// numbers and floats in its own ways.
type yamlEncoder struct{ nodes int }

func (y *yamlEncoder) node(v any) (*yaml.Node, error) {
	if y.nodes++; y.nodes > maxYAMLNodes {
		return nil, faultf("yamlencode writes at most %d values", maxYAMLNodes)
	}
	switch v := v.(type) {
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			child, err := y.node(item)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
		return n, nil
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, k := range sortedKeys(v) {
			child, err := y.node(v[k])
			if err != nil {
				return nil, err
			}
			key := &yaml.Node{}
			key.SetString(k)
			n.Content = append(n.Content, key, child)
		}
		return n, nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}, nil
	}
	text, err := scalarText(v)
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{}
	if !isNumber(v) {
		n.SetString(text)
		return n, nil
	}
	n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!float", text
	if !strings.ContainsAny(text, ".eE") {
		n.Tag = "!!int"
	}
	return n, nil
}

// maxYAML is the most bytes of a YAML text: its parser takes far more memory
// and time than JSON's.
const maxYAML = 1 << 20

// decodeYAML is the value of a YAML text.
func (r *run) decodeYAML(s string) (any, error) {
	if len(s) > maxYAML {
		return nil, faultf("this YAML is larger than %d MiB", maxYAML>>20)
	}
	if err := r.spend(8 * len(s)); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(strings.NewReader(s))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, faultf("this is no YAML: %s", quoted(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, faultf("this YAML has more than one document")
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	y := yamlDecoder{run: r}
	return y.value(doc.Content[0], 0)
}

// yamlDecoder turns nodes into values. Each node counts, those that an alias
// repeats too, so that a small text cannot become a large value.
type yamlDecoder struct {
	run   *run
	nodes int
}

const maxYAMLNodes = 100_000

func (y *yamlDecoder) value(n *yaml.Node, depth int) (any, error) {
	y.nodes++
	if y.nodes > maxYAMLNodes {
		return nil, faultf("this YAML stands for more than %d values", maxYAMLNodes)
	}
	if depth > maxNesting {
		return nil, faultf("this YAML nests deeper than %d", maxNesting)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return y.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, child := range n.Content {
			v, err := y.value(child, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case yaml.MappingNode:
		return y.mapping(n, depth)
	default:
		return y.scalar(n)
	}
}

func (y *yamlDecoder) mapping(n *yaml.Node, depth int) (any, error) {
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := y.value(n.Content[i], depth+1)
		if err != nil {
			return nil, err
		}
		v, err := y.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if n.Content[i].Tag == "!!merge" {
			if err := y.inherit(out, v); err != nil {
				return nil, err
			}
			continue
		}
		name, err := scalarText(key)
		if key == nil {
			name, err = "null", nil
		}
		if err != nil {
			return nil, faultf("this YAML has a key in line %d that is no scalar", n.Content[i].Line)
		}
		out[name] = v
	}
	return out, nil
}

// inherit adds what `<<` brings, below what is there.
func (y *yamlDecoder) inherit(out map[string]any, v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, from := range list {
		m, ok := from.(map[string]any)
		if !ok {
			return faultf("this YAML merges (<<) what is no map")
		}
		for k, w := range m {
			if _, has := out[k]; !has {
				out[k] = w
			}
		}
	}
	return nil
}

func (y *yamlDecoder) scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return n.Value, nil
		}
		return b, nil
	case "!!int", "!!float":
		if v, ok := parseNumber(n.Value); ok {
			return v, nil
		}
		var v any
		if err := n.Decode(&v); err != nil {
			return n.Value, nil
		}
		if f, ok := v.(float64); ok && strings.Trim(n.Value, "-+0123456789") == "" {
			_ = f // an integer of more digits than fit keeps them
			return json.Number(strings.TrimPrefix(n.Value, "+")), nil
		}
		return settled(v, 0)
	default:
		return n.Value, nil
	}
}
