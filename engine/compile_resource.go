package engine

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// resource compiles one resource.
func (c *compiler) resource(m *spec.Resource) *resource {
	r := &resource{spec: m, types: c.spec.Types, inputs: c.types.Of(m.Inputs), outputs: c.types.Of(m.Outputs)}
	r.reliesOn = func(v verb, property string) bool { return c.reliesOn(r, v, property) }
	c.wire = m.Wire
	defer func() { c.wire = "" }()
	r.naming = value.NewNaming(c.wireRule(), c.spec.Types, stateType(m))
	r.secretNames = r.naming.Secrets()
	c.in(fmt.Sprintf("resource %q", m.Name), "resources."+m.Name, func() {
		r.defaults = c.derivedInputs(m.Inputs)
		c.checks(r)
		after := c.createOperation(r)
		c.resourceID(r, after)
		c.identity(r)
		r.unsure = c.unsureOutputs(r)
		r.read = c.operation(r, read, m.Read)
		r.update = c.operation(r, update, m.Update)
		r.delete = c.operation(r, remove, m.Delete)
		c.diffRules(r)
		c.upgrades(r)
		c.lists(r)
		c.methods(r)
		c.identify(r)
		r.consistency = c.duration(m.Consistency, c.configScope(), "consistency")
		c.finding(r)
		r.conditional = r.sendsETag()
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
func (c *compiler) createOperation(r *resource) *trail {
	m := r.spec
	t := newTrail(c.operationScope(r, create))
	if m.Create == nil {
		return t
	}
	first := firstEffect(c, m.Create)
	after := idAfter(m, first)
	c.in("create", "create", func() {
		r.create = c.steps(m.Create, t, func(i int) {
			if i == after {
				t.scope = with(t.scope, expr.Name{Name: "id", Type: textType})
			}
		})
		c.yield(r, r.create, create, m.Create, t)
	})
	r.idAfter = after
	for _, s := range r.create.steps {
		if slices.ContainsFunc(s.asks, s.dependsOnInputs) {
			r.asking = append(r.asking, s)
		}
	}
	c.want(r, r.create, create)
	return t
}

// firstEffect is the index of the first step that may change the world, judged
// without its arguments' types; the last step, if none does.
func firstEffect(c *compiler, op *spec.Operation) int {
	quiet := c.fork()
	t := newTrail(&expr.Scope{})
	for i, m := range op.Steps {
		bare := &spec.Step{As: m.As, Actions: m.Actions, Range: m.Range}
		if quiet.step(bare, i, t).effect == actions.Write {
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
		case slices.Contains(answerNames, name):
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
func (c *compiler) resourceID(r *resource, t *trail) {
	scope := t.scope
	if len(t.steps) == 0 {
		scope = anyScope() // create is broken, which was reported
	}
	r.id = c.template(r.spec.ID, scope, idType, "id")
	if r.id == nil {
		return
	}
	mixed := false
	for _, s := range r.id.Segments() {
		if isInput(s) {
			r.idInputs = append(r.idInputs, s.Ref[1])
		}
		mixed = mixed || !s.Literal && !isInput(s)
	}
	r.idMixes = mixed && slices.ContainsFunc(r.id.Refs(), func(ref expr.Ref) bool { return !slices.Contains(namesOfAnswers, ref.Path[0]) })
	if r.id.Secret() {
		c.fail(codeSecretExposed, r.spec.ID.Range, "id", "a secret goes into the id", "Hosts show ids everywhere. Build it of something else.")
	}
	r.sinks = append(r.sinks, sinkRefs(r.id, nil, "the id")...)
	for _, s := range t.steps[:max(0, min(r.idAfter, len(t.steps)))] {
		if !s.known || s.effect != actions.Write || len(s.model.OnFailure) > 0 {
			continue
		}
		c.fail(codeIdLate, r.spec.ID.Range, "id",
			fmt.Sprintf("the id is known only after step %d, but %s has an effect before it", r.idAfter+1, s.name),
			fmt.Sprintf("If a step in between fails, what %s made would be lost. Name it with `as` and take the id from it, or undo it with `onFailure`.", s.name))
		return
	}
}

// steps compiles the steps of an operation. after is called when a step's names
// have been added.
func (c *compiler) steps(op *spec.Operation, t *trail, after func(index int)) *operation {
	out := &operation{}
	before := t.scope
	for i, m := range op.Steps {
		compile := func() {
			s := c.step(m, i, t)
			out.steps = append(out.steps, s)
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
func (c *compiler) undo(s *step, t *trail) {
	scope := with(t.scope, expr.Name{Name: "error", Type: textType})
	for i, m := range s.model.OnFailure {
		c.in("onFailure", fmt.Sprintf("onFailure[%d]", i), func() {
			undo := c.step(m, i, newTrail(scope))
			undo.name = fmt.Sprintf("undo %d of %s", i+1, s.name)
			s.undo = append(s.undo, undo)
		})
	}
}

// operation compiles read, update or delete.
func (c *compiler) operation(r *resource, v verb, op *spec.Operation) *operation {
	if op == nil {
		return nil
	}
	var out *operation
	c.in(string(v), string(v), func() {
		t := newTrail(c.operationScope(r, v))
		if v == remove {
			t.missing = newTrail(t.scope)
		}
		out = c.steps(op, t, func(int) {})
		if v != remove {
			c.yield(r, out, v, op, t)
		}
	})
	c.want(r, out, v)
	return out
}

// derivedInputs compiles the @default templates of inputs, in an order in which
// each comes after those that it uses.
func (c *compiler) derivedInputs(inputs *spec.Type) []*derived {
	scope := c.everywhere(resourceName(), expr.Name{Name: "inputs", Type: checked(inputs)})
	byName := map[string]*derived{}
	var names []string
	for _, p := range inputs.Fields {
		if p.DefaultExpr == nil {
			continue
		}
		nullable := *p.Type
		nullable.Nullable = true
		byName[p.Name] = &derived{property: p.Name, value: c.template(p.DefaultExpr, scope, &nullable, "inputs."+p.Name)}
		names = append(names, p.Name)
	}
	var ordered []*derived
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
		if d.value != nil {
			for _, ref := range d.value.Refs() {
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
func (c *compiler) checks(r *resource) {
	scope := c.everywhere(resourceName(), expr.Name{Name: "inputs", Type: checked(r.spec.Inputs)})
	for i, m := range r.spec.Checks {
		path := fmt.Sprintf("checks[%d]", i)
		c.in(fmt.Sprintf("check %d", i+1), path, func() {
			compiled := &check{assert: c.template(m.Assert, scope, truthType, "assert"), message: c.template(m.Message, scope, textType, "message")}
			if m.Property != nil {
				compiled.property = m.Property.Text
				c.propertyPath(r.spec.Name, r.spec.Inputs, m.Property, "property")
			}
			r.checks = append(r.checks, compiled)
		})
	}
}

// diffRules compiles the rules of `diff`.
func (c *compiler) diffRules(r *resource) {
	if r.spec.Diff == nil {
		return
	}
	scope := c.operationScope(r, update)
	for i, m := range r.spec.Diff.Rules {
		c.in(fmt.Sprintf("diff rule %d", i+1), fmt.Sprintf("diff.rules[%d]", i), func() {
			rule := &diffRule{when: c.template(m.If, scope, truthType, "if")}
			for j, n := range m.Replace {
				rule.replace = append(rule.replace, n.Text)
				c.propertyPath(r.spec.Name, r.spec.Inputs, n, fmt.Sprintf("replace[%d]", j))
			}
			r.rules = append(r.rules, rule)
		})
	}
}

// upgrades compiles the templates that bring old states forward.
func (c *compiler) upgrades(r *resource) {
	r.upgrades = map[int]*expr.Value{}
	scope := c.scope(c.configName(), expr.Name{Name: "old"})
	for version, n := range r.spec.Upgrade {
		r.upgrades[version] = c.template(n, scope, &spec.Type{Kind: spec.Map, Elem: &spec.Type{}}, fmt.Sprintf("upgrade.%d", version))
	}
}

// lists compiles how resources of the type are listed.
func (c *compiler) lists(r *resource) {
	m := r.spec.List
	if m == nil || m.Step == nil {
		return // the loader has reported a list without a step
	}
	c.in("list", "list", func() {
		t := newTrail(c.operationScope(r, list))
		l := &lister{inputs: c.types.Of(m.Inputs), step: c.step(m.Step, 0, t)}
		t.after(l.step)
		l.items = c.template(m.Items, t.scope, &spec.Type{Kind: spec.List, Elem: &spec.Type{}}, "items")
		var elem *spec.Type
		if l.items != nil {
			if items := c.spec.Types.Resolve(l.items.Type()); items.Kind == spec.List {
				elem = items.Elem
			}
		}
		if elem == nil {
			elem = &spec.Type{}
		}
		scope := with(t.scope, eachOf(&spec.Type{Kind: spec.Int}, elem, l.items != nil && l.items.Hidden()))
		l.id = c.template(m.ID, scope, idType, "id")
		c.openName(l.id, m.ID, "id")
		l.name = c.template(m.Name, scope, optionalText, "name")
		c.openName(l.name, m.Name, "name")
		w := wanting{}
		each := w.over([]*step{l.step}, l.items)
		w.note([]*step{l.step}, each, l.id)
		w.note([]*step{l.step}, each, l.name)
		r.list = l
	})
}
