// Package plan is what a spec is compiled to: resources, operations, steps, arguments and
// components as data that is made once and shared by all calls. It refers to the spec for what
// needs no compiling, and knows neither what compiles it nor what runs it.
package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/diag"
)

// Program is a compiled spec: data that all calls share. What is compiled at its first
// use is behind functions that are safe for concurrent use.
type Program struct {
	Provider    *spec.Provider // without resources, where it comes from a container
	ConfigType  *value.Type
	Permissions []Permission
	// Defaults are the blocks of the families, by family and argument: what steps inherit.
	Defaults map[string]map[string]Argument
	// Session makes the session; nil where the spec has none.
	Session    *Operation
	Names      []string // of the resources, in the order of the document
	resources  map[string]LazyResource
	functions  map[string]func() (*Function, error)
	components map[string]func() (*Component, error)
	// Programs are the programs that the spec's own steps name, and Confined says how they
	// are bound: both of what is compiled so far.
	Programs *NamedPrograms
	Confined *Confinements
	// Unchecked are the accesses to members of untyped answers, as notes: only Compile
	// knows them.
	Unchecked diag.List
}

// LazyResource is a resource that is read and compiled when it is first used.
type LazyResource struct {
	Model    func() (*spec.Resource, error)
	Compiled func() (*Resource, error)
}

// NewProgram returns a program without resources, functions and components: add them.
func NewProgram(provider *spec.Provider) *Program {
	return &Program{
		Provider: provider, Programs: &NamedPrograms{}, Confined: &Confinements{},
		resources: map[string]LazyResource{}, functions: map[string]func() (*Function, error){}, components: map[string]func() (*Component, error){},
	}
}

// Add adds a resource, in the order of the document.
func (p *Program) Add(name string, r LazyResource) {
	p.Names = append(p.Names, name)
	p.resources[name] = r
}

// AddFunction adds a function, or what opens an ephemeral.
func (p *Program) AddFunction(name string, compiled func() (*Function, error)) {
	p.functions[name] = compiled
}

// AddComponent adds a component.
func (p *Program) AddComponent(name string, compiled func() (*Component, error)) {
	p.components[name] = compiled
}

// Model is the resource of that name as the spec has it, compiled or not.
func (p *Program) Model(name string) (*spec.Resource, error) {
	return p.resources[name].Model()
}

// Resource is the compiled resource of that name.
func (p *Program) Resource(name string) (*Resource, error) {
	lazy, ok := p.resources[name]
	if !ok {
		return nil, fmt.Errorf("provider %s has no resource %q. %s", p.Provider.Name, name, diag.Remedy(name, p.Names))
	}
	return lazy.Compiled()
}

// Function is the compiled function of that name, or what opens an ephemeral.
func (p *Program) Function(name string) (*Function, error) {
	compiled := p.functions[name]
	if compiled == nil {
		return nil, fmt.Errorf("provider %s has no function %q. %s", p.Provider.Name, name, diag.Remedy(name, p.Functions()))
	}
	return compiled()
}

// Component is the compiled component of that name.
func (p *Program) Component(name string) (*Component, error) {
	compiled := p.components[name]
	if compiled == nil {
		return nil, fmt.Errorf("provider %s has no component %q. %s", p.Provider.Name, name, diag.Remedy(name, p.Components()))
	}
	return compiled()
}

// All compiles what is not compiled yet, and returns the first error.
func (p *Program) All() error {
	for _, name := range p.Names {
		if _, err := p.Resource(name); err != nil {
			return err
		}
	}
	for _, compiled := range p.functions {
		if _, err := compiled(); err != nil {
			return err
		}
	}
	return nil
}

// Metadata describes the provider.
func (p *Program) Metadata() spec.Metadata { return p.Provider.Metadata }

// MaxValues is how many values a request, a response or an output may have where no
// step says something else.
func (p *Program) MaxValues() int { return cmp.Or(p.Provider.MaxValues, decode.DefaultValues) }

// Config is the object type of the provider's configuration, with the named
// types that it refers to.
func (p *Program) Config() (*spec.Type, spec.Types) {
	return p.Provider.Config, p.Provider.Types
}

// Declared reports whether the spec has a permissions block.
func (p *Program) Declared() bool { return p.Provider.Permissions != nil }

// Capabilities returns those that root's commands keep, or nil for the default.
func (p *Program) Capabilities() []string {
	if !p.Declared() {
		return nil
	}
	return p.Provider.Permissions.Capabilities
}

// ResourceNames are the resource types of the spec, in its order.
func (p *Program) ResourceNames() []string { return p.Names }

// HasResource reports whether the spec has a resource of that name.
func (p *Program) HasResource(name string) bool {
	_, ok := p.resources[name]
	return ok
}

// CanList reports whether the resource declares how it is listed.
func (p *Program) CanList(name string) bool {
	r, err := p.Resource(name)
	return err == nil && r.List != nil
}

// Functions are the names of the spec's functions, in its order, and of those that
// open its ephemerals.
func (p *Program) Functions() []string {
	var names []string
	for _, f := range p.Provider.Functions {
		names = append(names, f.Name)
	}
	for _, f := range p.Provider.Ephemerals {
		names = append(names, f.Opener().Name)
	}
	return names
}

// Methods are the names of a resource's methods, in the spec's order.
func (p *Program) Methods(resource string) ([]string, error) {
	res, err := p.Resource(resource)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(res.Spec.Methods))
	for i, m := range res.Spec.Methods {
		names[i] = m.Name
	}
	return names, nil
}

// Components are the names of the spec's components, in its order.
func (p *Program) Components() []string {
	names := make([]string, len(p.Provider.Components))
	for i, c := range p.Provider.Components {
		names[i] = c.Name
	}
	return names
}

// Hosts rename a resource's type by the schema's aliases where they run a
// program. What they do without one (a refresh, the deletion of what a program
// no longer has) still names the type that is recorded.

// Named is the resource that is called so, or was: by an alias.
func (p *Program) Named(name string) (string, bool) {
	if p.HasResource(name) {
		return name, true
	}
	for _, n := range p.Names {
		r, err := p.Model(n)
		if err != nil {
			continue
		}
		for _, a := range r.Aliases {
			if name != "" && FormerName(a.Text, p.Provider.Name) == name {
				return n, true
			}
		}
	}
	return "", false
}

// FormerName is the name within the package that an alias stands for: itself,
// or the last part of a token of this package; "" for another package's.
func FormerName(alias, pkg string) string {
	parts := strings.Split(alias, ":")
	switch {
	case len(parts) == 1:
		return alias
	case len(parts) == 3 && parts[0] == pkg:
		return parts[2]
	default:
		return ""
	}
}
