package engine

import (
	"fmt"

	"github.com/declprov/declprov/actions"
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
		if c.configure.stepless() {
			return
		}
		c.session = sessionType(last(c.configure.steps))
		for _, s := range c.configure.steps {
			if s.known && s.effect == actions.Write {
				c.fail(codeFunctionEffect, s.at, "", fmt.Sprintf("configure has an effect: %s", s.action),
					"Hosts configure a provider for every preview. Say `effect: \"none\"` where the action only looks or logs in.")
			}
			s.wantsAll = true // what operations use of the session is not known here
		}
		c.configure.ret = c.template(m.Return, t.scope, nil, "return")
		switch {
		case c.configure.ret != nil:
			c.session, c.sessionHidden = c.configure.ret.Type(), c.configure.ret.Hidden()
		case m.Return != nil:
			c.session = &spec.Type{} // broken, which was reported
		}
	})
}

// sessionType is the type of what `configure` yields by its last step.
func sessionType(s *step) *spec.Type {
	if s.forEach != nil || s.yield == "" {
		return stepType(s)
	}
	if s.model.If != nil {
		return orNull(s.yields())
	}
	return s.yields()
}
