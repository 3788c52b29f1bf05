package compile

import (
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// configuring compiles `configure`: the operation that tries the credentials,
// and whose yield is `session` in all others.
func (c *compiler) configuring() {
	m := c.spec.Configure
	if m == nil {
		return
	}
	c.in("configure", "configure", func() {
		t := newTrail(c.configScope())
		c.configure = c.steps(m, t, func(int) {})
		c.session = &spec.Type{}
		if c.configure.Stepless() {
			return
		}
		c.session = sessionType(plan.Last(c.configure.Steps))
		for _, s := range c.configure.Steps {
			if s.Known && s.Effect == actions.Write {
				c.fail(codeFunctionEffect, s.At, "", fmt.Sprintf("configure has an effect: %s", s.Action),
					"Hosts configure a provider for every preview. Say `effect: \"none\"` where the action only looks or logs in.")
			}
			s.WantsAll = true // what operations use of the session is not known here
		}
		c.configure.Return = c.template(m.Return, t.scope, nil, "return")
		switch {
		case c.configure.Return != nil:
			c.session, c.sessionHidden = c.configure.Return.Type(), c.configure.Return.Hidden()
		case m.Return != nil:
			c.session = &spec.Type{} // broken, which was reported
		}
	})
}

// sessionType is the type of what `configure` yields by its last step.
func sessionType(s *plan.Step) *spec.Type {
	if s.ForEach != nil || s.Yield == "" {
		return plan.StepType(s)
	}
	if s.Model.If != nil {
		return plan.OrNull(s.Yields())
	}
	return s.Yields()
}
