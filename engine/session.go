package engine

import (
	"context"
	"fmt"

	"github.com/declprov/declprov/spec/expr"
)

// openSession runs `configure`. That it fails is most often the credentials'
// fault, so the error begins with it.
func (e *Engine) openSession(ctx context.Context) error {
	r := e.newRun(ctx, nil, e.program.Session, "configure", Ref{}, nil)
	if err := r.open(); err != nil {
		return err
	}
	err := r.steps(ctx)
	if err == nil {
		var session any
		session, err = r.Return(r.op)
		e.session = expr.Reveal(session, e.configSecrets.Saw)
		e.configSecrets.Within(session, []string{"session"})
		e.hides = e.hides.With(e.configSecrets.Values)
	}
	if err != nil {
		return fmt.Errorf("the provider's configuration does not work: %w", r.Mask().Error(err))
	}
	return nil
}
