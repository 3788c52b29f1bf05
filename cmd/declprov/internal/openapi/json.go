package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// errNotJSON is the error for a text that is not JSON. It may be YAML.
var errNotJSON = errors.New("the text is not JSON")

// parse returns the syntax tree of a document. What is JSON is read as such: JSON is YAML only in theory. Parsers of YAML refuse
// surrogates (\ud83d\ude00), long keys and other things that programs write.
func parse(text []byte) (*yaml.Node, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) > 0 && start[0] == '{' {
		if root, err := parseJSON(text); !errors.Is(err, errNotJSON) {
			return root, err
		}
	}
	var top yaml.Node
	if err := yaml.Unmarshal(text, &top); err != nil {
		return nil, err
	}
	if len(top.Content) != 1 {
		return nil, errors.New("it is empty")
	}
	return top.Content[0], nil
}

// jsonReader reads JSON as a syntax tree with the numbers of its lines.
type jsonReader struct {
	*json.Decoder
	text []byte
	// line is the number of the line at an offset.
	line, offset int
}

// parseJSON returns the syntax tree of a text in JSON.
func parseJSON(text []byte) (*yaml.Node, error) {
	r := &jsonReader{Decoder: json.NewDecoder(bytes.NewReader(text)), text: text, line: 1}
	r.UseNumber()
	root, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	return root, nil
}

// maxNesting limits how deep values contain each other.
const maxNesting = 1000

// value reads the next value.
func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	token, err := r.Token()
	switch {
	case err != nil:
		return nil, errNotJSON
	case depth > maxNesting:
		return nil, errors.New("its values contain each other too deeply")
	}
	end := int(r.InputOffset())
	r.line += bytes.Count(r.text[r.offset:end], []byte("\n"))
	r.offset = end
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line}
	switch token := token.(type) {
	case json.Delim:
		return r.content(n, token, depth)
	case string:
		n.Tag, n.Value, n.Style = "!!str", token, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = "!!float", token.String()
		if _, err := token.Int64(); err == nil {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", "false"
		if token {
			n.Value = "true"
		}
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	return n, nil
}

// content reads what an object or an array contains, to its end.
func (r *jsonReader) content(n *yaml.Node, opening json.Delim, depth int) (*yaml.Node, error) {
	n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
	if opening == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for r.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, v)
	}
	if _, err := r.Token(); err != nil {
		return nil, errNotJSON
	}
	return n, nil
}
