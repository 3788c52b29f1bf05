package source

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source/scalar"
)

// text returns a YAML scalar with the position of each character. If its decoded text does not match
// the source, the scalar only has a range.
func (r *yamlReader) text(n *yaml.Node) *spec.Node {
	at := r.skipProperties(r.offset(n))
	node := &spec.Node{Kind: spec.StringNode, Text: n.Value}
	marks, end, ok := scalar.YAML(r.src.scalars(), at, n.Style, n.Value)
	if !ok {
		return r.wholeText(node, n, at)
	}
	node.Marks, node.Range = marks, r.src.span(at, max(end, at+1))
	return node
}

// wholeText returns a scalar whose range is the rest of its first line, for a scalar
// whose characters could not be located.
func (r *yamlReader) wholeText(node *spec.Node, n *yaml.Node, at int) *spec.Node {
	end := bytes.IndexByte(r.src.content[min(at, len(r.src.content)):], '\n')
	if end < 0 {
		end = len(r.src.content) - at
	}
	node.Range = r.src.span(at, at+max(end, 1))
	return node
}

// skipProperties skips an anchor and a tag before a scalar.
func (r *yamlReader) skipProperties(at int) int {
	for at < len(r.src.content) && (r.src.content[at] == '&' || r.src.content[at] == '!') {
		n := bytes.IndexAny(r.src.content[at:], " \t\r\n")
		if n < 0 {
			return at
		}
		at += n
		for at < len(r.src.content) && strings.IndexByte(" \t\r\n", r.src.content[at]) >= 0 {
			at++
		}
	}
	return at
}
