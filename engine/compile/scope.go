package compile

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// scopeNames are all names that the language has, and where those of them that
// are not everywhere are to be had; of shorthands the families say so.
var scopeNames = []struct{ name, where string }{
	{"inputs", "in resources, functions and methods"},
	{"config", "everywhere"},
	{"session", "in the operations of specs that have `configure`"},
	{"state", "in read, update, delete and methods"},
	{"made", "in read, update and delete of resources whose create names (`as`) a step with an effect"},
	{"changes", "in update"},
	{"id", "in read, update, delete and methods, and in create once it is taken"},
	{"steps", "after a step that is named with `as`"},
	{"result", "after the first step, and in a step's own until, refused, fail, progress, gone and retry"},
	{"body", ""},
	{"status", ""},
	{"headers", ""},
	{"each", "in a step or child with forEach, and in list"},
	{"children", "in the children and the return of a component"},
	{"resource", "in resources and components"},
	{"old", "in upgrade and in @equal"},
	{"new", "in @equal"},
	{"error", "in retry.if, and in undo steps"},
}

// scope makes an expression scope of the names that are there; the others of
// the language say where they are.
func (c *compiler) scope(present ...expr.Name) *expr.Scope {
	s := &expr.Scope{Types: c.spec.Types}
	here := map[string]bool{}
	for _, n := range present {
		here[n.Name] = true
		s.Names = append(s.Names, n)
	}
	for _, n := range scopeNames {
		if here[n.name] {
			continue
		}
		where := n.where
		if where == "" {
			where = "after a step of " + c.whoseShorthands()
		}
		s.Names = append(s.Names, expr.Name{Name: n.name, Absent: fmt.Sprintf("%q is there %s, not here.", n.name, where)})
	}
	return s
}

// whoseShorthands names the families whose results have shorthands.
func (c *compiler) whoseShorthands() string {
	var all []string
	for _, f := range c.families {
		if f.Shorthands {
			all = append(all, f.Name)
		}
	}
	if all == nil {
		return "an action that has it, of which there is none"
	}
	return diag.Or(all)
}

// with is the scope with more names, or names of another type.
func with(s *expr.Scope, names ...expr.Name) *expr.Scope {
	out := &expr.Scope{Types: s.Types, NullHelp: s.NullHelp}
	replaced := map[string]bool{}
	for _, n := range names {
		replaced[n.Name] = true
	}
	for _, path := range s.Present {
		if !replaced[path[0]] {
			out.Present = append(out.Present, path)
		}
	}
	for _, n := range s.Names {
		if !replaced[n.Name] {
			out.Names = append(out.Names, n)
		}
	}
	out.Names = append(out.Names, names...)
	return out
}

// where is the scope of what runs only where a condition is true. A condition
// that is broken, which was reported, may have said anything of null.
func where(s *expr.Scope, written *spec.Node, condition *expr.Value) *expr.Scope {
	switch {
	case condition != nil:
		return knowing(s, condition.Present())
	case written != nil:
		return knowing(s, membersOf(s))
	default:
		return s
	}
}

// knowing is the scope in which those paths are known not to be null.
func knowing(s *expr.Scope, paths [][]string) *expr.Scope {
	if len(paths) == 0 {
		return s
	}
	out := *s
	out.Present = slices.Concat(s.Present, paths)
	return &out
}

// membersOf are the paths of the members of all names of a scope.
func membersOf(s *expr.Scope) [][]string {
	var paths [][]string
	for _, n := range s.Names {
		for _, p := range s.Types.Resolve(n.Type).Fields {
			paths = append(paths, []string{n.Name, p.Name})
		}
	}
	return paths
}

func (c *compiler) configScope() *expr.Scope { return c.scope(c.configName()) }

func (c *compiler) configName() expr.Name {
	// Checked settings have their defaults and, where @env stands in, may be
	// absent only if they are optional.
	return expr.Name{Name: "config", Type: checked(c.spec.Config)}
}

// everywhere are the names of every operation, with those that are given.
func (c *compiler) everywhere(names ...expr.Name) *expr.Scope {
	names = append(names, c.configName())
	if c.session != nil {
		names = append(names, expr.Name{Name: "session", Type: c.session, Secret: c.sessionHidden})
	}
	return c.scope(names...)
}

// resourceName is the name `resource`: the host may have no name for it.
func resourceName() expr.Name {
	return expr.Name{Name: "resource", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "name", Type: optionalText, Required: true},
		{Name: "type", Type: textType, Required: true},
	}}}
}

// operationScope is the names of an operation of a resource before its first
// step.
func (c *compiler) operationScope(r *plan.Resource, v plan.Verb) *expr.Scope {
	m := r.Spec
	names := []expr.Name{resourceName()}
	switch v {
	case plan.Create:
		names = append(names, expr.Name{Name: "inputs", Type: checked(m.Inputs)})
	case plan.Read:
		id := textType
		if !r.Identity.Known {
			id = optionalText // an import does not give it
		}
		names = append(names,
			expr.Name{Name: "inputs", Type: without(allOptional(m.Inputs, r.Identity.Inputs()), func(name string) bool { return name == r.Lacks })},
			expr.Name{Name: "state", Type: allOptional(stateType(m), nil)},
			expr.Name{Name: "id", Type: id})
	case plan.Update:
		names = append(names,
			expr.Name{Name: "inputs", Type: checked(m.Inputs)},
			expr.Name{Name: "state", Type: withoutUnsure(r, stateType(m))},
			expr.Name{Name: "changes", Type: allOptional(m.Inputs, nil)},
			expr.Name{Name: "id", Type: textType})
	case plan.Delete:
		names = append(names,
			expr.Name{Name: "inputs", Type: without(checked(m.Inputs), func(name string) bool { return name == r.Lacks })},
			expr.Name{Name: "state", Type: withoutUnsure(r, stateType(m))},
			expr.Name{Name: "id", Type: textType})
	case plan.List:
		names = append(names, expr.Name{Name: "inputs", Type: checked(m.List.Inputs)})
	}
	if v == plan.Read || v == plan.Update || v == plan.Delete {
		names = append(names, r.Makers()...)
	}
	s := c.everywhere(names...)
	s.NullHelp = nullHelp(r, v)
	return s
}

// checked is the object type as Check leaves it: what has a default of any kind
// is there.
func checked(t *spec.Type) *spec.Type {
	if t == nil {
		return &spec.Type{Kind: spec.Object}
	}
	out := *t
	out.Fields = make([]*spec.Property, len(t.Fields))
	for i, p := range t.Fields {
		settled := *p
		settled.Required = plan.CheckedRequired(p)
		out.Fields[i] = &settled
	}
	return &out
}

// stateType is what `state` holds: the recorded inputs and outputs, by name; an
// output hides the input of its name.
func stateType(r *spec.Resource) *spec.Type {
	t := &spec.Type{Kind: spec.Object}
	for _, p := range checked(r.Inputs).Fields {
		if r.Outputs.Field(p.Name) == nil {
			t.Fields = append(t.Fields, p)
		}
	}
	t.Fields = append(t.Fields, r.Outputs.Fields...)
	return t
}

// allOptional is the object type with every property but the kept ones, which
// are as Check leaves them, optional and without defaults: what an import, or a
// change, may not have.
func allOptional(t *spec.Type, keep map[string]bool) *spec.Type {
	out := *t
	out.Fields = make([]*spec.Property, len(t.Fields))
	for i, p := range t.Fields {
		optional := *p
		if keep[p.Name] {
			optional.Required = plan.CheckedRequired(p)
			out.Fields[i] = &optional
			continue
		}
		optional.Required, optional.Default = false, nil
		optional.Autoname, optional.DefaultExpr = nil, nil
		out.Fields[i] = &optional
	}
	return &out
}

// trail is the scope as it grows from step to step.
type trail struct {
	scope *expr.Scope
	named *spec.Type // the type of `steps`
	steps []*plan.Step
	// missing is, in a delete, the scope in which the results of steps are also
	// null: where they found nothing. Steps that are made of one are skipped
	// then, but for those with an `if`, which decide with this scope; see
	// orphaned. Elsewhere nil.
	missing *trail
}

// deciding is the scope of what says whether a step runs, and for what.
func (t *trail) deciding(m *spec.Step) *expr.Scope {
	if t.missing != nil && m.If != nil {
		return t.missing.scope
	}
	return t.scope
}

func newTrail(s *expr.Scope) *trail {
	return &trail{scope: s, named: &spec.Type{Kind: spec.Object}}
}

// after adds a finished step's names.
func (t *trail) after(s *plan.Step) {
	t.steps = append(t.steps, s)
	t.add(s, plan.StepType(s), func(p *spec.Type) *spec.Type { return p })
	t.scope = knowing(t.scope, s.Established())
	if t.missing != nil {
		yields := *plan.StepType(s)
		if s.ForEach != nil && yields.Elem != nil { // else of any type, which may be null
			yields.Elem = plan.OrNull(yields.Elem)
		}
		t.missing.add(s, plan.OrNull(&yields), plan.OrNull)
	}
}

// add adds the names of a step that yields a type; member is that of a member of
// its answer.
func (t *trail) add(s *plan.Step, yields *spec.Type, member func(*spec.Type) *spec.Type) {
	names := []expr.Name{{Name: "result", Type: yields}}
	if s.Model.As != "" {
		named := *t.named
		named.Fields = append(slices.Clone(named.Fields), &spec.Property{Name: s.Model.As, Type: yields, Required: true})
		t.named = &named
		names = append(names, expr.Name{Name: "steps", Type: t.named})
	}
	for _, n := range plan.Shorthands(s) {
		names = append(names, expr.Name{Name: n.Name, Type: member(n.Type)})
	}
	t.scope = with(t.scope, names...)
}

// over is how a forEach over values of a type yields its results: as a list or as a
// map, or spec.Any where only the value says.
func over(types spec.Types, v *expr.Value) spec.Kind {
	if v == nil {
		return spec.Any
	}
	switch t := types.Resolve(v.Type()); t.Kind {
	case spec.List:
		return spec.List
	case spec.Map, spec.Object:
		return spec.Map
	default:
		return spec.Any
	}
}
