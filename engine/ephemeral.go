package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/declprov/declprov/engine/run/operation"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const (
	// shortestRenewal keeps a spec that says "at once" from renewing all the time.
	shortestRenewal = time.Second
	// renewTimeout is how long a renewal may take.
	renewTimeout = 5 * time.Minute
)

// leases are the ephemeral values that an engine has open.
type leases struct {
	mu   sync.Mutex
	open []*lease
}

// lease is one that was opened: by which function, with what, and what it
// yielded, as last renewed.
type lease struct {
	engine *Engine
	by     *plan.Function
	args   property.Map
	log    operation.Log
	stop   context.CancelFunc // ends the renewals
	done   chan struct{}      // is closed when there are no more

	mu     sync.Mutex
	values property.Map
}

// Opens reports whether the spec has values that are to be closed; see Close.
func (e *Engine) Opens() bool { return len(e.program.Provider.Ephemerals) > 0 }

// keep holds what a function has opened until Close, and renews it.
func (e *Engine) keep(f *plan.Function, args, values property.Map, log operation.Log) {
	if log == nil {
		log = operation.Silent{}
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &lease{engine: e, by: f, args: args, values: values, log: log, stop: stop, done: make(chan struct{})}
	e.leases.mu.Lock()
	e.leases.open = append(e.leases.open, l)
	e.leases.mu.Unlock()
	go l.renewing(ctx)
}

// Close closes every value that is open, all at once, and forgets them: an error
// is for people to read, and nothing can be done about it here. The engine may
// open more afterwards.
func (e *Engine) Close(ctx context.Context) error {
	e.leases.mu.Lock()
	open := e.leases.open
	e.leases.open = nil
	e.leases.mu.Unlock()
	errs := make([]error, len(open))
	var all sync.WaitGroup
	for i, l := range open {
		all.Go(func() { errs[i] = l.close(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// run prepares renew or close: what they see is what was opened.
func (l *lease) run(ctx context.Context, f *plan.Function, v plan.Verb) (*operation.Run, error) {
	r := l.engine.functionRun(ctx, nil, f, plan.Verb(fmt.Sprintf("%s of %s", v, l.by.Ephemeral.Name)), recorded.Ref{}, l.log)
	r.SetObject("inputs", f.Inputs, l.args)
	both := f.Inputs.PlainMap(l.args, []string{"state"}, r.Secrets)
	l.mu.Lock()
	maps.Copy(both, f.Outputs.PlainMap(l.values, []string{"state"}, r.Secrets))
	l.mu.Unlock()
	r.Vars.Values["state"] = both
	return r, r.Open()
}

// masked is an error without the secrets of a run, and without anything that was
// opened, whatever the spec calls secret.
func (l *lease) masked(r *operation.Run, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := value.Secrets{Values: slices.Clone(r.Secrets.Values)}
	all.AddTexts(property.New(l.values))
	return screen.NewMask(all.Values).Error(err)
}

// close gives it back. That it is not there any more is as good.
func (l *lease) close(ctx context.Context) (err error) {
	l.stop()
	select {
	case <-l.done:
	case <-ctx.Done():
		return fmt.Errorf("close of %s: %w", l.by.Ephemeral.Name, scope.Cause(ctx))
	}
	if l.by.Ephemeral.Close == nil {
		return nil
	}
	defer func() { err = recovered(recover(), "close of "+l.by.Ephemeral.Name, err) }()
	r, err := l.run(ctx, l.by.Ephemeral.Close, "close")
	if err != nil {
		return err
	}
	r.Undoing = true
	return l.masked(r, r.Steps(ctx))
}

// renewing renews what is open, as often as the spec says, until ctx ends. A
// renewal that fails is told, and the value is left to end by itself.
func (l *lease) renewing(ctx context.Context) {
	defer close(l.done)
	for {
		after, err := l.renewAfter(ctx)
		if err == nil {
			if after == 0 || stop.Wait(ctx, max(after, shortestRenewal)) != nil {
				return
			}
			err = l.renew(ctx)
		}
		if err != nil {
			if ctx.Err() == nil {
				l.log.Message(operation.Warning, screen.Show(err.Error(), nil))
			}
			return
		}
	}
}

// renewAfter is how long what is open lasts from now on; 0 is for ever.
func (l *lease) renewAfter(ctx context.Context) (after time.Duration, err error) {
	kept := l.by.Ephemeral
	if kept.Renew == nil || kept.RenewAfter == nil {
		return 0, nil
	}
	defer func() { err = recovered(recover(), "renewAfter of "+kept.Name, err) }()
	r, err := l.run(ctx, kept.Renew, "renewAfter")
	if err != nil {
		return 0, err
	}
	v, err := r.Eval(kept.RenewAfter)
	if err == nil {
		after, err = plan.RenewalDelay(v, time.Now())
	}
	if err != nil {
		return 0, l.masked(r, fmt.Errorf("%s: %w", r.Verb, err))
	}
	return after, nil
}

// renew renews what is open. What it yields takes the place of what was.
func (l *lease) renew(ctx context.Context) (err error) {
	defer func() { err = recovered(recover(), "renew of "+l.by.Ephemeral.Name, err) }()
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	r, err := l.run(ctx, l.by.Ephemeral.Renew, "renew")
	if err != nil {
		return err
	}
	if err := r.Steps(ctx); err != nil {
		return l.masked(r, err)
	}
	yield, err := r.Return(r.Operation)
	if err != nil {
		return l.masked(r, err)
	}
	got, err := l.by.Outputs.Project(yield, r.Mask())
	if err != nil {
		return l.masked(r, fmt.Errorf("%s: %w", r.Verb, err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, value := range got.Values {
		l.values = l.values.Set(name, value)
	}
	return nil
}

// recovered is err, or that of a panic: what runs beside the host's calls must
// not end the process.
func recovered(panicked any, what string, err error) error {
	if panicked == nil {
		return err
	}
	return fmt.Errorf("%s failed: %w", what, errPanic)
}

var errPanic = errors.New("declprov itself failed, which is a bug of it")
