package engine

import (
	"context"
	"sync"

	"github.com/declprov/declprov/actions"
)

// runners run the actions of families. Each is opened when it is first used, and lives as
// long as the engine.
type runners struct {
	mu   sync.Mutex
	open map[*actions.Family]actions.Runner
}

// Run runs an action of a family.
func (r *runners) Run(ctx context.Context, f *actions.Family, k *actions.Kind, call *actions.Call) actions.Outcome {
	r.mu.Lock()
	run := r.open[f]
	if run == nil {
		if r.open == nil {
			r.open = map[*actions.Family]actions.Runner{}
		}
		run = f.Runner()
		r.open[f] = run
	}
	r.mu.Unlock()
	return run(ctx, k, call)
}
