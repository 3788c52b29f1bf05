package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/diag"
)

// compiledProgram is a compiled spec: data that all calls share. What is compiled at its first
// use is behind functions that are safe for concurrent use.
type compiledProgram struct {
	provider   *spec.Provider // without resources, where it comes from a container
	configType *value.Type
	grants     []permission
	// defaults are the blocks of the families, by family and argument: what steps inherit.
	defaults map[string]map[string]argument
	// configure makes the session; nil where the spec has none.
	configure  *operation
	names      []string // of the resources, in the order of the document
	resources  map[string]lazyResource
	functions  map[string]func() (*function, error)
	components map[string]func() (*component, error)
	// named are the programs that the spec's own steps name, and confined says how they
	// are bound: both of what is compiled so far.
	named    *namedPrograms
	confined *confinements
	// Unchecked are the accesses to members of untyped answers, as notes: only Compile
	// knows them.
	Unchecked diag.List
}

// lazyResource is a resource that is read and compiled when it is first used.
type lazyResource struct {
	model    func() (*spec.Resource, error)
	compiled func() (*resource, error)
}

// newProgram returns a program without resources, functions and components: add them.
func newProgram(provider *spec.Provider) *compiledProgram {
	return &compiledProgram{
		provider: provider, named: &namedPrograms{}, confined: &confinements{},
		resources: map[string]lazyResource{}, functions: map[string]func() (*function, error){}, components: map[string]func() (*component, error){},
	}
}

// add adds a resource, in the order of the document.
func (p *compiledProgram) add(name string, r lazyResource) {
	p.names = append(p.names, name)
	p.resources[name] = r
}

// addFunction adds a function, or what opens an ephemeral.
func (p *compiledProgram) addFunction(name string, compiled func() (*function, error)) {
	p.functions[name] = compiled
}

// addComponent adds a component.
func (p *compiledProgram) addComponent(name string, compiled func() (*component, error)) {
	p.components[name] = compiled
}

// model is the resource of that name as the spec has it, compiled or not.
func (p *compiledProgram) model(name string) (*spec.Resource, error) {
	return p.resources[name].model()
}

// resource is the compiled resource of that name.
func (p *compiledProgram) resource(name string) (*resource, error) {
	lazy, ok := p.resources[name]
	if !ok {
		return nil, fmt.Errorf("provider %s has no resource %q. %s", p.provider.Name, name, diag.Remedy(name, p.names))
	}
	return lazy.compiled()
}

// function is the compiled function of that name, or what opens an ephemeral.
func (p *compiledProgram) function(name string) (*function, error) {
	compiled := p.functions[name]
	if compiled == nil {
		return nil, fmt.Errorf("provider %s has no function %q. %s", p.provider.Name, name, diag.Remedy(name, p.Functions()))
	}
	return compiled()
}

// component is the compiled component of that name.
func (p *compiledProgram) component(name string) (*component, error) {
	compiled := p.components[name]
	if compiled == nil {
		return nil, fmt.Errorf("provider %s has no component %q. %s", p.provider.Name, name, diag.Remedy(name, p.Components()))
	}
	return compiled()
}

// all compiles what is not compiled yet, and returns the first error.
func (p *compiledProgram) all() error {
	for _, name := range p.names {
		if _, err := p.resource(name); err != nil {
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
func (p *compiledProgram) Metadata() spec.Metadata { return p.provider.Metadata }

// MaxValues is how many values a request, a response or an output may have where no
// step says something else.
func (p *compiledProgram) MaxValues() int { return cmp.Or(p.provider.MaxValues, decode.DefaultValues) }

// Config is the object type of the provider's configuration, with the named
// types that it refers to.
func (p *compiledProgram) Config() (*spec.Type, spec.Types) {
	return p.provider.Config, p.provider.Types
}

// declared reports whether the spec has a permissions block.
func (p *compiledProgram) declared() bool { return p.provider.Permissions != nil }

// capabilities returns those that root's commands keep, or nil for the default.
func (p *compiledProgram) capabilities() []string {
	if !p.declared() {
		return nil
	}
	return p.provider.Permissions.Capabilities
}

// ResourceNames are the resource types of the spec, in its order.
func (p *compiledProgram) ResourceNames() []string { return p.names }

// HasResource reports whether the spec has a resource of that name.
func (p *compiledProgram) HasResource(name string) bool {
	_, ok := p.resources[name]
	return ok
}

// CanList reports whether the resource declares how it is listed.
func (p *compiledProgram) CanList(name string) bool {
	r, err := p.resource(name)
	return err == nil && r.list != nil
}

// Functions are the names of the spec's functions, in its order, and of those that
// open its ephemerals.
func (p *compiledProgram) Functions() []string {
	var names []string
	for _, f := range p.provider.Functions {
		names = append(names, f.Name)
	}
	for _, f := range p.provider.Ephemerals {
		names = append(names, f.Opener().Name)
	}
	return names
}

// Methods are the names of a resource's methods, in the spec's order.
func (p *compiledProgram) Methods(resource string) ([]string, error) {
	res, err := p.resource(resource)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(res.spec.Methods))
	for i, m := range res.spec.Methods {
		names[i] = m.Name
	}
	return names, nil
}

// Components are the names of the spec's components, in its order.
func (p *compiledProgram) Components() []string {
	names := make([]string, len(p.provider.Components))
	for i, c := range p.provider.Components {
		names[i] = c.Name
	}
	return names
}

// Hosts rename a resource's type by the schema's aliases where they run a
// program. What they do without one (a refresh, the deletion of what a program
// no longer has) still names the type that is recorded.

// Named is the resource that is called so, or was: by an alias.
func (p *compiledProgram) Named(name string) (string, bool) {
	if p.HasResource(name) {
		return name, true
	}
	for _, n := range p.names {
		r, err := p.model(n)
		if err != nil {
			continue
		}
		for _, a := range r.Aliases {
			if name != "" && formerName(a.Text, p.provider.Name) == name {
				return n, true
			}
		}
	}
	return "", false
}

// formerName is the name within the package that an alias stands for: itself,
// or the last part of a token of this package; "" for another package's.
func formerName(alias, pkg string) string {
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
