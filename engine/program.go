package engine

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// Program is a compiled spec: shared by all calls, and safe for concurrent use.
type Program struct {
	provider  *spec.Provider // without resources, where it comes from a container
	config    *value.Type
	grants    []permission
	functions map[string]func() (*function, error)
	resources map[string]*lazyResource
	// components are compiled when they are first used, as functions are.
	components map[string]func() (*component, error)
	names      []string // of the resources, in the order of the document
	compiler   *compiler
	locks      keyedLocks
	unchecked  diag.List
}

// lazyResource is a resource that is compiled when it is first used.
type lazyResource struct {
	load func() (*spec.Resource, error)
	once sync.Once
	done *resource
	err  error
}

// Compile checks a whole spec, and compiles it. The program is usable only where
// the list has no errors.
func Compile(p *spec.Provider, families []*actions.Family) (*Program, diag.List) {
	prog, c := newProgram(p, families)
	c.provider()
	prog.grants = c.grants
	for _, m := range p.Functions {
		f := c.function(m)
		prog.functions[m.Name] = func() (*function, error) { return f, nil }
	}
	for _, m := range p.Ephemerals {
		if m.Open == nil {
			continue // the loader has said so
		}
		f := c.opener(m)
		prog.functions[m.Opener().Name] = func() (*function, error) { return f, nil }
	}
	for _, r := range p.Resources {
		compiled := c.resource(r)
		prog.add(r.Name, &lazyResource{load: func() (*spec.Resource, error) { return r, nil }})
		prog.resources[r.Name].once.Do(func() { prog.resources[r.Name].done = compiled })
		c.compiled[r.Name] = compiled
	}
	c.aliases()
	for _, m := range p.Components {
		compiled := c.component(m)
		prog.components[m.Name] = func() (*component, error) { return compiled, nil }
	}
	c.endless()
	c.unserved()
	prog.unchecked = c.unchecked.Sorted()
	return prog, c.diags.Sorted()
}

// Open serves a container. What is in one has passed Compile before, so each
// resource is decoded and compiled only when it is first used.
func Open(ct *container.Container, families []*actions.Family) (*Program, error) {
	p, err := ct.Provider()
	if err != nil {
		return nil, err
	}
	prog, c := newProgram(p, families)
	c.provider()
	for _, m := range p.Functions {
		prog.functions[m.Name] = sync.OnceValues(func() (*function, error) {
			c := prog.compiler.fork()
			f := c.function(m)
			return f, c.misfit()
		})
	}
	for _, m := range p.Ephemerals {
		prog.functions[m.Opener().Name] = sync.OnceValues(func() (*function, error) {
			c := prog.compiler.fork()
			f := c.opener(m)
			return f, c.misfit()
		})
	}
	c.model = func(name string) *spec.Resource {
		r, _ := ct.Resource(name) // nil is reported where it is wanted
		return r
	}
	for _, m := range p.Components {
		prog.components[m.Name] = sync.OnceValues(func() (*component, error) {
			c := prog.compiler.fork()
			compiled := c.component(m)
			return compiled, c.misfit()
		})
	}
	if err := c.misfit(); err != nil {
		return nil, err
	}
	prog.grants = c.grants
	for _, name := range ct.ResourceNames() {
		prog.add(name, &lazyResource{load: func() (*spec.Resource, error) { return ct.Resource(name) }})
	}
	return prog, nil
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

func newProgram(p *spec.Provider, families []*actions.Family) (*Program, *compiler) {
	c := &compiler{spec: p, families: families, named: &namedPrograms{}, confined: &confinements{}}
	c.types = value.NewBuilder(p.Types, c.equalRule)
	prog := &Program{
		provider: p, compiler: c, resources: map[string]*lazyResource{},
		functions: map[string]func() (*function, error){}, components: map[string]func() (*component, error){},
	}
	c.model, c.compiled = p.Resource, map[string]*resource{}
	prog.config = c.types.Of(p.Config)
	return prog, c
}

func (p *Program) add(name string, r *lazyResource) {
	p.names = append(p.names, name)
	p.resources[name] = r
}

// Unchecked are the accesses to members of untyped answers, as notes: only
// Compile knows them.
func (p *Program) Unchecked() diag.List { return p.unchecked }

// Metadata describes the provider.
func (p *Program) Metadata() spec.Metadata { return p.provider.Metadata }

// MaxValues is how many values a request, a response or an output may have where no
// step says something else.
func (p *Program) MaxValues() int { return cmp.Or(p.provider.MaxValues, decode.DefaultValues) }

// Config is the object type of the provider's configuration, with the named
// types that it refers to.
func (p *Program) Config() (*spec.Type, spec.Types) { return p.provider.Config, p.provider.Types }

// ResourceNames are the resource types of the spec, in its order.
func (p *Program) ResourceNames() []string { return p.names }

// HasResource reports whether the spec has a resource of that name.
func (p *Program) HasResource(name string) bool { return p.resources[name] != nil }

// CanList reports whether the resource declares how it is listed.
func (p *Program) CanList(name string) bool {
	r, err := p.resource(name)
	return err == nil && r.list != nil
}

// resource is the compiled resource of that name.
func (p *Program) resource(name string) (*resource, error) {
	lazy := p.resources[name]
	if lazy == nil {
		return nil, fmt.Errorf("provider %s has no resource %q. %s", p.provider.Name, name, diag.Remedy(name, p.names))
	}
	lazy.once.Do(func() {
		model, err := lazy.load()
		if err != nil {
			lazy.err = fmt.Errorf("resource %s of %s: %w", name, p.provider.Name, err)
			return
		}
		c := p.compiler.fork()
		lazy.done = c.resource(model)
		lazy.err = c.misfit()
	})
	return lazy.done, lazy.err
}

// resource is a compiled resource.
type resource struct {
	spec            *spec.Resource
	types           spec.Types
	inputs, outputs *value.Type
	naming          value.Naming
	secretNames     []string // on the wire
	id              *expr.Value
	// idInputs are the inputs that stand in the id as they are; idMixes says that more
	// goes into it than those, and that some of it is known before create's steps.
	idInputs []string
	idMixes  bool
	// idAfter is the index of the create step after which the id is taken.
	idAfter  int
	identity identification
	// unsure are the required outputs that a create which stopped halfway may
	// leave without: see compile_unsure.go.
	unsure map[string]bool
	// reliesOn reports whether an operation relies on a property: whether it would be
	// refused by vet if the recorded state could lack that.
	reliesOn func(v verb, property string) bool
	// lacks is a required property that a recorded state lacks: see incomplete.go.
	lacks string
	// foundBy are the recorded properties that tell objects of one id apart: see
	// tokens.go.
	foundBy []string

	create, read, update, delete *operation
	methods                      map[string]*function

	checks      []*check
	rules       []*diffRule
	defaults    []*derived // @default templates, in the order of their use
	upgrades    map[int]*expr.Value
	consistency *expr.Value
	list        *lister
	// find looks for what a create or update made whose response was lost; it is
	// asked before a create sends anything if findFirst.
	find      *operation
	findFirst bool
	// names are the inputs that the id is made of, or that find looks by: an update that
	// changes one may give the resource another address.
	names []string
	// conditional says that an update or delete sends the ETag of the last read.
	conditional bool
	// maker is the step of create that makes the object: the last with an effect
	// up to the one after which the id is taken; nil where create has no effect.
	maker *step
	// asking are the steps of create that ask for a file, host or program that an input
	// decides.
	asking []*step
	// sinks are the inputs that end up where a secret may not go.
	sinks []sink
}

// operation is a compiled operation.
type operation struct {
	steps []*step
	// retry runs all of the steps again when one is refused; nil is never.
	retry *retry
	// ret is the `return` of the operation, else of the resource; nil where the
	// last step's own result stands.
	ret *expr.Value
	// broken says that there is a `return` and that it did not compile; meant are
	// the properties that misspelt ones in it were for. Both were reported.
	broken bool
	meant  []string
}

// stepless reports whether the operation has no step. The loader reported why;
// nothing is known of what such an operation yields.
func (o *operation) stepless() bool { return len(o.steps) == 0 }

// meansTo reports whether a property is in the operation's `return`, misspelt.
func (o *operation) meansTo(property string) bool {
	return o != nil && slices.Contains(o.meant, property)
}

// check is a compiled cross-field rule.
type check struct {
	assert, message *expr.Value
	property        string
}

// diffRule is a compiled rule of `diff`.
type diffRule struct {
	when    *expr.Value
	replace []string
}

// derived is an input with an @default template.
type derived struct {
	property string
	value    *expr.Value
}

// lister is a compiled `list`.
type lister struct {
	inputs          *value.Type
	step            *step
	items, id, name *expr.Value
}

// sink is a use of an input where others can read it.
type sink struct {
	path []string // from "inputs" on
	what string   // "the id", `argument "path" of file.write`
}
