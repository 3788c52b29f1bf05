package compile

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// resource compiles one resource.
func (c *compiler) resource(m *spec.Resource) *plan.Resource {
	r := &plan.Resource{Spec: m, Types: c.spec.Types, Inputs: c.types.Of(m.Inputs), Outputs: c.types.Of(m.Outputs)}
	r.ReliesOn = func(v plan.Verb, property string) bool { return c.reliesOn(r, v, property) }
	c.wire = m.Wire
	defer func() { c.wire = "" }()
	r.Naming = value.NewNaming(c.wireRule(), c.spec.Types, stateType(m))
	r.SecretNames = r.Naming.Secrets()
	c.in(fmt.Sprintf("resource %q", m.Name), "resources."+m.Name, func() {
		r.Defaults = c.derivedInputs(m.Inputs)
		c.checks(r)
		after := c.createOperation(r)
		c.resourceID(r, after)
		c.identity(r)
		r.Unsure = c.unsureOutputs(r)
		r.Read = c.operation(r, plan.Read, m.Read)
		r.Update = c.operation(r, plan.Update, m.Update)
		r.Delete = c.operation(r, plan.Delete, m.Delete)
		c.diffRules(r)
		c.upgrades(r)
		c.lists(r)
		c.methods(r)
		c.identify(r)
		r.Consistency = c.duration(m.Consistency, c.configScope(), "consistency")
		c.finding(r)
		r.Conditional = r.SendsETag()
		c.checkCertainty(r)
		c.foreign(r)
		c.pointless(r)
		c.readBack(r)
		c.lifecycle(r)
	})
	return r
}

// createOperation compiles create, with `id` in scope once it is taken, and
// returns the steps' trail, from which the id is typed.
func (c *compiler) createOperation(r *plan.Resource) *trail {
	m := r.Spec
	t := newTrail(c.operationScope(r, plan.Create))
	if m.Create == nil {
		return t
	}
	first := firstEffect(c, m.Create)
	after := idAfter(m, first)
	c.in("create", "create", func() {
		r.Create = c.steps(m.Create, t, func(i int) {
			if i == after {
				t.scope = with(t.scope, expr.Name{Name: "id", Type: textType})
			}
		})
		c.yield(r, r.Create, plan.Create, m.Create, t)
	})
	r.IDAfter = after
	for _, s := range r.Create.Steps {
		if slices.ContainsFunc(s.Asks, s.DependsOnInputs) {
			r.Asking = append(r.Asking, s)
		}
	}
	c.want(r, r.Create, plan.Create)
	return t
}

// firstEffect is the index of the first step that may change the world, judged
// without its arguments' types; the last step, if none does.
func firstEffect(c *compiler, op *spec.Operation) int {
	quiet := c.fork()
	t := newTrail(&expr.Scope{})
	for i, m := range op.Steps {
		bare := &spec.Step{As: m.As, Actions: m.Actions, Range: m.Range}
		if quiet.step(bare, i, t).Effect == actions.Write {
			return i
		}
	}
	return max(0, len(op.Steps)-1)
}

// idAfter is the index of the step after which the id can be evaluated: the last
// with `result`, X with `steps.X`; but never before the first effect.
func idAfter(m *spec.Resource, first int) int {
	v, diags := expr.Compile(m.ID, anyScope(), nil)
	if m.ID == nil || diags.HasErrors() {
		return len(m.Create.Steps) - 1
	}
	after := first
	for _, ref := range v.Refs() {
		switch name := ref.Path[0]; {
		case slices.Contains(plan.AnswerNames, name):
			return len(m.Create.Steps) - 1
		case name == "steps":
			if len(ref.Path) > 1 {
				i := slices.IndexFunc(m.Create.Steps, func(s *spec.Step) bool { return s.As == ref.Path[1] })
				after = max(after, i)
			}
		}
	}
	return after
}

// anyScope has every name of the language, untyped: for what is known by its
// references alone.
func anyScope() *expr.Scope {
	s := &expr.Scope{}
	for _, n := range scopeNames {
		s.Names = append(s.Names, expr.Name{Name: n.name})
	}
	return s
}

// resourceID compiles the id in the scope that create's steps leave.
func (c *compiler) resourceID(r *plan.Resource, t *trail) {
	scope := t.scope
	if len(t.steps) == 0 {
		scope = anyScope() // create is broken, which was reported
	}
	r.ID = c.template(r.Spec.ID, scope, idType, "id")
	if r.ID == nil {
		return
	}
	mixed := false
	for _, s := range r.ID.Segments() {
		if plan.IsInput(s) {
			r.IDInputs = append(r.IDInputs, s.Ref[1])
		}
		mixed = mixed || !s.Literal && !plan.IsInput(s)
	}
	r.IDMixes = mixed && slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool { return !slices.Contains(plan.NamesOfAnswers, ref.Path[0]) })
	if r.ID.Secret() {
		c.fail(codeSecretExposed, r.Spec.ID.Range, "id", "a secret goes into the id", "Hosts show ids everywhere. Build it of something else.")
	}
	r.Sinks = append(r.Sinks, sinkRefs(r.ID, nil, "the id")...)
	for _, s := range t.steps[:max(0, min(r.IDAfter, len(t.steps)))] {
		if !s.Known || s.Effect != actions.Write || len(s.Model.OnFailure) > 0 {
			continue
		}
		c.fail(codeIdLate, r.Spec.ID.Range, "id",
			fmt.Sprintf("the id is known only after step %d, but %s has an effect before it", r.IDAfter+1, s.Name),
			fmt.Sprintf("If a step in between fails, what %s made would be lost. Name it with `as` and take the id from it, or undo it with `onFailure`.", s.Name))
		return
	}
}

// steps compiles the steps of an operation. after is called when a step's names
// have been added.
func (c *compiler) steps(op *spec.Operation, t *trail, after func(index int)) *plan.Operation {
	out := &plan.Operation{}
	before := t.scope
	for i, m := range op.Steps {
		compile := func() {
			s := c.step(m, i, t)
			out.Steps = append(out.Steps, s)
			t.after(s)
			after(i)
			c.undo(s, t)
		}
		if len(op.Steps) == 1 && !op.Listed {
			compile()
		} else {
			c.in(fmt.Sprintf("step %d", i+1), fmt.Sprintf("steps[%d]", i), compile)
		}
	}
	c.in("retry", "retry", func() { c.groupRetry(out, op.Retry, before) })
	return out
}

// undo compiles the steps of an onFailure. They see what their step saw, its
// result where it has one, and the error.
func (c *compiler) undo(s *plan.Step, t *trail) {
	scope := with(t.scope, expr.Name{Name: "error", Type: textType})
	for i, m := range s.Model.OnFailure {
		c.in("onFailure", fmt.Sprintf("onFailure[%d]", i), func() {
			undo := c.step(m, i, newTrail(scope))
			undo.Name = fmt.Sprintf("undo %d of %s", i+1, s.Name)
			s.Undo = append(s.Undo, undo)
		})
	}
}

// operation compiles read, update or delete.
func (c *compiler) operation(r *plan.Resource, v plan.Verb, op *spec.Operation) *plan.Operation {
	if op == nil {
		return nil
	}
	var out *plan.Operation
	c.in(string(v), string(v), func() {
		t := newTrail(c.operationScope(r, v))
		if v == plan.Delete {
			t.missing = newTrail(t.scope)
		}
		out = c.steps(op, t, func(int) {})
		if v != plan.Delete {
			c.yield(r, out, v, op, t)
		}
	})
	c.want(r, out, v)
	return out
}

// derivedInputs compiles the @default templates of inputs, in an order in which
// each comes after those that it uses.
func (c *compiler) derivedInputs(inputs *spec.Type) []*plan.Derived {
	scope := c.everywhere(resourceName(), expr.Name{Name: "inputs", Type: checked(inputs)})
	byName := map[string]*plan.Derived{}
	var names []string
	for _, p := range inputs.Fields {
		if p.DefaultExpr == nil {
			continue
		}
		nullable := *p.Type
		nullable.Nullable = true
		byName[p.Name] = &plan.Derived{Property: p.Name, Value: c.template(p.DefaultExpr, scope, &nullable, "inputs."+p.Name)}
		names = append(names, p.Name)
	}
	var ordered []*plan.Derived
	state := map[string]int{}
	var visit func(name string)
	visit = func(name string) {
		d := byName[name]
		if d == nil || state[name] == 2 {
			return
		}
		if state[name] == 1 {
			p := inputs.Field(name)
			c.fail(codeDefaultCycle, p.DefaultExpr.Range, "inputs."+name, fmt.Sprintf("the default of %q depends on itself", name),
				"Break the circle: give one of the inputs a default of its own.")
			return
		}
		state[name] = 1
		if d.Value != nil {
			for _, ref := range d.Value.Refs() {
				if ref.Path[0] == "inputs" && len(ref.Path) > 1 {
					visit(ref.Path[1])
				}
			}
			ordered = append(ordered, d)
		}
		state[name] = 2
	}
	for _, name := range names {
		visit(name)
	}
	return ordered
}

// checks compiles the rules over several inputs.
func (c *compiler) checks(r *plan.Resource) {
	scope := c.everywhere(resourceName(), expr.Name{Name: "inputs", Type: checked(r.Spec.Inputs)})
	for i, m := range r.Spec.Checks {
		path := fmt.Sprintf("checks[%d]", i)
		c.in(fmt.Sprintf("check %d", i+1), path, func() {
			compiled := &plan.Check{Assert: c.template(m.Assert, scope, truthType, "assert"), Message: c.template(m.Message, scope, textType, "message")}
			if m.Property != nil {
				compiled.Property = m.Property.Text
				c.propertyPath(r.Spec.Name, r.Spec.Inputs, m.Property, "property")
			}
			r.Checks = append(r.Checks, compiled)
		})
	}
}

// diffRules compiles the rules of `diff`.
func (c *compiler) diffRules(r *plan.Resource) {
	if r.Spec.Diff == nil {
		return
	}
	scope := c.operationScope(r, plan.Update)
	for i, m := range r.Spec.Diff.Rules {
		c.in(fmt.Sprintf("diff rule %d", i+1), fmt.Sprintf("diff.rules[%d]", i), func() {
			rule := &plan.DiffRule{When: c.template(m.If, scope, truthType, "if")}
			for j, n := range m.Replace {
				rule.Replace = append(rule.Replace, n.Text)
				c.propertyPath(r.Spec.Name, r.Spec.Inputs, n, fmt.Sprintf("replace[%d]", j))
			}
			r.Rules = append(r.Rules, rule)
		})
	}
}

// upgrades compiles the templates that bring old states forward.
func (c *compiler) upgrades(r *plan.Resource) {
	r.Upgrades = map[int]*expr.Value{}
	scope := c.scope(c.configName(), expr.Name{Name: "old"})
	for version, n := range r.Spec.Upgrade {
		r.Upgrades[version] = c.template(n, scope, &spec.Type{Kind: spec.Map, Elem: &spec.Type{}}, fmt.Sprintf("upgrade.%d", version))
	}
}

// lists compiles how resources of the type are listed.
func (c *compiler) lists(r *plan.Resource) {
	m := r.Spec.List
	if m == nil || m.Step == nil {
		return // the loader has reported a list without a step
	}
	c.in("list", "list", func() {
		t := newTrail(c.operationScope(r, plan.List))
		l := &plan.Lister{Inputs: c.types.Of(m.Inputs), Step: c.step(m.Step, 0, t)}
		t.after(l.Step)
		l.Items = c.template(m.Items, t.scope, &spec.Type{Kind: spec.List, Elem: &spec.Type{}}, "items")
		var elem *spec.Type
		if l.Items != nil {
			if items := c.spec.Types.Resolve(l.Items.Type()); items.Kind == spec.List {
				elem = items.Elem
			}
		}
		if elem == nil {
			elem = &spec.Type{}
		}
		scope := with(t.scope, eachOf(&spec.Type{Kind: spec.Int}, elem, l.Items != nil && l.Items.Hidden()))
		l.ID = c.template(m.ID, scope, idType, "id")
		c.openName(l.ID, m.ID, "id")
		l.Name = c.template(m.Name, scope, optionalText, "name")
		c.openName(l.Name, m.Name, "name")
		w := plan.Wanting{}
		each := w.Over([]*plan.Step{l.Step}, l.Items)
		w.Note([]*plan.Step{l.Step}, each, l.ID)
		w.Note([]*plan.Step{l.Step}, each, l.Name)
		r.List = l
	})
}
