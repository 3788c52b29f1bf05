package compile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/compile/yield"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// operation compiles read, update or delete.
func (c *resourceCompiler) operation(v plan.Verb, op *spec.Operation) *plan.Operation {
	if op == nil {
		return nil
	}
	var out *plan.Operation
	c.In(string(v), string(v), func() {
		t := scopes.NewTrail(c.scope(v))
		t.Whole = len(op.Steps) == 1 && (v == plan.Create || v == plan.Update)
		if v == plan.Delete {
			t.Missing, t.Removes = scopes.NewTrail(t.Scope), true
		}
		t.Proves = v == plan.Read
		out = c.steps.Operation(op, t, nil)
		if v != plan.Delete {
			c.yield(out, v, op, t)
		}
	})
	properties := []*spec.Type{c.r.Spec.Outputs}
	if v == plan.Read {
		properties = append(properties, c.r.Spec.Inputs)
	}
	c.r.Sinks = append(c.r.Sinks, markUses(out, c.r.ID, properties...)...)
	return out
}

// yield compiles what an operation of a resource yields: its own `return`, or else that of the
// resource, or else the result of the last step.
func (c *resourceCompiler) yield(op *plan.Operation, v plan.Verb, m *spec.Operation, t *scopes.Trail) {
	if len(t.Steps) == 0 {
		return // broken, which was reported
	}
	written := cmp.Or(m.Return, c.r.Spec.Return)
	if v == plan.Read {
		t = proving(t, written)
	}
	c.yields.Compile(yield.Target{
		Name: c.r.Spec.Name, Source: string(v), Outputs: c.r.Spec.Outputs, Inputs: c.r.Spec.Inputs,
		SetsInputs: v == plan.Read, ReadLater: v != plan.Read && c.r.Spec.Read != nil,
	}, op, written, t)
}

// proving returns the trail after the steps of an operation whose result tells whether something exists. The last step may
// have no response only if it may not run. The members of a result that is written out may be null.
func proving(t *scopes.Trail, written *spec.Node) *scopes.Trail {
	out, absence := *t, expr.SaysNothing
	if written != nil && written.Kind == spec.StringNode {
		absence = expr.ByNull
	}
	last := plan.Last(t.Steps)
	out.Scope = scopes.Deciding(t.Scope, t.Steps, last != nil && last.When == nil && last.ForEach == nil, absence)
	return &out
}

// scope returns the scope of an operation of a resource before its first step.
func (c *resourceCompiler) scope(v plan.Verb) *expr.Scope {
	m := c.r.Spec
	names := []expr.Name{scopes.ResourceName()}
	switch v {
	case plan.Create:
		names = append(names, expr.Name{Name: "inputs", Type: scopes.CheckedType(m.Inputs)})
	case plan.Read:
		id := scopes.StringType
		if !c.r.Identity.Known {
			id = scopes.OptionalString // an import does not give it
		}
		names = append(names,
			expr.Name{Name: "inputs", Type: scopes.LackingType(scopes.OptionalType(m.Inputs, c.givenInputs()), c.r.Lacks)},
			expr.Name{Name: "state", Type: scopes.OptionalType(scopes.StateType(m.Inputs, m.Outputs), nil)},
			expr.Name{Name: "id", Type: id})
	case plan.Update:
		names = append(names,
			expr.Name{Name: "inputs", Type: scopes.CheckedType(m.Inputs)},
			expr.Name{Name: "state", Type: withoutUnsure(c.r, scopes.StateType(m.Inputs, m.Outputs)), MayLack: true, Lacks: c.r.Lacks},
			expr.Name{Name: "changes", Type: scopes.OptionalType(m.Inputs, nil)},
			expr.Name{Name: "id", Type: scopes.StringType})
	case plan.Delete:
		names = append(names,
			expr.Name{Name: "inputs", Type: scopes.LackingType(scopes.CheckedType(m.Inputs), c.r.Lacks), MayLack: true, Lacks: c.r.Lacks},
			expr.Name{Name: "state", Type: withoutUnsure(c.r, scopes.StateType(m.Inputs, m.Outputs)), MayLack: true, Lacks: c.r.Lacks},
			expr.Name{Name: "id", Type: scopes.StringType})
	case plan.List:
		names = append(names, expr.Name{Name: "inputs", Type: scopes.CheckedType(m.List.Inputs)})
	}
	if v == plan.Read || v == plan.Update || v == plan.Delete {
		names = append(names, c.r.MadeNames()...)
	}
	s := scopes.Of(c.CommonScope(names...), m.Name)
	s.NullHelp = nullHelp(c.r, v)
	if v == plan.Read || v == plan.Delete {
		s.Sought = &expr.Sought{ID: pathOfID(m)}
	}
	return s
}

// pathOfID returns the path of what the server chooses in the id, in the result that the id is evaluated on. It returns nil if
// that is not one value.
func pathOfID(m *spec.Resource) (path []string) {
	v, diags := expr.Compile(m.ID, scopes.Untyped(), nil)
	if m.ID == nil || diags.HasErrors() {
		return nil
	}
	for _, ref := range v.Refs() {
		switch name := ref.Path[0]; {
		case !slices.Contains(plan.AnswerNames, name) && name != "steps":
		case path != nil:
			return nil
		default:
			path = ref.Path
		}
	}
	return path
}

// givenInputs returns the inputs that an import gives: all of them if the id or the import is wrong, so that nothing else is
// reported because of that.
func (c *resourceCompiler) givenInputs() map[string]bool {
	m, given := c.r.Spec, c.r.Identity.Inputs()
	if m.ID != nil && c.r.ID == nil || m.Import != nil && !c.r.Identity.Imports.IsSet() {
		given = map[string]bool{}
		for _, p := range m.Inputs.Fields {
			given[p.Name] = true
		}
	}
	return given
}

// find compiles `find`: the operation that looks for the object of a create or update whose
// response was lost. It sees what a create sees before its first step.
func (c *resourceCompiler) find() {
	m := c.r.Spec.Find
	if m == nil {
		return
	}
	c.In("find", "find", func() {
		scope := c.scope(plan.Create)
		scope.Sought = &expr.Sought{ID: pathOfID(c.r.Spec), Responses: true}
		t := scopes.NewTrail(scope)
		t.Proves = true
		c.r.Find = c.steps.Operation(m, t, nil)
		if c.r.Find.Stepless() {
			return
		}
		c.refuseEffects(c.r.Find, "find", "find runs before a create is sent, and whenever a response was lost: it must only read. Add `effect: \"none\"` if the action changes nothing.")
		c.r.Find.Return = c.Template(m.Return, proving(t, m.Return).Scope, &spec.Type{Nullable: true}, "return")
	})
	c.r.Sinks = append(c.r.Sinks, markUses(c.r.Find, nil)...)
	if s := plan.Last(c.r.Find.Steps); s != nil {
		s.UsedWhole = true // templates of create read its result in place of the lost response
	}
}

// list compiles how the objects of a resource are listed.
func (c *resourceCompiler) list() {
	m := c.r.Spec.List
	if m == nil || m.Step == nil {
		return // the loader has reported a list without a step
	}
	c.In("list", "list", func() {
		t := scopes.NewTrail(c.scope(plan.List))
		l := &plan.Lister{Inputs: c.types.Build(m.Inputs), Step: c.steps.Step(m.Step, 0, t)}
		t.Add(l.Step)
		l.Items = c.Template(m.Items, proving(t, m.Items).Scope, &spec.Type{Kind: spec.List, Elem: &spec.Type{}}, "items")
		elem := &spec.Type{}
		if l.Items != nil {
			if items := c.r.Types.Resolve(l.Items.Type()); items.Kind == spec.List && items.Elem != nil {
				elem = items.Elem
			}
		}
		scope := scopes.Extend(t.Scope, scopes.EachOf(&spec.Type{Kind: spec.Int}, elem, l.Items != nil && l.Items.Hidden()))
		shown := func(n *spec.Node, expected *spec.Type, path string) *expr.Value {
			v := c.Template(n, scope, expected, path)
			if v != nil && v.Secret() {
				c.Fail(finding.CodeSecretExposed, n.Range, path, fmt.Sprintf("the %s of a listed object contains a secret", path),
					"Hosts show ids and names everywhere. Build it of values that are not secret.")
			}
			return v
		}
		l.ID = shown(m.ID, scopes.IDType, "id")
		l.Name = shown(m.Name, scopes.OptionalString, "name")
		plan.MarkUsedInLoop([]*plan.Step{l.Step}, l.Items, l.ID, l.Name)
		c.r.List = l
	})
}
