package plan

import (
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Permission is a compiled permission of the spec.
type Permission struct {
	Access  grant.Access
	Node    *spec.Node
	Value   *expr.Value
	Implied bool
}

// Chosen reports whether the pattern depends on a resource's inputs.
func (g Permission) Chosen() bool {
	for _, ref := range g.Value.Refs() {
		if ref.Path[0] == "inputs" {
			return true
		}
	}
	return false
}

func AccessName(a grant.Access) string {
	return [...]string{"", "read", "write", "hosts", "run", "env", "packages", "agent"}[a]
}

// Allows reports whether a grant of one access gives another: writing implies
// reading.
func Allows(granted, need grant.Access) bool {
	return granted == need || granted == grant.Write && need == grant.Read
}

// NamedPrograms are the programs that steps name, each once, for those who review
// a spec. Resources are compiled side by side.
type NamedPrograms struct {
	mu     sync.Mutex
	grants []Permission
}

func (n *NamedPrograms) Add(g Permission) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.ContainsFunc(n.grants, func(o Permission) bool { return o.Access == g.Access && o.Node.Text == g.Node.Text }) {
		n.grants = append(n.grants, g)
	}
}

// Sorted are the programs that were named, in the order of their names.
func (n *NamedPrograms) Sorted() []Permission {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.SortedFunc(slices.Values(n.grants), func(a, b Permission) int { return strings.Compare(a.Node.Text, b.Node.Text) })
}
