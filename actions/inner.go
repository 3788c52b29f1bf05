package actions

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
)

// Split separates the late and path parts of an argument (see Inner) from the rest, which
// is the argument's value. The parts have the names of Call.Late and Call.Parts:
// "auth.login.token"; those within the item of a list "auth.0.login.token".
func (a *Arg) Split(n *spec.Node) (rest *spec.Node, parts map[string]*spec.Node) {
	if len(a.Inner) == 0 {
		return n, nil // most arguments have no such parts
	}
	parts = map[string]*spec.Node{}
	if n == nil || n.Kind != spec.ListNode {
		return a.splitItem(n, a.Name, parts), parts
	}
	out := *n
	out.Items = make([]*spec.Node, len(n.Items))
	for i, item := range n.Items {
		out.Items[i] = a.splitItem(item, fmt.Sprintf("%s.%d", a.Name, i), parts)
	}
	return &out, parts
}

// splitItem adds the parts of a value, whose names begin with the prefix, to parts, and
// returns the rest of the value.
func (a *Arg) splitItem(n *spec.Node, prefix string, parts map[string]*spec.Node) (rest *spec.Node) {
	rest = n
	for _, path := range slices.Sorted(maps.Keys(a.Inner)) {
		if mode := a.Inner[path]; mode == Late || mode == Path {
			var part *spec.Node
			if rest, part = removeNode(rest, strings.Split(path, ".")); part != nil {
				parts[prefix+"."+path] = part
			}
		}
	}
	return rest
}

// InnerMode returns the mode of a part that Split separated.
func (a *Arg) InnerMode(name string) Mode { return a.Inner[PartPath(name)] }

// PartPath returns the path of a part within its argument, or within the item of the list
// that is its argument: "login.token" for "auth.login.token" and "auth.0.login.token".
func PartPath(name string) string {
	_, path, _ := strings.Cut(name, ".")
	if index, within, ok := strings.Cut(path, "."); ok {
		if _, err := strconv.Atoi(index); err == nil {
			return within
		}
	}
	return path
}

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
