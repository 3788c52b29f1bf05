package engine_test

import (
	"slices"
	"testing"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec/diag"
)

// TestChildrenByIndex: vet warns of a child for each item of a list if the item gives it an input that names its object, by
// which the id is made or find looks, and only then.
func TestChildrenByIndex(t *testing.T) {
	t.Parallel()
	resources := map[string]struct {
		text  string
		named bool // whether `name` names the object
	}{
		"an id of the name": {`id: "${inputs.name}", create: world: post: {what: "make", safe: true, with: "${inputs.name}"}`, true},
		"a find":            {`id: "${result.id}", create: world: post: {what: "make", with: "${inputs}"}, find: world: look: {what: "find", with: "${inputs.name}"}`, true},
		"an id of the API":  {`id: "${result.id}", create: world: post: {what: "make", with: "${inputs}"}`, false},
	}
	loops := map[string]bool{ // whether the children are named by their index
		`"${inputs.people}"`: true, `"${filter(inputs.people, .size > 1)}"`: true,
		`"${fromPairs(map(inputs.people, [#.name, #]))}"`: false, `"${inputs.groups}"`: false, `[{name: "a", size: 1}, {name: "b", size: 2}]`: false,
	}
	inputs := map[string]bool{ // whether an item gives the name
		`{name: "${each.value.name}", size: 1}`: true, `{name: "x-${each.value.name}", size: "${each.value.size}"}`: true, `"${each.value}"`: true,
		`{name: "${each.value.name}-${each.key}", size: "${each.value.size}"}`: false, `{name: "x-${each.key}", size: "${each.value.size}"}`: false, `{name: "${resource.name ?? 'x'}", size: "${each.value.size}"}`: false,
	}
	for resource, of := range resources {
		for loop, indexed := range loops {
			for given, names := range inputs {
				t.Run(resource+", "+loop+", "+given, func(t *testing.T) {
					t.Parallel()
					_, diags := newWorld().compile(t, `#Person: {name: string, size: int}
resources: Thing: {
	inputs: {name: string @replace(), size: int @replace()}
	`+of.text+`
	read: world: look: {what: "read", with: "${id}"}
	delete: world: do: {what: "remove", with: "${id}"}
}
components: Register: {
	inputs: {people: [...#Person], groups: [string]: #Person}
	children: entry: {type: "Thing", forEach: `+loop+`, inputs: `+given+`}
}`)
					warns := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == finding.CodeChildByIndex })
					if want := of.named && indexed && names; warns != want || diags.HasErrors() {
						t.Errorf("it warns: %t, want %t: %+v", warns, want, diags)
					}
				})
			}
		}
	}
}
