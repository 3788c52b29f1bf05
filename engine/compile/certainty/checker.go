// Package certainty judges a compiled resource by what its steps may have done when nobody knows:
// which objects may be created twice, overwritten, or taken for one's own.
package certainty

import (
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// Check reports what is uncertain in the operations of a resource. It notes in the resource which
// step creates the object, and whether `find` is asked before that step.
func Check(found *finding.Collector, r *plan.Resource) {
	c := checker{Collector: found, r: r}
	if r.Create != nil {
		r.Maker = makerOf(r.Create, r.IDAfter)
		if r.Maker != nil && r.IDFromResponses() && r.Maker.IsAtCollection(parentsOf(r)) {
			r.Maker.Doubt()
		}
		r.FindFirst = r.Find != nil && !r.Spec.Find.NotFirst && r.Maker != nil && r.Maker.Certainty != actions.Keyed
		r.Unproven = c.isUnproven()
		r.SoughtBy = inputsOf(r, r.Find.Refs())
		r.Names = inputsOf(r, slices.Concat(r.Find.Refs(), r.ID.Refs()))
		c.checkFindType()
		c.checkCreate()
		c.checkUpdate()
		c.checkRestart(r.Create)
		c.checkRestart(r.Update)
		c.checkStuck(r.Create, plan.Create)
		c.checkStuck(r.Update, plan.Update)
		c.checkRetries()
		c.checkForeign(r.Update, plan.Update, "changes")
		c.checkForeign(r.Delete, plan.Delete, "removes")
	}
	c.checkFindInputs()
	c.checkFindGone()
	c.checkFindAlways()
	c.checkConditions(r.Update, "update")
	c.checkConditions(r.Delete, "delete")
}

// checker judges one resource.
type checker struct {
	*finding.Collector
	r *plan.Resource
}

// makerOf returns the step that creates the object: the last step with an effect up to the one that
// gives the id, or else the first with an effect.
func makerOf(op *plan.Operation, idAfter int) *plan.Step {
	var maker *plan.Step
	for i, s := range op.Steps {
		if s.Effect == actions.Write && (maker == nil || i <= idAfter) {
			maker = s
		}
	}
	return maker
}

// isUnproven reports whether an object may be created that its id does not name: the service chooses
// its address, and neither the id nor a step of create comes from there.
func (c *checker) isUnproven() bool {
	r := c.r
	if r.Read == nil || r.Maker == nil || !r.Maker.Names || r.IDFromResponses() {
		return false
	}
	return !slices.ContainsFunc(r.Create.Steps, func(s *plan.Step) bool {
		return slices.ContainsFunc(r.Read.Steps, func(read *plan.Step) bool { return s.Place != "" && c.placeOf(s) == c.placeOf(read) })
	})
}

// parentsOf returns the inputs that say where the objects of a resource are: those that an import
// gives next to the id, and those of its list.
func parentsOf(r *plan.Resource) []string {
	parents := slices.Sorted(maps.Keys(r.Identity.Inputs()))
	if r.Spec.List != nil && r.Spec.List.Inputs != nil {
		parents = append(parents, r.Spec.List.Inputs.FieldNames()...)
	}
	return parents
}

// inputsOf returns the inputs among references.
func inputsOf(r *plan.Resource, refs []expr.Ref) []string {
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

// checkCreate warns if a create may create an object twice because a response was lost, or
// overwrite an existing object that this resource does not manage.
func (c *checker) checkCreate() {
	r := c.r
	for _, s := range r.Create.Steps {
		if r.MayRunTwice(s) {
			d := c.Warn(finding.CodeAtLeastOnce, s.Model.Range, "create", fmt.Sprintf("%s may be created twice: %s may run twice", r.Spec.Name, s.Name),
				"If the response is lost, or the provider dies before it arrives, it is not known whether the step had an effect, and the next run repeats it. "+c.onceRemedy(s))
			if !noteIfAccepted(d, s) {
				d.Detail += " If the next run may repeat it nevertheless, say that you know: `idempotent: false`."
			}
		}
	}
	if m := r.Maker; m != nil && m.OverwriteRemedy != "" && !r.FindFirst && !m.UsesResults() {
		c.Warn(finding.CodeMayOverwrite, m.Model.Range, "create", fmt.Sprintf("a create of %s may overwrite an object that it did not make", r.Spec.Name),
			"The step replaces an existing object. "+m.OverwriteRemedy+c.findFirst())
	}
}

// noteIfAccepted turns the warning that a step may run twice into a note if the author says by
// `idempotent: false` that this is known, and reports whether that is so.
func noteIfAccepted(d *diag.Diagnostic, s *plan.Step) bool {
	idempotent, given := s.Static().Literals["idempotent"].(bool)
	if given && !idempotent {
		d.Severity = diag.Note
	}
	return given && !idempotent
}

// findFirst returns the end of a remedy: how `find` prevents that an object is overwritten.
func (c *checker) findFirst() string {
	if c.r.Find != nil && c.r.Spec.Find.NotFirst {
		return ", or remove `first: false`, so that `find` runs before the create."
	}
	return ", or add a `find`, which runs before the create."
}

// onceRemedy returns how the author prevents a step of create from running twice.
func (c *checker) onceRemedy(s *plan.Step) string {
	switch {
	case c.r.Spec.Create.Rest && c.r.Spec.List == nil:
		return "If an object can be found by its inputs, give the resource a `find`: `find: http: path: \"/things/name/${inputs.name}\"`. Or add `idempotencyKey: true` to rest if the server supports it."
	case c.r.Spec.Create.Rest:
		return "If the values of an input are unique, add the name of that input: `rest: {…, unique: \"name\"}`. Or add `idempotencyKey: true` if the server supports it."
	case s == c.r.Maker:
		return s.RepeatRemedy + " Or give the resource a `find` that looks for the created object."
	default:
		return s.RepeatRemedy + " (A `find` only shows whether the step that makes the object had its effect.)"
	}
}

// checkRetries reports a `retry` or `until` that repeats a step whose outcome is unknown, unless
// the find of the resource can tell what the step did. It cannot for steps of a delete and for undo steps.
func (c *checker) checkRetries() {
	r := c.r
	for _, op := range []*plan.Operation{r.Create, r.Update, r.Delete} {
		if op == nil {
			continue
		}
		for _, s := range op.Steps {
			checkRetry(c.Collector, s, r.Find != nil && op != r.Delete && (s == r.Maker || op == r.Update), "give the resource a `find`; or ")
			for _, u := range s.Undo {
				checkRetry(c.Collector, u, false, "give the resource a `find`; or ")
			}
		}
	}
}

// CheckRepeats reports a `retry` or `until` that repeats a step with an unknown outcome, in an operation
// that is not about a resource's object: that of a method or an ephemeral.
func CheckRepeats(c *finding.Collector, op *plan.Operation) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		checkRetry(c, s, false, "")
	}
}

// checkRetry reports the `retry` or `until` of one step. found reports whether find can tell what
// the step did. other is another remedy for retry, as the beginning of a sentence.
func checkRetry(c *finding.Collector, s *plan.Step, found bool, other string) {
	if s.Certainty != actions.Uncertain {
		return
	}
	if s.Retry != nil && s.Model.Retry != nil && s.Retry.CoversDoubt(s) && !found {
		c.Fail(finding.CodeUnsafeRetry, s.Model.Retry.Range, "retry", fmt.Sprintf("%s may have succeeded when it is retried", s.Action),
			"This retry includes failures after which it is not known whether the step had an effect. "+s.RepeatRemedy+
				" Or "+other+"restrict `on` to failures without an effect, such as 409 or an exit code.")
	}
	if s.Until != nil && !s.Streams {
		c.Fail(finding.CodeUnsafeRetry, s.Model.Until.Range, "until", fmt.Sprintf("until repeats %s, which has an effect each time", s.Action),
			"Wait in a separate step that only reads. If repeating this one does no harm, add `idempotent: true`; if it changes nothing, `effect: \"none\"`.")
	}
}

// checkRestart warns about effects that a `restart` repeats.
func (c *checker) checkRestart(op *plan.Operation) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		for _, again := range op.Steps[s.Restart:s.Index] {
			// A request that has received a response is sent again with another key.
			remade := again == c.r.Maker && again.Certainty == actions.Keyed
			if again.Effect != actions.Write || again.Certainty.Repeatable() && !remade {
				continue
			}
			d := c.Warn(finding.CodeAtLeastOnce, s.Model.RestartRange, "restart",
				fmt.Sprintf("%s of %s may run twice: %s restarts there", again.Name, c.r.Spec.Name, s.Name),
				"A run that is resumed repeats the effects from that step on. If it may repeat this one, say that you know: `idempotent: false`; or `idempotent: true`, if that changes nothing.")
			if noteIfAccepted(d, again) {
				continue // a later step may be one of which the author does not know
			}
			break
		}
	}
}
