package decode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxYAML is the maximum size of a YAML text in bytes. Parsing YAML takes far more
// memory and time than parsing JSON.
const maxYAML = 1 << 20

// YAML decodes a YAML text with a single document. An empty document is nil. The
// expansion of an alias counts each time, so that a small text cannot become a large
// value. Errors may quote the text.
func YAML(text string, b *Budget) (any, error) {
	if len(text) > maxYAML {
		return nil, fmt.Errorf("larger than %d MiB", maxYAML>>20)
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected a single document")
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return yamlDecoder{b}.decodeValue(doc.Content[0], 0)
}

// yamlDecoder converts nodes to values.
type yamlDecoder struct{ budget *Budget }

func (y yamlDecoder) decodeValue(n *yaml.Node, depth int) (any, error) {
	if err := y.budget.Spend(1); err != nil {
		return nil, err
	}
	if depth > MaxDepth {
		return nil, DepthError{}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return y.decodeValue(n.Alias, depth+1)
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, child := range n.Content {
			v, err := y.decodeValue(child, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case yaml.MappingNode:
		return y.decodeMapping(n, depth)
	default:
		return y.decodeScalar(n)
	}
}

func (y yamlDecoder) decodeMapping(n *yaml.Node, depth int) (any, error) {
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		v, err := y.decodeValue(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.Tag == "!!merge" {
			if err := y.inherit(out, v); err != nil {
				return nil, err
			}
			continue
		}
		name, err := y.decodeKey(key)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

// decodeKey returns a key as a string.
func (y yamlDecoder) decodeKey(key *yaml.Node) (string, error) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind == yaml.ScalarNode {
		v, err := y.decodeScalar(key)
		if err != nil {
			return "", err
		}
		switch v := v.(type) {
		case nil:
			return "null", nil
		case bool:
			return strconv.FormatBool(v), nil
		case string:
			return v, nil
		case json.Number:
			return string(v), nil
		case int64:
			return strconv.FormatInt(v, 10), nil
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
		return key.Value, nil
	}
	return "", fmt.Errorf("the key in line %d is not a scalar", key.Line)
}

// inherit adds the members of a merge key (`<<`) that out does not have.
func (y yamlDecoder) inherit(out map[string]any, v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, from := range list {
		m, ok := from.(map[string]any)
		if !ok {
			return errors.New("the value of a merge key (<<) is not a map")
		}
		for k, w := range m {
			if _, has := out[k]; !has {
				out[k] = w
			}
		}
	}
	return nil
}

func (y yamlDecoder) decodeScalar(n *yaml.Node) (any, error) {
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
		return yamlNumber(n), nil
	default:
		return n.Value, nil
	}
}

// yamlNumber returns a number, which may have a form that JSON does not allow: +1,
// 0x1F, 1_000, .5. Infinite numbers (.inf, .nan) remain strings, and so do numbers
// that would lose digits.
func yamlNumber(n *yaml.Node) any {
	if json.Valid([]byte(n.Value)) {
		return Number(json.Number(n.Value))
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(n.Value, "+"), "_", "")
	if json.Valid([]byte(plain)) {
		return Number(json.Number(plain))
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return n.Value
	}
	switch v := v.(type) {
	case int:
		return int64(v)
	case int64:
		return v
	case uint64:
		return json.Number(strconv.FormatUint(v, 10))
	case float64:
		if strings.Trim(plain, "-0123456789") == "" {
			return json.Number(plain) // an integer with leading zeros and too many digits
		}
		if _, ok := Float(plain); ok {
			return v
		}
	}
	return n.Value
}
