// Package components runs components through the real Pulumi CLI: the example
// of one, from its preview to its end, what becomes of failures, and what
// passes from child to child.
package components

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// node is a resource of the state, as far as it hangs together with others:
// all by their names.
type node struct {
	Parent       string
	Dependencies string
	// Properties are what each property depends on.
	Properties map[string]string
	// Provider is the name of its provider resource.
	Provider string
}

// graph is the state of a stack by name, without the stack itself and the
// providers.
func graph(t *testing.T, s *pulumitest.Stack) map[string]node {
	t.Helper()
	state, err := s.Export()
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]node{}
	for _, r := range state.Resources {
		if strings.HasPrefix(string(r.Type), "pulumi:") {
			continue
		}
		nodes[r.URN.Name()] = nodeOf(r)
	}
	return nodes
}

func nodeOf(r apitype.ResourceV3) node {
	n := node{Parent: nameOf(r.Parent), Dependencies: namesOf(r.Dependencies)}
	for property, on := range r.PropertyDependencies {
		if len(on) > 0 {
			if n.Properties == nil {
				n.Properties = map[string]string{}
			}
			n.Properties[string(property)] = namesOf(on)
		}
	}
	if i := strings.LastIndex(r.Provider, "::"); i >= 0 {
		n.Provider = urn.URN(r.Provider[:i]).Name()
	}
	return n
}

// nameOf is the name in a URN; "" of none, and of the stack's.
func nameOf(u urn.URN) string {
	if u == "" || strings.HasPrefix(string(u.Type()), "pulumi:pulumi:Stack") {
		return ""
	}
	return u.Name()
}

func namesOf(list []urn.URN) string {
	names := map[string]bool{}
	for _, u := range list {
		names[nameOf(u)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), " ")
}
