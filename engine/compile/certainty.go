package compile

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// checkCertainty finds the step that makes the object, and labels creates whose
// outcome may stay unknown, or that may hit somebody else's object.
func (c *compiler) checkCertainty(r *plan.Resource) {
	if r.Create == nil {
		return
	}
	r.Maker = makerOf(r.Create, r.IDAfter)
	r.FindFirst = r.Find != nil && !r.Spec.Find.NotFirst && r.Maker != nil && r.Maker.Certainty != actions.Keyed
	r.Names = namesOf(r)
	c.findFits(r)
	for _, s := range r.Create.Steps {
		if s.Certainty == actions.Uncertain && !r.Finds(s) {
			c.warn(codeAtLeastOnce, s.Model.Range, "create", fmt.Sprintf("%s may be created twice: %s is at least once", r.Spec.Name, s.Name),
				"If its response is lost, or the provider dies meanwhile, nobody knows whether it was done, and the next run does it again. "+remedyAtLeastOnce(r, s))
		}
	}
	if m := r.Maker; m != nil && m.Overwrites && !r.FindFirst && !m.UsesResults() {
		c.warn(codeMayOverwrite, m.Model.Range, "create", fmt.Sprintf("a create of %s may overwrite what somebody else made", r.Spec.Name),
			"A PUT replaces what is there. Say `ifNoneMatch: true` if the server honours it, or give the resource a `find`, which is asked before anything is sent.")
	}
	c.checkRestart(r.Create, r)
	c.checkRestart(r.Update, r)
	c.safeRetries(r.Create, r)
	c.safeRetries(r.Update, r)
	c.safeRetries(r.Delete, nil)
}

// namesOf are the inputs that the id is made of, or that find looks by.
func namesOf(r *plan.Resource) []string {
	var refs []expr.Ref
	if r.ID != nil {
		refs = append(refs, r.ID.Refs()...)
	}
	if r.Find != nil {
		for _, s := range r.Find.Steps {
			refs = append(refs, s.Refs()...)
		}
		if r.Find.Return != nil {
			refs = append(refs, r.Find.Return.Refs()...)
		}
	}
	var names []string
	for _, p := range r.Spec.Inputs.Fields {
		if slices.ContainsFunc(refs, func(ref expr.Ref) bool {
			return ref.Path[0] == "inputs" && (len(ref.Path) < 2 || ref.Path[1] == p.Name)
		}) {
			names = append(names, p.Name)
		}
	}
	return names
}

// findFits reports a `find` that gives something else than the response for which it
// stands: what is taken over then goes on as if the create had been answered with it.
func (c *compiler) findFits(r *plan.Resource) {
	if r.Find == nil || r.Find.Stepless() || r.Maker == nil || !r.Maker.Returns || r.Maker.ForEach != nil {
		return
	}
	at, from := plan.Last(r.Find.Steps).At, plan.Last(r.Find.Steps).Yields()
	if r.Find.Return != nil {
		at, from = r.Spec.Find.Return.Range, r.Find.Return.Type()
	}
	found := *c.spec.Types.Resolve(from)
	found.Nullable = false // null is nothing found
	response := r.Maker.Yields()
	if err := types.Projectable(&found, response, c.spec.Types); err != nil {
		c.fail(codeTypeMismatch, at, "find", fmt.Sprintf("what find gives is not %s, which the create returns: %s", value.Describe(response), err),
			"It stands for the response of a create that was lost, so it is of that type. Say with `return` how it is made of what is found, or make members optional that it lacks.")
		return
	}
	if path, untyped := c.untypedWithin(&found, response, "", 0); untyped {
		what := "what find gives"
		if path != "" {
			what = fmt.Sprintf("member %q of what find gives", path)
		}
		c.warn(codeFindUntyped, at, "find", fmt.Sprintf("%s has no type, and stands for %s, which the create returns", what, value.Describe(response)),
			"Whether it fits shows only after a response was lost, and then what is taken over may have other names and lack defaults. Give the step of find a `returns` that says what its response is.")
	}
}

// untypedWithin returns the first member of what find gives of which nothing is known,
// where the response has a struct, of declared names: what it is made of is told by
// those on the wire. As a whole it is of any type that the response has.
func (c *compiler) untypedWithin(found, response *spec.Type, path string, depth int) (at string, untyped bool) {
	found, response = c.spec.Types.Resolve(found), c.spec.Types.Resolve(response)
	switch {
	case depth > mostNamed || response.Kind == spec.Any:
		return "", false
	case found.Kind == spec.Any:
		return path, path == "" || c.hasStruct(response, 0)
	case found.Kind == spec.Object && response.Kind == spec.Object:
		for _, p := range response.Fields {
			if f := found.Field(p.Name); f != nil {
				if at, untyped = c.untypedWithin(f.Type, p.Type, value.Join(path, p.Name), depth+1); untyped {
					return at, true
				}
			}
		}
	case found.Elem != nil && response.Elem != nil:
		return c.untypedWithin(found.Elem, response.Elem, path+"[]", depth+1)
	}
	return "", false
}

// mostNamed is how deep types are looked into, which may hold themselves.
const mostNamed = 8

// hasStruct reports whether a value of the type may have members of declared names.
func (c *compiler) hasStruct(t *spec.Type, depth int) bool {
	t = c.spec.Types.Resolve(t)
	switch {
	case t.Kind == spec.Object:
		return true
	case depth > mostNamed:
		return false
	case t.Kind == spec.Union:
		return slices.ContainsFunc(t.Variants, func(v *spec.Type) bool { return c.hasStruct(v, depth+1) })
	default:
		return t.Elem != nil && c.hasStruct(t.Elem, depth+1)
	}
}

// makerOf is the last step with an effect up to the one after which the id is
// taken, else the first with an effect.
func makerOf(op *plan.Operation, idAfter int) *plan.Step {
	var maker *plan.Step
	for i, s := range op.Steps {
		if s.Effect == actions.Write && (maker == nil || i <= idAfter) {
			maker = s
		}
	}
	return maker
}

func remedyAtLeastOnce(r *plan.Resource, s *plan.Step) string {
	remedy := remedyForDoubt(s)
	if s == r.Maker {
		return remedy + " Or give the resource a `find` that looks for what was made."
	}
	return remedy + " (A `find` looks for what the step makes that gives the id.)"
}

// remedyForDoubt is what makes it harmless to run the step twice.
func remedyForDoubt(s *plan.Step) string {
	if argNamed(s.Kind.Args, "idempotencyKey") != nil {
		return "Send an idempotencyKey, if the server honours one, or say `idempotent: true` if doing it twice does no harm."
	}
	return "Say `idempotent: true` if doing it twice does no harm."
}

// safeRetries reports a `retry` or `until` that would repeat a step of which
// nobody knows what it did, where nothing could tell. In create and update the
// resource's find can.
func (c *compiler) safeRetries(op *plan.Operation, r *plan.Resource) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		c.safeRetry(s, r)
		for _, u := range s.Undo {
			c.safeRetry(u, nil)
		}
	}
}

func (c *compiler) safeRetry(s *plan.Step, r *plan.Resource) {
	if s.Certainty != actions.Uncertain {
		return
	}
	found := r != nil && r.Find != nil && (s == r.Maker || r.Update != nil && slices.Contains(r.Update.Steps, s))
	if s.Retry != nil && s.Retry.CoversDoubt(s) && !found {
		c.fail(codeUnsafeRetry, s.Model.Retry.Range, "retry", fmt.Sprintf("%s may have been done when it is retried", s.Action),
			"This retry is also about failures after which nobody knows what was done. "+remedyForDoubt(s)+
				" Or give the resource a `find`; or name in `on` only what says that nothing was done, such as 409 or an exit code.")
	}
	if s.Until != nil {
		c.fail(codeUnsafeRetry, s.Model.Until.Range, "until", fmt.Sprintf("until repeats %s, which has an effect each time", s.Action),
			"Wait in a step of its own that only looks. If repeating it does no harm, say `idempotent: true`; if it changes nothing, `effect: \"none\"`.")
	}
}

// groupRetry compiles a `retry` beside `steps`. It runs all of them again, so
// each effect that a failing step may have before it must bear that.
func (c *compiler) groupRetry(op *plan.Operation, n *spec.Node, s *expr.Scope) {
	if n == nil {
		return
	}
	op.Retry = c.retry(n, s)
	for i, s := range op.Steps {
		if i == len(op.Steps)-1 || s.Effect != actions.Write || !s.Known || s.Certainty.Repeatable() {
			continue
		}
		summary, remedy := "would be done again", "Say `idempotent: true` or send an idempotencyKey where that does no harm; or give"
		if s.Certainty == actions.Conditional {
			summary, remedy = "would be refused because it worked before,", "Its condition does not hold a second time. Give"
		}
		c.fail(codeUnsafeRetry, n.Range, "", fmt.Sprintf("%s (%s) %s when a later step is retried", s.Name, s.Action, summary),
			"All steps are run again from the first. "+remedy+" the later step a retry of its own.")
		return
	}
}

// checkRestart labels the effects that a `restart` repeats.
func (c *compiler) checkRestart(op *plan.Operation, r *plan.Resource) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		for _, again := range op.Steps[s.Restart:s.Index] {
			if again.Effect != actions.Write || again.Certainty.Repeatable() {
				continue
			}
			c.report(diag.List{{
				Severity: diag.Warning, Code: codeAtLeastOnce, Subject: s.Model.RestartRange, Context: c.context, Path: c.joined("restart"),
				Summary: fmt.Sprintf("%s of %s is at least once: %s restarts there", again.Name, r.Spec.Name, s.Name),
				Detail:  "When a run goes on, the effects from there on are done again.",
			}}, "restart")
			break
		}
	}
}

// finding compiles `find`: the operation that looks for what a create or update
// made whose response was lost. It knows what a create knows before its first
// step.
func (c *compiler) finding(r *plan.Resource) {
	m := r.Spec.Find
	if m == nil {
		return
	}
	c.in("find", "find", func() {
		t := newTrail(c.operationScope(r, plan.Create))
		r.Find = c.steps(m, t, func(int) {})
		if r.Find.Stepless() {
			return
		}
		for _, s := range r.Find.Steps {
			if s.Known && s.Effect == actions.Write {
				c.fail(codeFunctionEffect, s.At, "", fmt.Sprintf("find has an effect: %s", s.Action),
					"It runs before a create is sent, and whenever a response was lost; it only looks. Say `effect: \"none\"` where the action changes nothing.")
			}
			r.Sinks = append(r.Sinks, exposed(s)...)
		}
		r.Find.Return = c.template(m.Return, t.scope, &spec.Type{Nullable: true}, "return")
	})
	w := plan.Wanting{Named: map[string]*plan.Step{}}
	for i, s := range r.Find.Steps {
		w.Step(r.Find.Steps[:i], r.Find.Steps[:i+1], s)
		if s.Model.As != "" {
			w.Named[s.Model.As] = s
		}
	}
	w.Note(r.Find.Steps, nil, r.Find.Return)
	if s := plan.Last(r.Find.Steps); s != nil {
		s.WantsAll = true // it stands in for what a create's step would have answered
	}
}

// findBy are the recorded properties that tell objects of one id apart: what
// delete refers to, and read too, where there is one. An output that delete refers
// to is always one of them.
func findBy(r *plan.Resource) []string {
	if r.Delete == nil {
		return nil
	}
	read := map[string]bool{}
	whole := r.Read == nil
	if r.Read != nil {
		var names []string
		names, whole = r.Read.Recorded(r)
		for _, name := range names {
			read[name] = true
		}
	}
	var out []string
	deleted, _ := r.Delete.Recorded(r)
	for _, name := range deleted {
		if whole || read[name] || r.Outputs.ByName[name] != nil {
			out = append(out, name)
		}
	}
	return out
}
