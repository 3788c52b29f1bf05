package actions

import (
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// Split separates the late and path parts of an argument (see Inner) from the rest, which
// is the argument's value. The parts have the names of Call.Late and Call.Parts:
// "auth.login.token".
func (a *Arg) Split(n *spec.Node) (rest *spec.Node, parts map[string]*spec.Node) {
	if len(a.Inner) == 0 {
		return n, nil // most arguments have no such parts
	}
	rest, parts = n, map[string]*spec.Node{}
	for _, path := range slices.Sorted(maps.Keys(a.Inner)) {
		if mode := a.Inner[path]; mode == Late || mode == Path {
			var part *spec.Node
			if rest, part = removeNode(rest, strings.Split(path, ".")); part != nil {
				parts[a.Name+"."+path] = part
			}
		}
	}
	return rest, parts
}

// InnerMode returns the mode of a part that Split separated.
func (a *Arg) InnerMode(name string) Mode { return a.Inner[strings.TrimPrefix(name, a.Name+".")] }

// removeNode returns a copy of a node without the node at a path below it, and the removed
// node.
func removeNode(n *spec.Node, path []string) (rest, part *spec.Node) {
	inner := n.Get(path[0])
	if inner == nil {
		return n, nil
	}
	out := *n
	out.Fields = slices.Clone(n.Fields)
	i := slices.IndexFunc(out.Fields, func(f spec.Field) bool { return f.Name == path[0] })
	if len(path) == 1 {
		out.Fields = slices.Delete(out.Fields, i, i+1)
		return &out, inner
	}
	rest, part = removeNode(inner, path[1:])
	out.Fields[i].Value = rest
	return &out, part
}
