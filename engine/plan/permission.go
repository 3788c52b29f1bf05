package plan

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Permission is a compiled permission of a spec.
type Permission struct {
	Access  grant.Access
	Node    *spec.Node
	Value   *expr.Value
	Implied bool
}

// DependsOnInputs reports whether the pattern depends on the inputs of a resource.
func (g Permission) DependsOnInputs() bool { return g.Value.RefersTo("inputs") }

// AccessName returns the name of an access in the spec.
func AccessName(a grant.Access) string {
	return [...]string{"", "read", "write", "hosts", "run", "env", "packages", "agent"}[a]
}

// Allows reports whether a permission for one access includes another. Write includes
// read.
func Allows(granted, need grant.Access) bool {
	return granted == need || granted == grant.Write && need == grant.Read
}

// NamedPrograms collects the programs that steps name, without duplicates, for
// reviewers of a spec. It is safe for concurrent use.
type NamedPrograms struct {
	mu     sync.Mutex
	grants []Permission // sorted by name
}

// Add records a program.
func (n *NamedPrograms) Add(g Permission) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i, known := slices.BinarySearchFunc(n.grants, g, func(a, b Permission) int {
		return cmp.Or(strings.Compare(a.Node.Text, b.Node.Text), cmp.Compare(a.Access, b.Access))
	})
	if !known {
		n.grants = slices.Insert(n.grants, i, g)
	}
}

// Sorted returns the programs, sorted by name.
func (n *NamedPrograms) Sorted() []Permission {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.grants)
}
