package compile

import (
	"cmp"

	"github.com/declprov/declprov/engine/compile/arguments"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/grants"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/compile/steps"
	"github.com/declprov/declprov/engine/compile/yield"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// provider is what all parts of a spec share. It does not change once it is compiled.
type provider struct {
	*scopes.Names
	families *arguments.Families
	granted  *grants.Granted
	// model returns the resource with that name, or nil.
	model func(name string) *spec.Resource
}

// compiler compiles the resources, functions and components of a spec. It is not safe for concurrent
// use, but its forks may run in parallel.
type compiler struct {
	*finding.Collector
	*provider
	grants *grants.Checker
	types  *value.Builder
	// wire is the rule for names on the wire: the resource's, or else the spec's.
	wire   string
	steps  *steps.Compiler
	yields *yield.Checker
}

// newCompiler returns a compiler that reports to the collector of the checker.
func newCompiler(p *provider, checker *grants.Checker) *compiler {
	c := &compiler{Collector: checker.Collector, provider: p, grants: checker}
	c.types = value.NewBuilder(p.Spec.Types, c.equalRule)
	return c.withWire("")
}

// withWire returns the compiler of a resource with that rule for names on the wire.
func (c *compiler) withWire(rule string) *compiler {
	out := *c
	out.wire = cmp.Or(rule, c.Spec.Wire)
	out.steps = steps.NewCompiler(c.families, c.grants, out.wire)
	out.yields = &yield.Checker{Collector: c.Collector, Types: c.Spec.Types, Wire: value.WireRule(out.wire)}
	return &out
}

// fork returns a compiler with findings and types of its own.
func (c *compiler) fork() *compiler {
	return newCompiler(c.provider, c.grants.Probe()).withWire(c.wire)
}

// equalRule compiles the @equal template of a property.
func (c *compiler) equalRule(p *spec.Property) *expr.Value {
	scope := c.Scope(c.ConfigName(), expr.Name{Name: "old", Type: p.Type}, expr.Name{Name: "new", Type: p.Type})
	return c.Template(p.EqualExpr, scope, scopes.BoolType, p.Name)
}
