package plan

import (
	"cmp"
	"strings"

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

// compareNames orders permissions by their names.
func compareNames(a, b Permission) int {
	return cmp.Or(strings.Compare(a.Node.Text, b.Node.Text), cmp.Compare(a.Access, b.Access))
}

// AccessName returns the name of an access in the spec.
func AccessName(a grant.Access) string {
	return [...]string{"", "read", "write", "hosts", "run", "env", "packages", "agent"}[a]
}

// Allows reports whether a permission for one access includes another. Write includes
// read.
func Allows(granted, need grant.Access) bool {
	return granted == need || granted == grant.Write && need == grant.Read
}
