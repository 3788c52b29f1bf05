package compile

import (
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// session compiles `configure`: the operation that checks the credentials, and yields what other
// operations see as `session`. It returns nil if the spec has none.
func (c *compiler) session() (op *plan.Operation) {
	m := c.Spec.Configure
	if m == nil {
		return nil
	}
	defer func() { c.families.CompileWaiting(c.Collector, c.Names) }()
	c.In("configure", "configure", func() {
		t := scopes.NewTrail(c.ConfigScope())
		op = c.steps.Operation(m, t, nil)
		c.Session = &spec.Type{}
		if op.Stepless() {
			return
		}
		c.refuseEffects(op, "configure", "Hosts configure a provider for every preview. Add `effect: \"none\"` if the action only reads or logs in.")
		for _, s := range op.Steps {
			s.UsedWhole = true // other operations may use any part of the session
		}
		op.Return = c.Template(m.Return, t.Scope, nil, "return")
		switch {
		case op.Return != nil:
			c.Session, c.SessionSecret = op.Return.Type(), op.Return.Hidden()
		case m.Return == nil:
			c.Session = sessionType(plan.Last(op.Steps))
		}
	})
	return op
}

// sessionType returns the type of a session that is the result of the last step.
func sessionType(s *plan.Step) *spec.Type {
	switch {
	case s.ForEach != nil || s.Yield == "":
		return plan.StepType(s)
	case s.Model.If != nil:
		return plan.OrNull(s.Yields())
	default:
		return s.Yields()
	}
}
