package openapi

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// colonParameter matches a segment that some authors write for a parameter, as routers do: /pets/:id.
var colonParameter = regexp.MustCompile(`(^|/):([A-Za-z_]\w*)`)

// pathsOf returns the paths of a document. Paths that differ only in the names of parameters or in characters that nobody sees are one path
// if they have different operations: the format does not allow them, and generators write them.
func pathsOf(root part) part {
	all := root.get("paths").resolved()
	if all.node == nil || all.node.Kind != yaml.MappingNode {
		return all
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: all.node.Line}
	shapes := map[string]int{}
	all.each(func(path string, item part) {
		path = plainPath(path)
		shape := shapeOf(path)
		if at, ok := shapes[shape]; ok {
			if merged, ok := mergedItems(part{node: out.Content[at+1], file: all.file}, item, out.Content[at].Value, path); ok {
				out.Content[at+1] = merged
				return
			}
		}
		if nodeAt(out, path) != nil {
			return // a second description of the same requests
		}
		shapes[shape] = len(out.Content)
		out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path, Line: item.node.Line}, item.node)
	})
	return part{node: out, file: all.file}
}

// plainPath returns a path with its parameters in braces, and without invisible characters.
func plainPath(path string) string {
	path = strings.Map(func(r rune) rune {
		if r == '\u200b' || r == '\u200e' || r == '\u200f' || r == '\ufeff' {
			return -1
		}
		return r
	}, strings.TrimSpace(path))
	return colonParameter.ReplaceAllString(path, "$1{$2}")
}

// shapeOf returns a path without the names of its parameters.
func shapeOf(path string) string {
	all := strings.Split(path, "/")
	for i, s := range all {
		if parameterIn(s) != "" {
			all[i] = "{}"
		}
	}
	return strings.Join(all, "/")
}

// mergedItems returns the operations of two paths, unless both have one of the same method.
func mergedItems(a, b part, path, other string) (*yaml.Node, bool) {
	x, y := a.resolved(), b.resolved()
	if x.node == nil || y.node == nil || x.node.Kind != yaml.MappingNode || y.node.Kind != yaml.MappingNode || x.file != y.file ||
		slices.ContainsFunc(methods, func(m string) bool { return has(x, m) && has(y, m) }) || path != other && hasAll(x) {
		return nil, false
	}
	out := *x.node
	out.Content = slices.Clone(x.node.Content)
	for i := 0; i+1 < len(y.node.Content); i += 2 {
		if slices.Contains(methods, y.node.Content[i].Value) {
			out.Content = append(out.Content, y.node.Content[i], y.node.Content[i+1])
		}
	}
	return &out, true
}

// hasAll reports whether a path has all operations of an object.
func hasAll(item part) bool {
	return has(item, "get") && has(item, "delete") && has(item, "put", "patch")
}
