package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// childKind is what a child is a resource of.
type childKind struct {
	// name is that of a resource or component of the spec, or, where it is
	// foreign, the token of another package's.
	name      string
	foreign   bool
	component bool
	// takes and has are the types of its inputs and of what others see of it.
	takes, has *spec.Type
	// broken says that nothing is known of it, which was reported.
	broken bool
}

// provides is the package that a child of the type `pulumi:providers:PACKAGE`
// is a provider of, or "".
func (k childKind) provides() string {
	pkg, _ := strings.CutPrefix(k.name, plan.ProviderType)
	if pkg == k.name {
		return ""
	}
	return pkg
}

// packageOf is the package that the child's provider is of; own is the spec's.
func (k childKind) packageOf(own string) string {
	if !k.foreign {
		return own
	}
	pkg, _, _ := strings.Cut(k.name, ":")
	return pkg
}

// token is a type of another package: PACKAGE:MODULE:NAME.
var token = regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9_]*:[A-Za-z0-9._/-]+:[A-Za-z][A-Za-z0-9._/-]*$`)

// childKind finds what a child's type names.
func (c *componentCompiler) childKind(m *spec.Child) childKind {
	broken := childKind{broken: true, takes: &spec.Type{}}
	n := m.Type
	if n == nil || refused(n) {
		return broken
	}
	if n.Kind != spec.StringNode || expr.HasTemplate(n) {
		c.fail(codeNoTemplates, n.Range, "type", "the type of a child takes no templates",
			"What a component is made of is known before it runs. Make a child of each type, with `if`.")
		return broken
	}
	if name := plan.LocalType(c.spec.Name, n); name != "" {
		return c.localKind(n, name)
	}
	name := n.Text
	if pkg, short, _ := strings.Cut(name, ":"); !strings.Contains(short, ":") {
		name = pkg + ":index:" + short
	}
	if !token.MatchString(name) {
		c.fail(codeUnknownResource, n.Range, "type", fmt.Sprintf("%q is not a type", n.Text),
			`A resource or component of this spec goes by its name, one of another package by its token: "random:index/randomPet:RandomPet".`)
		return broken
	}
	k := childKind{name: name, foreign: true, takes: &spec.Type{Kind: spec.Object, Open: true}, has: &spec.Type{Kind: spec.Object, Open: true}}
	option := m.Options.Get("component")
	k.component = option != nil && option.Text == "true"
	k.has.Fields = identity(k.component)
	return k
}

// localKind is the kind of a child of the spec's own package.
func (c *componentCompiler) localKind(n *spec.Node, name string) childKind {
	if m := c.spec.Component(name); m != nil {
		has := &spec.Type{Kind: spec.Object, Open: m.Outputs.Open, Fields: slices.Concat(identity(true), m.Outputs.Fields)}
		return childKind{name: name, component: true, takes: checked(m.Inputs), has: has}
	}
	if m := c.model(name); m != nil {
		// Of properties that are broken, which was reported, nothing is known.
		has := &spec.Type{Kind: spec.Object, Open: m.Inputs.Open || m.Outputs.Open, Fields: identity(false)}
		for _, p := range stateType(m).Fields {
			if !p.Ephemeral {
				has.Fields = append(has.Fields, p)
			}
		}
		return childKind{name: name, takes: checked(m.Inputs), has: has}
	}
	var known []string
	for _, r := range c.spec.Resources {
		known = append(known, r.Name)
	}
	for _, m := range c.spec.Components {
		known = append(known, m.Name)
	}
	c.fail(codeUnknownResource, n.Range, "type", fmt.Sprintf("unknown type %q", n.Text),
		strings.TrimSpace(fmt.Sprintf("The spec has no resource or component %q. %s", name, diag.Remedy(name, known))))
	return childKind{broken: true, takes: &spec.Type{}}
}

// identity are the members that every child has: its URN and, unless it is a
// component, its id.
func identity(component bool) []*spec.Property {
	fields := []*spec.Property{{Name: "urn", Type: textType, Required: true}}
	if !component {
		fields = append(fields, &spec.Property{Name: "id", Type: textType, Required: true})
	}
	return fields
}

// seenAs is the type of children.KEY: null where its `if` was false, a list or
// map where it is made for each element.
func seenAs(m *spec.Child, has *spec.Type, kind spec.Kind) *spec.Type {
	if has == nil {
		return nil
	}
	if m.If != nil {
		nullable := *has
		nullable.Nullable = true
		has = &nullable
	}
	if m.ForEach == nil {
		return has
	}
	if kind == spec.Any {
		return nil
	}
	return plan.PerElement(kind, has)
}
