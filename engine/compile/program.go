// Package compile compiles a spec to a plan, and reports what is wrong with the spec. It compiles
// templates and arguments to their declared types, follows secrets to places where others could
// read them, and judges operations by how certain their effects are.
package compile

import (
	"fmt"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/arguments"
	"github.com/declprov/declprov/engine/compile/component"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/grants"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/compile/unlikely"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// Compile compiles a spec. The program is usable only if the findings have no errors.
func Compile(p *spec.Provider, families []*actions.Family) (*plan.Program, diag.List) {
	prog, c := begin(p, families, p.Resource)
	for _, m := range p.Functions {
		f := c.function(m)
		unlikely.CheckFunction(c.Collector, "function", f)
		prog.AddFunction(m.Name, func() (*plan.Function, error) { return f, nil })
	}
	for _, m := range p.Ephemerals {
		if m.Open == nil {
			continue // the loader has reported it
		}
		f := c.opener(m)
		unlikely.CheckFunction(c.Collector, "ephemeral", f)
		prog.AddFunction(m.Opener().Name, func() (*plan.Function, error) { return f, nil })
	}
	resources := map[string]*plan.Resource{}
	for _, r := range p.Resources {
		compiled := c.resource(r)
		unlikely.CheckResource(c.Collector, compiled, p.Configure != nil)
		prog.Add(r.Name, plan.LazyResource{
			Model:    func() (*spec.Resource, error) { return r, nil },
			Compiled: func() (*plan.Resource, error) { return compiled, nil },
		})
		resources[r.Name] = compiled
	}
	c.checkAliases()
	for _, m := range p.Components {
		compiled := c.component(m, resources)
		unlikely.CheckComponent(c.Collector, compiled)
		prog.AddComponent(m.Name, func() (*plan.Component, error) { return compiled, nil })
	}
	component.CheckRecursion(c.Collector, p)
	for _, a := range p.Actions {
		c.Warn(finding.CodeNotServed, a.Range, fmt.Sprintf("action %q", a.Name), "actions are not served by this version",
			"The action is parsed and kept, but no schema shows it; hosts cannot use it yet.")
	}
	prog.Unchecked = c.Unchecked.Sorted()
	return prog, correctDeclarations(c.Diags, p).Sorted()
}

// Open returns the program of a container. A container was compiled before without errors, so each
// of its parts is decoded and compiled only when it is first used.
func Open(ct *container.Container, families func(*spec.Provider) []*actions.Family) (*plan.Program, error) {
	p, err := ct.Provider()
	if err != nil {
		return nil, err
	}
	prog, c := begin(p, families(p), func(name string) *spec.Resource {
		r, _ := ct.Resource(name) // what uses the resource reports that it is nil
		return r
	})
	if err := c.misfit(); err != nil {
		return nil, err
	}
	for _, m := range p.Functions {
		prog.AddFunction(m.Name, later(c, func(c *compiler) *plan.Function { return c.function(m) }))
	}
	for _, m := range p.Ephemerals {
		prog.AddFunction(m.Opener().Name, later(c, func(c *compiler) *plan.Function { return c.opener(m) }))
	}
	for _, m := range p.Components {
		prog.AddComponent(m.Name, later(c, func(c *compiler) *plan.Component { return c.component(m, nil) }))
	}
	for _, name := range ct.ResourceNames() {
		model := func() (*spec.Resource, error) { return ct.Resource(name) }
		prog.Add(name, plan.LazyResource{Model: model, Compiled: sync.OnceValues(func() (*plan.Resource, error) {
			m, err := model()
			if err != nil {
				return nil, fmt.Errorf("resource %s of %s: %w", name, p.Name, err)
			}
			fork := c.fork()
			return fork.resource(m), fork.misfit()
		})})
	}
	return prog, nil
}

// begin compiles what all parts of a spec share.
func begin(p *spec.Provider, families []*actions.Family, model func(string) *spec.Resource) (*plan.Program, *compiler) {
	prog, found := plan.NewProgram(p), &finding.Collector{}
	names := scopes.New(p, families)
	shared := &provider{Names: names, families: arguments.CompileFamilies(found, names), model: model}
	shared.granted = grants.Compile(found, names, shared.families)
	c := newCompiler(shared, &grants.Checker{
		Collector: found, Granted: shared.granted, Names: names, Programs: prog.Programs, Confined: prog.Confined, Trusts: prog.Trusts,
	})
	prog.ConfigType = c.types.Build(p.Config)
	prog.Permissions, prog.Defaults, prog.Session = shared.granted.Permissions, shared.families.Defaults, c.session()
	return prog, c
}

// later returns a function that compiles something when it is first called.
func later[T any](c *compiler, compile func(c *compiler) T) func() (T, error) {
	return sync.OnceValues(func() (T, error) {
		fork := c.fork()
		out := compile(fork)
		return out, fork.misfit()
	})
}

// misfit returns an error if a spec of a container does not compile: another version of declprov
// wrote the container.
func (c *compiler) misfit() error {
	if !c.Diags.HasErrors() {
		return nil
	}
	d := c.Diags[0]
	return fmt.Errorf("the compiled spec of %s does not fit this version of declprov: %s: %s", c.Spec.Name, d.Context, d.Summary)
}

// component compiles a component. resources are those that are compiled already.
func (c *compiler) component(m *spec.Component, resources map[string]*plan.Resource) (out *plan.Component) {
	c.In(fmt.Sprintf("component %q", m.Name), "components."+m.Name, func() {
		components := &component.Compiler{
			Collector: c.Collector, Names: c.Names, Types: c.types, Yields: c.yields, Granted: c.granted, Model: c.model, Compiled: resources,
		}
		out = components.Compile(m)
		out.Defaults = c.derivedInputs(m.Inputs)
	})
	return out
}

// checkAliases reports former names of resources that another resource has or had: a recorded state
// with such a name could belong to either.
func (c *compiler) checkAliases() {
	owners := map[string]string{}
	for _, r := range c.Spec.Resources {
		owners[r.Name] = r.Name
	}
	for _, r := range c.Spec.Resources {
		c.In(fmt.Sprintf("resource %q", r.Name), "resources."+r.Name, func() {
			for i, a := range r.Aliases {
				name := plan.FormerName(a.Text, c.Spec.Name)
				if name == "" {
					continue
				}
				if owner, ok := owners[name]; ok {
					c.Fail(finding.CodeAliasTaken, a.Range, fmt.Sprintf("aliases[%d]", i), fmt.Sprintf("alias %q is already a name of %s", a.Text, owner),
						"A recorded state with that name could belong to either. Remove the alias, or rename the other resource.")
					continue
				}
				owners[name] = r.Name
			}
		})
	}
}
