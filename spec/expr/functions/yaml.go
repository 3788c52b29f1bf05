package functions

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// encodeYAML returns a value as YAML, with sorted keys.
func encodeYAML(r *eval.Run, v any) (string, error) {
	// The limits and errors are those of JSON.
	text, err := EncodeJSON(r, v, "")
	if err != nil {
		return "", err
	}
	y := yamlEncoder{run: r}
	node, err := y.node(v)
	if err != nil {
		return "", err
	}
	b := yamlText{run: r}
	b.out.Grow(len(text))
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(node); err != nil {
		if b.failed != nil {
			return "", b.failed
		}
		return "", eval.Faultf("cannot convert to YAML: %s", eval.Quoted(err.Error()))
	}
	return b.out.String(), b.failed
}

// yamlText is the writer of an encoder. It returns an error when the budget is
// exhausted.
type yamlText struct {
	run    *eval.Run
	out    strings.Builder
	failed error
}

func (t *yamlText) Write(p []byte) (int, error) {
	if t.failed = t.run.Grow(len(p)); t.failed == nil {
		t.failed = t.run.Spend(len(p) >> 2)
	}
	if t.failed != nil {
		return 0, t.failed
	}
	return t.out.Write(p)
}

// yamlEncoder converts values to YAML nodes. The library has its own formats for
// times, large numbers and floats.
type yamlEncoder struct {
	run   *eval.Run
	nodes int
}

func (y *yamlEncoder) node(v any) (*yaml.Node, error) {
	if y.nodes++; y.nodes > maxYAMLNodes {
		return nil, eval.Faultf("yamlencode supports at most %d values", maxYAMLNodes)
	}
	if err := y.run.Spend(16); err != nil {
		return nil, err
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
		for _, k := range slices.Sorted(maps.Keys(v)) {
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
	text, err := eval.ScalarText(v)
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{}
	if !types.IsNumber(v) {
		n.SetString(text)
		return n, nil
	}
	n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!float", text
	if !strings.ContainsAny(text, ".eE") {
		n.Tag = "!!int"
	}
	return n, nil
}

// maxYAMLNodes is the maximum number of values for yamlencode.
const maxYAMLNodes = 100_000

// decodeYAML decodes a YAML text.
func decodeYAML(r *eval.Run, s string) (any, error) {
	if err := r.Spend(8 * len(s)); err != nil {
		return nil, err
	}
	v, err := decode.YAML(s, r.Decoded())
	if err != nil {
		return nil, decodeError("YAML", err)
	}
	return v, nil
}
