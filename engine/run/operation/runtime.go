package operation

import (
	"context"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// Runtime is what the runs of a configured provider share. It is safe for concurrent use.
type Runtime struct {
	Program *plan.Program
	locks   *Locks
	// Config is the configuration as templates see it; settings is the same with its secrets marked.
	Config   map[string]any
	settings property.Map
	// locations are those of the resources that were asked for, by *plan.Resource: see Location.
	locations sync.Map
	// ConfigSecrets are the secrets of the configuration and of the session.
	ConfigSecrets value.Secrets
	// hides masks ConfigSecrets; the masks of operations add their own secrets.
	hides *screen.Mask
	// session is what `configure` returned, nil if the spec has none.
	session any
	Permits *permit.Permits
	runners runners
	// hash returns the hash of a text, which tells nothing of the text.
	hash func(text string) string
}

// NewRuntime returns the runtime of a program with a complete configuration, after it has run
// the spec's `configure`. Relative paths start at dir. locks are shared by all runtimes of the
// program. hash returns the hash of a text, which tells nothing of the text: it names the
// elements of secret maps.
func NewRuntime(
	ctx context.Context, p *plan.Program, locks *Locks, config property.Map, dir string, hash func(text string) string,
) (*Runtime, error) {
	rt := &Runtime{Program: p, settings: config, locks: locks, hash: hash}
	rt.Config = p.ConfigType.PlainMap(config, []string{"config"}, &rt.ConfigSecrets)
	rt.hides = screen.NewMask(rt.ConfigSecrets.Values)
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

// openSession runs `configure`. Wrong credentials are the usual reason why it fails, so its
// error points at the configuration.
func (rt *Runtime) openSession(ctx context.Context) error {
	r := rt.New(ctx, nil, rt.Program.Session, "configure", recorded.Ref{}, nil)
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

// Mask returns a mask of the configuration's secrets and of what is marked as secret in the
// values.
func (rt *Runtime) Mask(values ...property.Value) *screen.Mask {
	var all value.Secrets
	for _, v := range values {
		all.AddMarked(v)
	}
	return rt.hides.With(all.Values)
}

// Scope returns the scope that the templates of every operation start with.
func (rt *Runtime) Scope(ctx context.Context, ref recorded.Ref) scope.Scope {
	const names = 14 // the most that an operation has: the map need not grow
	values := make(map[string]any, names)
	values["config"], values["session"], values["resource"] = rt.Config, rt.session, resourceValue(ref)
	secrets := &value.Secrets{}
	secrets.Paths = append(secrets.Paths, rt.ConfigSecrets.Paths...)
	secrets.Values = append(secrets.Values, rt.ConfigSecrets.Values...)
	s := scope.New(ctx, values, secrets, rt.Program, rt.hides)
	s.Vars.Open = rt.Permits.OpenAsset
	return s
}

// Vars returns the variables of a template that belongs to no operation.
func (rt *Runtime) Vars(ctx context.Context, values map[string]any) *expr.Vars {
	vars := scope.New(ctx, values, nil, rt.Program, rt.hides).Vars
	vars.Open = rt.Permits.OpenAsset
	return vars
}

// resourceValue returns the `resource` of templates.
func resourceValue(ref recorded.Ref) map[string]any {
	v := map[string]any{"type": ref.Type, "name": nil}
	if ref.Name != "" {
		v["name"] = ref.Name
	}
	return v
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
