package engine

import (
	"context"
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
		for _, s := range c.configure.steps {
			if s.known && s.effect == actions.Write {
				c.fail(codeFunctionEffect, s.at, "", fmt.Sprintf("configure has an effect: %s", s.action),
					"Hosts configure a provider for every preview. Say `effect: \"none\"` where the action only looks or logs in.")
			}
			s.wantsAll = true // what operations use of the session is not known here
		}
		c.configure.ret = c.template(m.Return, t.scope, nil, "return")
		c.session = &spec.Type{}
		if c.configure.ret != nil {
			c.session = c.configure.ret.Type()
		}
	})
}

// openSession runs `configure`. That it fails is most often the credentials'
// fault, so the error begins with it.
func (e *Engine) openSession(ctx context.Context) error {
	r := e.newRun(nil, e.program.compiler.configure, "configure", Ref{}, nil)
	if err := r.open(); err != nil {
		return err
	}
	err := r.steps(ctx)
	if err == nil {
		e.session, err = r.evalYield()
	}
	if err != nil {
		return fmt.Errorf("the provider's configuration does not work: %w", r.mask().error(err))
	}
	return nil
}
