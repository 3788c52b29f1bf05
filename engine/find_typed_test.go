package engine_test

import (
	"slices"
	"testing"

	"github.com/declprov/declprov/spec/diag"
)

// TestFindUntyped: vet warns where what find gives has no type, as a whole or in a
// member that has names of its own, and the create for which it stands returns one.
func TestFindUntyped(t *testing.T) {
	for name, tc := range map[string]struct {
		create, find string
		warns        bool
	}{
		"neither is typed":         {`create: world: make: what: "make"`, `world: typed: what: "find"`, false},
		"both are":                 {`create: world: make: {what: "make", returns: #Pet}`, `world: typed: {what: "find", returns: #Pet}`, false},
		"only the create is":       {`create: world: make: {what: "make", returns: #Pet}`, `world: ask: what: "find"`, true},
		"a return of what is none": {`create: world: make: {what: "make", returns: #Pet}`, `{world: ask: what: "find", return: "${result.body.first}"}`, true},
		"a member is not":          {`create: world: make: {what: "make", returns: #Pet}`, `{world: ask: what: "find", return: {petId: "${string(result.body.id)}", owner: "${result.body.owner}"}}`, true},
		"members of members":       {`create: world: make: {what: "make", returns: #Pet}`, `{world: ask: what: "find", return: {petId: "${string(result.body.id)}", owner: {fullName: "a"}, more: ["${result.body.first}"]}}`, true},
		"members that are scalars": {`create: world: make: {what: "make", returns: #Pet}`, `{world: ask: what: "find", return: {petId: "${result.body.id}", owner: fullName: "${result.body.name}"}}`, false},
		"a type that holds itself": {`create: world: make: {what: "make", returns: #Tree}`, `world: typed: {what: "find", returns: #Tree}`, false},
		"of which a part is none":  {`create: world: make: {what: "make", returns: #Tree}`, `{world: ask: what: "find", return: {petId: "a", below: {petId: "b", below: "${result.body.below}"}}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := newWorld().compile(t, `
package test
name: "test", version: "1.0.0"
#Owner: {fullName: string @wire(full_name)}
#Pet: {petId: string @wire(id), owner: #Owner, more?: [...#Owner]}
#Tree: {petId: string @wire(id), below?: #Tree}
resources: Thing: {
	inputs: name: string @replace()
	id: "${string(result.body.petId)}"
	`+tc.create+`
	find: `+tc.find+`
	delete: world: do: what: "remove"
}`)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			found := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == "find-untyped" && d.Subject.Start.Line == 11 })
			if found != tc.warns {
				t.Errorf("expected find-untyped: %t, got %v", tc.warns, diags)
			}
		})
	}
}
