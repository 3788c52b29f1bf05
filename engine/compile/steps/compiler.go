// Package steps compiles the steps of operations: their conditions, actions, verdicts and undo
// steps.
package steps

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/arguments"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/grants"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Compiler compiles steps.
type Compiler struct {
	*finding.Collector
	names    *scopes.Names
	families *arguments.Families
	grants   *grants.Checker
	// wire is the rule for names on the wire: the resource's, or else the spec's.
	wire string
}

// NewCompiler returns a compiler that reports to the collector of grants.
func NewCompiler(families *arguments.Families, checker *grants.Checker, wire string) *Compiler {
	return &Compiler{Collector: checker.Collector, names: checker.Names, families: families, grants: checker, wire: wire}
}

// probe returns a compiler whose findings do not count.
func (c *Compiler) probe() *Compiler {
	return NewCompiler(c.families, c.grants.Probe(), c.wire)
}

// Operation compiles the steps of an operation, and adds them to the trail. After each step it
// calls added, which may be nil.
func (c *Compiler) Operation(op *spec.Operation, t *scopes.Trail, added func(index int)) *plan.Operation {
	out := &plan.Operation{}
	before := t.Scope
	for i, m := range op.Steps {
		compile := func() {
			s := c.Step(m, i, t)
			out.Steps = append(out.Steps, s)
			t.Add(s)
			if added != nil {
				added(i)
			}
			c.undo(s, t)
		}
		if len(op.Steps) == 1 && !op.Listed {
			compile()
		} else {
			c.In(fmt.Sprintf("step %d", i+1), fmt.Sprintf("steps[%d]", i), compile)
		}
	}
	out.Lock = c.Template(op.Lock, before, scopes.StringType, "lock")
	if op.Retry != nil {
		c.In("retry", "retry", func() { c.groupRetry(out, op.Retry, before) })
	}
	return out
}

// undo compiles the steps of an onFailure. They see what their step sees, its result, the error, and the results of
// the undo steps before them.
func (c *Compiler) undo(s *plan.Step, t *scopes.Trail) {
	if len(s.Model.OnFailure) == 0 {
		return
	}
	trail := t.Undo(expr.Name{Name: "error", Type: scopes.StringType})
	for i, m := range s.Model.OnFailure {
		c.In("onFailure", fmt.Sprintf("onFailure[%d]", i), func() {
			undo := c.Step(m, i, trail)
			undo.Name = fmt.Sprintf("undo %d of %s", i+1, s.Name)
			s.Undo = append(s.Undo, undo)
			trail.Add(undo)
		})
	}
}

// groupRetry compiles a `retry` beside `steps`, which repeats all of them. It reports the first
// step with an effect that must not be repeated when a later step fails. A conditional step may be refused itself, and then all steps are
// repeated; if only steps that read follow it, their failures repeat nothing.
func (c *Compiler) groupRetry(op *plan.Operation, n *spec.Node, before *expr.Scope) {
	op.Retry = c.retry(n, before)
	for i, s := range op.Steps {
		more := slices.ContainsFunc(op.Steps[i+1:], func(later *plan.Step) bool { return later.Effect == actions.Write })
		if i == len(op.Steps)-1 || !plan.MustNotBeRepeated(s) || s.Certainty == actions.Conditional && !more {
			continue
		}
		summary, remedy := "would be repeated", s.RepeatRemedy+" Or give"
		if s.Certainty == actions.Conditional {
			summary, remedy = "would be refused because it has succeeded before,", "Its condition no longer holds then. Give"
		}
		c.Fail(finding.CodeUnsafeRetry, n.Range, "", fmt.Sprintf("%s (%s) %s when a later step is retried", s.Name, s.Action, summary),
			"This retry repeats all steps from the first. "+remedy+" the later step a retry of its own.")
		return
	}
}

// FirstEffect returns the index of the first step that may have an effect, judged without the types
// of its arguments, or else of the last step.
func (c *Compiler) FirstEffect(op *spec.Operation) int {
	probe := c.probe()
	t := scopes.NewTrail(&expr.Scope{})
	for i, m := range op.Steps {
		bare := &spec.Step{As: m.As, Actions: m.Actions, Range: m.Range}
		if probe.Step(bare, i, t).Effect == actions.Write {
			return i
		}
	}
	return max(0, len(op.Steps)-1)
}
