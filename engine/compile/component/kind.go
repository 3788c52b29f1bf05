package component

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// childKind is what the `type` of a child names.
type childKind struct {
	// name is the name of a resource or component of the spec, or the token of a type of another
	// package.
	name      string
	foreign   bool // of another package
	component bool
	// inputs are the inputs of the type. seen is the type of the child in the templates of other
	// children and of the component.
	inputs, seen *spec.Type
	// broken is true if the type is not known. The mistake was reported.
	broken bool
}

// provides returns PACKAGE if the type is `pulumi:providers:PACKAGE`: the child is then a
// provider of that package. For other types it returns "".
func (k childKind) provides() string {
	pkg, _ := strings.CutPrefix(k.name, plan.ProviderType)
	if pkg == k.name {
		return ""
	}
	return pkg
}

// packageOf returns the package of the type; own is that of the spec.
func (k childKind) packageOf(own string) string {
	if !k.foreign {
		return own
	}
	pkg, _, _ := strings.Cut(k.name, ":")
	return pkg
}

// token matches a type of another package: PACKAGE:MODULE:NAME.
var token = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9_]*:[A-Za-z0-9._/-]+:[A-Za-z][A-Za-z0-9._/-]*$`)
})

// kindOf returns what the type of a child names.
func (c *component) kindOf(m *spec.Child) childKind {
	broken := childKind{broken: true, inputs: &spec.Type{}}
	n := m.Type
	if n == nil || finding.IsReported(n) {
		return broken
	}
	if n.Kind != spec.StringNode || expr.HasTemplate(n) {
		c.Fail(finding.CodeNoTemplates, n.Range, "type", "the type of a child cannot contain templates",
			"The types of a component's children must be known before it runs. Add a child of each type, with `if`.")
		return broken
	}
	if name := plan.LocalType(c.Names.Spec.Name, n); name != "" {
		return c.localKind(n, name)
	}
	name := n.Text
	if pkg, short, _ := strings.Cut(name, ":"); !strings.Contains(short, ":") {
		name = pkg + ":index:" + short
	}
	if !token().MatchString(name) {
		c.Fail(finding.CodeUnknownResource, n.Range, "type", fmt.Sprintf("invalid type %q", n.Text),
			`Write the name of a resource or component of this spec, or the token of a type of another package: "random:index/randomPet:RandomPet".`)
		return broken
	}
	k := childKind{name: name, foreign: true, inputs: &spec.Type{Kind: spec.Object, Open: true}, seen: &spec.Type{Kind: spec.Object, Open: true}}
	option := m.Options.Get("component")
	k.component = option != nil && option.Text == "true"
	k.seen.Fields = identityFields(k.component)
	return k
}

// localKind returns the kind of a child whose type belongs to the spec.
func (c *component) localKind(n *spec.Node, name string) childKind {
	p := c.Names.Spec
	if m := p.Component(name); m != nil {
		seen := &spec.Type{Kind: spec.Object, Open: m.Outputs.Open, Fields: slices.Concat(identityFields(true), m.Outputs.Fields)}
		return childKind{name: name, component: true, inputs: scopes.CheckedType(m.Inputs), seen: seen}
	}
	if m := c.Model(name); m != nil {
		// The type is open if a property is broken, which was reported.
		seen := &spec.Type{Kind: spec.Object, Open: m.Inputs.Open || m.Outputs.Open, Fields: identityFields(false)}
		for _, p := range scopes.StateType(m.Inputs, m.Outputs).Fields {
			if !p.Ephemeral {
				seen.Fields = append(seen.Fields, p)
			}
		}
		return childKind{name: name, inputs: scopes.CheckedType(m.Inputs), seen: seen}
	}
	known := lists.Map(p.Resources, func(r *spec.Resource) string { return r.Name })
	for _, m := range p.Components {
		known = append(known, m.Name)
	}
	c.Fail(finding.CodeUnknownResource, n.Range, "type", fmt.Sprintf("unknown type %q", n.Text),
		fmt.Sprintf("The spec has no resource or component %q.", name)).Meant(name, known)
	return childKind{broken: true, inputs: &spec.Type{}}
}

// identityFields returns the members that every child has: its URN and, unless it is a component,
// its id.
func identityFields(component bool) []*spec.Property {
	fields := []*spec.Property{{Name: "urn", Type: scopes.StringType, Required: true}}
	if !component {
		fields = append(fields, &spec.Property{Name: "id", Type: scopes.StringType, Required: true})
	}
	return fields
}
