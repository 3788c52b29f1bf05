// Package compile makes a plan of a spec, and finds what is wrong with it: templates are typed,
// arguments held against what actions declare, secrets followed to where they must not go, and
// operations judged by how certain their effects are.
package compile

import (
	"fmt"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// compileSpec checks a whole spec, and compiles it. The program is usable only where the list
// has no errors.
func Compile(p *spec.Provider, families []*actions.Family) (*plan.Program, diag.List) {
	prog, c := begin(p, families)
	for _, m := range p.Functions {
		f := c.function(m)
		prog.AddFunction(m.Name, func() (*plan.Function, error) { return f, nil })
	}
	for _, m := range p.Ephemerals {
		if m.Open == nil {
			continue // the loader has said so
		}
		f := c.opener(m)
		prog.AddFunction(m.Opener().Name, func() (*plan.Function, error) { return f, nil })
	}
	for _, r := range p.Resources {
		compiled := c.resource(r)
		prog.Add(r.Name, plan.LazyResource{
			Model:    func() (*spec.Resource, error) { return r, nil },
			Compiled: func() (*plan.Resource, error) { return compiled, nil },
		})
		c.compiled[r.Name] = compiled
	}
	c.aliases()
	for _, m := range p.Components {
		compiled := c.component(m)
		prog.AddComponent(m.Name, func() (*plan.Component, error) { return compiled, nil })
	}
	c.endless()
	c.unserved()
	prog.Unchecked = c.unchecked.Sorted()
	return prog, c.diags.Sorted()
}

// openContainer makes a program of a container. What is in one has passed compileSpec before, so each
// resource is decoded and compiled only when it is first used.
func Open(ct *container.Container, families []*actions.Family) (*plan.Program, error) {
	p, err := ct.Provider()
	if err != nil {
		return nil, err
	}
	prog, c := begin(p, families)
	for _, m := range p.Functions {
		prog.AddFunction(m.Name, later(c, func(c *compiler) *plan.Function { return c.function(m) }))
	}
	for _, m := range p.Ephemerals {
		prog.AddFunction(m.Opener().Name, later(c, func(c *compiler) *plan.Function { return c.opener(m) }))
	}
	c.model = func(name string) *spec.Resource {
		r, _ := ct.Resource(name) // nil is reported where it is wanted
		return r
	}
	for _, m := range p.Components {
		prog.AddComponent(m.Name, later(c, func(c *compiler) *plan.Component { return c.component(m) }))
	}
	if err := c.misfit(); err != nil {
		return nil, err
	}
	for _, name := range ct.ResourceNames() {
		model := func() (*spec.Resource, error) { return ct.Resource(name) }
		prog.Add(name, plan.LazyResource{Model: model, Compiled: sync.OnceValues(func() (*plan.Resource, error) {
			m, err := model()
			if err != nil {
				return nil, fmt.Errorf("resource %s of %s: %w", name, p.Name, err)
			}
			fork := c.fork()
			r := fork.resource(m)
			return r, fork.misfit()
		})})
	}
	return prog, nil
}

// later compiles something when it is first asked for.
func later[T any](c *compiler, compile func(c *compiler) T) func() (T, error) {
	return sync.OnceValues(func() (T, error) {
		fork := c.fork()
		out := compile(fork)
		return out, fork.misfit()
	})
}

// misfit is the error of a spec that passed vet once, and no longer compiles:
// another version of declprov made the container.
func (c *compiler) misfit() error {
	if !c.diags.HasErrors() {
		return nil
	}
	d := c.diags[0]
	return fmt.Errorf("the compiled spec of %s does not fit this version of declprov: %s: %s", c.spec.Name, d.Context, d.Summary)
}

// begin compiles what belongs to no resource.
func begin(p *spec.Provider, families []*actions.Family) (*plan.Program, *compiler) {
	prog := plan.NewProgram(p)
	c := &compiler{spec: p, families: families, named: prog.Programs, confined: prog.Confined, model: p.Resource, compiled: map[string]*plan.Resource{}}
	c.types = value.NewBuilder(p.Types, c.equalRule)
	prog.ConfigType = c.types.Of(p.Config)
	c.provider()
	prog.Permissions, prog.Defaults, prog.Session = c.grants, c.defaults, c.configure
	return prog, c
}

// aliases reports former names that somebody else has: which of the two a
// recorded state belongs to, nobody could tell.
func (c *compiler) aliases() {
	taken := map[string]string{}
	for _, r := range c.spec.Resources {
		taken[r.Name] = r.Name
	}
	for _, r := range c.spec.Resources {
		c.in(fmt.Sprintf("resource %q", r.Name), "resources."+r.Name, func() { c.aliasesOf(r, taken) })
	}
}

func (c *compiler) aliasesOf(r *spec.Resource, taken map[string]string) {
	for i, a := range r.Aliases {
		name := plan.FormerName(a.Text, c.spec.Name)
		if name == "" {
			continue
		}
		if other, ok := taken[name]; ok {
			c.fail(codeAliasTaken, a.Range, fmt.Sprintf("aliases[%d]", i), fmt.Sprintf("alias %q is the name of %s already", a.Text, other),
				"A recorded state of that name could be of either. Take the alias out, or rename the other.")
			continue
		}
		taken[name] = r.Name
	}
}
