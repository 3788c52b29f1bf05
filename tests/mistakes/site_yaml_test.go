package mistakes

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlSites are those of a YAML document, whose types are CUE text.
func yamlSites(src string) ([]site, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		return nil, err
	}
	w := &yamlWalk{src: src}
	w.starts = append(w.starts, 0)
	for i, r := range src {
		if r == '\n' {
			w.starts = append(w.starts, i+1)
		}
	}
	err := w.value(doc.Content[0], nil)
	return w.sites, err
}

type yamlWalk struct {
	src    string
	starts []int // of lines
	sites  []site
}

// at is the offset of a node; the examples are ASCII, so that columns are bytes.
func (w *yamlWalk) at(n *yaml.Node) int { return w.starts[n.Line-1] + n.Column - 1 }

func (w *yamlWalk) value(n *yaml.Node, path []string) error {
	from := w.at(n)
	switch n.Kind {
	case yaml.MappingNode:
		if len(path) > 0 {
			w.composite(n, path)
		}
		for i := 0; i < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			own := append(path[:len(path):len(path)], strings.TrimRight(key.Value, "?!"))
			w.sites = append(w.sites, site{Part: aKey, From: w.at(key), To: w.at(key) + len(key.Value), Path: own})
			if err := w.value(value, own); err != nil {
				return err
			}
		}
	case yaml.SequenceNode:
		w.composite(n, path)
		for _, item := range n.Content {
			if err := w.value(item, path); err != nil {
				return err
			}
		}
	case yaml.ScalarNode:
		return w.scalar(n, from, path)
	}
	return nil
}

// composite is a flow collection, or a block: up to the line that is indented no
// deeper than the key above it.
func (w *yamlWalk) composite(n *yaml.Node, path []string) {
	from := w.at(n)
	s := site{Part: composite, From: from, Path: path}
	if n.Style&yaml.FlowStyle != 0 {
		s.To = from + closing(w.src[from:])
		w.sites = append(w.sites, s)
		return
	}
	end := n.Line
	for end < len(w.starts) {
		line := w.src[w.starts[end]:]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if line != "" && line[0] != '\n' && indent < n.Column-1 {
			break
		}
		end++
	}
	s.From = w.starts[n.Line-2] + strings.LastIndex(strings.TrimRight(w.src[w.starts[n.Line-2]:w.starts[n.Line-1]], "\n"), ":") + 1
	for !strings.Contains(w.src[w.starts[lineOf(w.src, s.From)-1]:s.From], path[len(path)-1]+":") && s.From > 0 {
		s.From = strings.LastIndex(w.src[:s.From-1], ":") + 1 // over the comments between key and block
	}
	s.To = len(w.src)
	if end < len(w.starts) {
		s.To = w.starts[end] - 1
	}
	w.sites = append(w.sites, s)
}

// closing is the length of a flow collection that begins a text.
func closing(src string) int {
	depth, quote := 0, byte(0)
	for i := range len(src) {
		switch c := src[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(src)
}

func (w *yamlWalk) scalar(n *yaml.Node, from int, path []string) error {
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	inner, to := from, from+len(n.Value)
	if quoted {
		inner, to = from+1, to+2
	}
	if strings.ContainsAny(w.src[from:to], "\\\n") || w.src[inner:inner+len(n.Value)] != n.Value {
		return fmt.Errorf("line %d: the mutation test reads no escapes: %q", n.Line, w.src[from:to])
	}
	if inTypes(path) {
		sites, err := cueSites("x: "+n.Value, inner-len("x: "), path)
		for _, s := range sites {
			if s.From < inner {
				continue // the key that stands in for the property's own
			}
			s.Path, s.Escaped = path, n.Style&yaml.DoubleQuotedStyle != 0
			w.sites = append(w.sites, s)
		}
		return err
	}
	s := site{Part: text, From: from, To: to, Path: path}
	if n.Tag != "!!str" && !quoted {
		s.Part = scalar
	}
	w.sites = append(w.sites, s)
	w.sites = append(w.sites, templateSites(w.src[from:to], from, path)...)
	return nil
}

// inTypes reports whether a path leads to a property's type.
func inTypes(path []string) bool {
	return len(path) > 1 && slices.ContainsFunc(path[:len(path)-1], func(key string) bool {
		return key == "config" || key == "inputs" || key == "outputs" || key == "types"
	})
}
