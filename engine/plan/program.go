// Package plan defines the compiled form of a spec: immutable resources, operations,
// steps, arguments and components that all calls share. It refers to the spec for
// what needs no compiling. It depends neither on the compiler nor on the runtime.
package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
)

// Program is a compiled spec. Parts that are compiled on first use are behind
// functions that are safe for concurrent use.
type Program struct {
	Provider    *spec.Provider // without resources, if it comes from a container
	ConfigType  *value.Type
	Permissions []Permission
	// Defaults are the arguments of the families' blocks of defaults, by family and
	// argument.
	Defaults map[string]map[string]Argument
	// Session creates the session. It is nil if the spec has none.
	Session    *Operation
	Names      []string // of the resources, in the order of the document
	resources  map[string]LazyResource
	functions  map[string]func() (*Function, error)
	components map[string]func() (*Component, error)
	// Programs are the programs that the steps of the spec name, and Confined says how
	// they are confined. Trusts is what the steps trust besides. They only cover what has been
	// compiled so far.
	Programs *Collected[Permission] // sorted by name
	Confined *Collected[Confinement]
	Trusts   *Collected[string]
	// Unchecked contains a note for each access to a member of an untyped response. Only
	// Compile fills it.
	Unchecked diag.List
}

// LazyResource is a resource that is read and compiled on first use.
type LazyResource struct {
	Model    func() (*spec.Resource, error)
	Compiled func() (*Resource, error)
}

// NewProgram returns a program without resources, functions and components.
func NewProgram(provider *spec.Provider) *Program {
	return &Program{
		Provider: provider, Programs: &Collected[Permission]{compare: compareNames},
		Confined: &Collected[Confinement]{compare: cmp.Compare[Confinement]}, Trusts: &Collected[string]{compare: strings.Compare},
		resources: map[string]LazyResource{}, functions: map[string]func() (*Function, error){}, components: map[string]func() (*Component, error){},
	}
}

// Add adds a resource. Callers add resources in the order of the document.
func (p *Program) Add(name string, r LazyResource) {
	p.Names = append(p.Names, name)
	p.resources[name] = r
}

// AddFunction adds a function, or the opening of an ephemeral.
func (p *Program) AddFunction(name string, compiled func() (*Function, error)) {
	p.functions[name] = compiled
}

// AddComponent adds a component.
func (p *Program) AddComponent(name string, compiled func() (*Component, error)) {
	p.components[name] = compiled
}

// Model returns a resource of the spec, compiled or not.
func (p *Program) Model(name string) (*spec.Resource, error) {
	return p.resources[name].Model()
}

// Resource returns a compiled resource.
func (p *Program) Resource(name string) (*Resource, error) {
	lazy, ok := p.resources[name]
	if !ok {
		return nil, fmt.Errorf("provider %s has no resource %q. %s", p.Provider.Name, name, diag.Remedy(name, p.Names))
	}
	return lazy.Compiled()
}

// Function returns a compiled function, or the opening of an ephemeral.
func (p *Program) Function(name string) (*Function, error) {
	return lookup(p, p.functions, "function", name, p.Functions)
}

// Component returns a compiled component.
func (p *Program) Component(name string) (*Component, error) {
	return lookup(p, p.components, "component", name, p.Components)
}

// lookup returns the function or component of a name, compiled. kind is what it is, and known
// returns the names of all.
func lookup[T any](p *Program, all map[string]func() (T, error), kind, name string, known func() []string) (T, error) {
	compiled := all[name]
	if compiled == nil {
		var none T
		return none, fmt.Errorf("provider %s has no %s %q. %s", p.Provider.Name, kind, name, diag.Remedy(name, known()))
	}
	return compiled()
}

// All compiles everything that is not compiled yet, and returns the first error.
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

// Place returns the provider and a position in its spec, as messages show them. An absolute
// path loses its folders: they are the author's, and mean nothing to who uses the provider.
func (p *Program) Place(at diag.Range) string {
	absolute := strings.HasPrefix(at.File, "/") || strings.HasPrefix(at.File, `\`) || strings.Contains(at.File, ":")
	if i := strings.LastIndexAny(at.File, `/\`); i >= 0 && (absolute || strings.Contains(at.File, "..")) {
		at.File = at.File[i+1:]
	}
	return fmt.Sprintf("%s %s, %s", p.Provider.Name, p.Provider.Version, at)
}

// Metadata returns the description of the provider.
func (p *Program) Metadata() spec.Metadata { return p.Provider.Metadata }

// MaxValues returns the default limit on the number of values in a request, a
// response or an output.
func (p *Program) MaxValues() int { return cmp.Or(p.Provider.MaxValues, decode.DefaultValues) }

// Config returns the object type of the provider's configuration, and the named types
// to which it refers.
func (p *Program) Config() (*spec.Type, spec.Types) {
	return p.Provider.Config, p.Provider.Types
}

// DeclaresPermissions reports whether the spec has a permissions block.
func (p *Program) DeclaresPermissions() bool { return p.Provider.Permissions != nil }

// Capabilities returns the Linux capabilities that commands run by root keep, or nil
// for the default.
func (p *Program) Capabilities() []string {
	if !p.DeclaresPermissions() {
		return nil
	}
	return p.Provider.Permissions.Capabilities
}

// ResourceNames returns the names of the resources, in the order of the document.
func (p *Program) ResourceNames() []string { return p.Names }

// HasResource reports whether the spec has a resource with that name.
func (p *Program) HasResource(name string) bool {
	_, ok := p.resources[name]
	return ok
}

// CanList reports whether a resource has a `list` block.
func (p *Program) CanList(name string) bool {
	r, err := p.Resource(name)
	return err == nil && r.List != nil
}

// Functions returns the names of the functions, in the order of the document, and of
// those that open ephemerals.
func (p *Program) Functions() []string {
	names := lists.Map(p.Provider.Functions, func(f *spec.Function) string { return f.Name })
	for _, f := range p.Provider.Ephemerals {
		names = append(names, f.Opener().Name)
	}
	return names
}

// Methods returns the names of a resource's methods, in the order of the document.
func (p *Program) Methods(resource string) ([]string, error) {
	res, err := p.Resource(resource)
	if err != nil {
		return nil, err
	}
	names := lists.Map(res.Spec.Methods, func(m *spec.Function) string { return m.Name })
	return names, nil
}

// Components returns the names of the components, in the order of the document.
func (p *Program) Components() []string {
	return lists.Map(p.Provider.Components, func(c *spec.Component) string { return c.Name })
}

// CurrentName returns the name of the resource that has, or had, a name. Former names
// are its aliases. When Pulumi runs a program, it replaces former types by the
// schema's aliases. Operations without a program, such as a refresh or the deletion
// of a resource that is no longer in the program, use the recorded type.
func (p *Program) CurrentName(name string) (string, bool) {
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

// FormerName returns the name within this package that an alias means: the alias
// itself, or the last part of a token of this package. It returns "" for a token of
// another package.
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
