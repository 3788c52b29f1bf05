package run

import (
	"context"
	"fmt"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Runtime is what the runs of a configured provider share. It is safe for concurrent use.
type Runtime struct {
	program *plan.Program
	locks   *Locks
	// Config is the configuration as templates see it.
	Config map[string]any
	// ConfigSecrets are the secrets of the configuration and of the session.
	ConfigSecrets value.Secrets
	// hides masks ConfigSecrets; the masks of operations add their own secrets.
	hides *screen.Mask
	// session is what `configure` returned, nil if the spec has none.
	session any
	Permits *permit.Permits
	runners runners
	records records
	// Tokens are the tokens of the resources that were created or shown as live.
	Tokens recorded.Tokens
}

// NewRuntime returns the runtime of a program with a complete configuration, after it has run
// the spec's `configure`. Relative paths start at dir. locks are shared by all runtimes of the
// program. openJournal opens the journal, once.
func NewRuntime(
	ctx context.Context, p *plan.Program, locks *Locks, config property.Map, dir string, openJournal func() (*journal.Journal, error),
) (*Runtime, error) {
	rt := &Runtime{program: p, locks: locks}
	rt.Config = p.ConfigType.PlainMap(config, []string{"config"}, &rt.ConfigSecrets)
	rt.hides = screen.NewMask(rt.ConfigSecrets.Values)
	rt.records = newRecords(openJournal, p.Provider.Name, withoutSecrets(p, config))
	var err error
	if rt.Permits, err = permit.New(ctx, p, rt.Config, dir); err != nil {
		return nil, err
	}
	if p.Session != nil {
		if err := rt.openSession(ctx); err != nil {
			return nil, err
		}
	}
	return rt, nil
}

// withoutSecrets returns a configuration without its secret members.
func withoutSecrets(p *plan.Program, config property.Map) property.Map {
	for name, value := range config.AllStable {
		if m := p.ConfigType.ByName[name]; m == nil || m.Secret || value.HasSecrets() {
			config = config.Delete(name)
		}
	}
	return config
}

// Mask returns a mask of the configuration's secrets and of what is marked as secret in the
// values.
func (rt *Runtime) Mask(values ...property.Value) *screen.Mask {
	var all value.Secrets
	for _, v := range values {
		all.AddMarked(v)
	}
	return rt.hides.With(all.Values)
}

// Journal opens the journal.
func (rt *Runtime) Journal() (*journal.Journal, error) { return rt.records.open() }

// openSession runs `configure`. Wrong credentials are the usual reason why it fails, so its
// error points at the configuration.
func (rt *Runtime) openSession(ctx context.Context) error {
	r := rt.New(ctx, nil, rt.program.Session, "configure", recorded.Ref{}, nil)
	if err := r.Open(); err != nil {
		return err
	}
	err := r.Steps(ctx)
	if err == nil {
		var session any
		session, err = r.Return(r.Operation)
		rt.session = expr.Reveal(session, rt.ConfigSecrets.AddPlain)
		rt.ConfigSecrets.MarkSecrets(session, []string{"session"})
		rt.hides = rt.hides.With(rt.ConfigSecrets.Values)
	}
	if err != nil {
		return fmt.Errorf("the provider's configuration does not work: %w", r.Mask().Error(err))
	}
	return nil
}

// runners holds the runner of each family of actions. A runner is opened at its first use and
// lives as long as the engine.
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

// Locks holds the `lock` keys that are in use: steps with equal keys never run at the same
// time. The zero value is ready.
type Locks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

type keyedLock struct {
	free  chan struct{} // holds one token while nobody has the lock
	users int
}

// acquire waits for a key until ctx ends or the operation is stopped, and returns a function
// that releases the key.
func (l *Locks) acquire(ctx context.Context, key string) (func(), error) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*keyedLock{}
	}
	lock := l.held[key]
	if lock == nil {
		lock = &keyedLock{free: make(chan struct{}, 1)}
		lock.free <- struct{}{}
		l.held[key] = lock
	}
	lock.users++
	l.mu.Unlock()

	select {
	case <-lock.free:
		return func() {
			lock.free <- struct{}{}
			l.leave(key, lock)
		}, nil
	case <-actions.StopDone(ctx):
		l.leave(key, lock)
		return nil, actions.ErrStopped
	case <-ctx.Done():
		l.leave(key, lock)
		return nil, context.Cause(ctx)
	}
}

// leave ends one use of a lock, and forgets the lock if nobody else has it or waits for it.
func (l *Locks) leave(key string, lock *keyedLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lock.users--; lock.users == 0 {
		delete(l.held, key)
	}
}
