package actions

import (
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
)

// Split takes the parts of an argument that have a mode of their own (Inner) out
// of it: those that are late or paths. The rest is the argument's value; the
// parts are by their names in Call.Late and Call.Parts ("auth.login.token").
func (a *Arg) Split(n *spec.Node) (rest *spec.Node, parts map[string]*spec.Node) {
	if len(a.Inner) == 0 {
		return n, nil // as of most
	}
	rest, parts = n, map[string]*spec.Node{}
	for _, path := range slices.Sorted(maps.Keys(a.Inner)) {
		if mode := a.Inner[path]; mode == Late || mode == Path {
			var part *spec.Node
			if rest, part = without(rest, strings.Split(path, ".")); part != nil {
				parts[a.Name+"."+path] = part
			}
		}
	}
	return rest, parts
}

// InnerMode is the mode of a part that Split took out.
func (a *Arg) InnerMode(name string) Mode { return a.Inner[strings.TrimPrefix(name, a.Name+".")] }

// without is a node without the one at a path below it, and that one.
func without(n *spec.Node, path []string) (rest, part *spec.Node) {
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
	rest, part = without(inner, path[1:])
	out.Fields[i].Value = rest
	return &out, part
}
