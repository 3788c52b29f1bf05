package engine

import (
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// permission is a compiled permission of the spec.
type permission struct {
	access  grant.Access
	node    *spec.Node
	value   *expr.Value
	implied bool
}

// chosen reports whether the pattern depends on a resource's inputs.
func (g permission) chosen() bool {
	for _, ref := range g.value.Refs() {
		if ref.Path[0] == "inputs" {
			return true
		}
	}
	return false
}

func accessName(a grant.Access) string {
	return [...]string{"", "read", "write", "hosts", "run", "env", "packages", "agent"}[a]
}

// allows reports whether a grant of one access gives another: writing implies
// reading.
func allows(granted, need grant.Access) bool {
	return granted == need || granted == grant.Write && need == grant.Read
}

// namedPrograms are the programs that steps name, each once, for those who review
// a spec. Resources are compiled side by side.
type namedPrograms struct {
	mu     sync.Mutex
	grants []permission
}

func (n *namedPrograms) add(g permission) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.ContainsFunc(n.grants, func(o permission) bool { return o.access == g.access && o.node.Text == g.node.Text }) {
		n.grants = append(n.grants, g)
	}
}

// sorted are the programs that were named, in the order of their names.
func (n *namedPrograms) sorted() []permission {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.SortedFunc(slices.Values(n.grants), func(a, b permission) int { return strings.Compare(a.node.Text, b.node.Text) })
}
