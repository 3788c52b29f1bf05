package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// Locks holds the `lock` keys that are in use: operations and steps with equal keys never run at
// the same time. The zero value is ready.
type Locks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

type keyedLock struct {
	free  chan struct{} // holds one token while nobody has the lock
	users int
	// by is the holder that has the lock, nil if nobody has it.
	by *holder
}

// holder is an operation with all that runs within it, such as its steps, its find and its undo
// steps. What it has locked is not locked again by what runs within it.
type holder struct {
	waits *keyedLock // the lock that it waits for, or nil
}

type holderKey struct{}

// acquire waits for a key until ctx ends or the operation is stopped. It returns the context of
// what runs under the lock, and a function that releases the key. If the operation of ctx has the
// key already, it keeps it. If the wait would never end, because the operation that has the key
// waits for a key of this one, acquire returns an error.
func (l *Locks) acquire(ctx context.Context, key string) (context.Context, func(), error) {
	h, _ := ctx.Value(holderKey{}).(*holder)
	if h == nil {
		h = &holder{}
		ctx = context.WithValue(ctx, holderKey{}, h)
	}
	lock, wait, err := l.join(key, h)
	if err != nil || !wait {
		return ctx, func() {}, err
	}
	select {
	case <-lock.free:
		l.took(lock, h)
		return ctx, func() { l.release(key, lock) }, nil
	case <-actions.StopDone(ctx):
		err = actions.ErrStopped
	case <-ctx.Done():
		err = scope.Cause(ctx)
	}
	l.leave(key, lock, h)
	return ctx, func() {}, err
}

// join returns the lock of a key, and adds a holder to those that wait for it. wait is false if it
// has the lock.
func (l *Locks) join(key string, h *holder) (lock *keyedLock, wait bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock = l.held[key]
	if lock == nil {
		lock = &keyedLock{free: make(chan struct{}, 1)}
		lock.free <- struct{}{}
		if l.held == nil {
			l.held = map[string]*keyedLock{}
		}
		l.held[key] = lock
	}
	if lock.by == h {
		return lock, false, nil
	}
	for by := lock.by; by != nil && by.waits != nil; by = by.waits.by {
		if by.waits.by == h {
			return nil, false, errors.New("the operation that has it waits for a lock of this one: take the locks in the same order everywhere, or put one lock next to `steps`")
		}
	}
	lock.users++
	h.waits = lock
	return lock, true, nil
}

// took records that a holder has taken a lock.
func (l *Locks) took(lock *keyedLock, h *holder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock.by, h.waits = h, nil
}

// release gives a lock to the next holder that waits for it.
func (l *Locks) release(key string, lock *keyedLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock.by = nil
	lock.free <- struct{}{}
	l.forget(key, lock)
}

// leave ends the wait of a holder.
func (l *Locks) leave(key string, lock *keyedLock, h *holder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.waits = nil
	l.forget(key, lock)
}

// forget ends one use of a lock, and forgets the lock if nobody else has it or waits for it.
func (l *Locks) forget(key string, lock *keyedLock) {
	if lock.users--; lock.users == 0 {
		delete(l.held, key)
	}
}

// Lock takes the lock of the operation, if it has one: it is held until release is called. The
// operation runs with the returned context. A preview takes no lock, because it changes nothing.
func (r *Run) Lock(ctx context.Context) (locked context.Context, release func(), err error) {
	first := r.firstUnfinished()
	if r.Operation.Lock == nil || r.Preview || first == len(r.Operation.Steps) {
		return ctx, func() {}, nil
	}
	defer r.showLive("the lock of " + string(r.Verb))()
	defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	key, err := r.Text(r.Operation.Lock)
	if err == nil {
		locked, release, err = r.rt.locks.hold(ctx, key, r.Log)
	}
	if err != nil {
		r.Failed = first // where the next run goes on
		return ctx, func() {}, r.Stop(r.Operation.Steps[first], 1, actions.Refused, err)
	}
	return locked, release, nil
}

// LockNames takes a lock that creates of a type share if their finds would find the same object, until release is
// called: the second one finds what the first has made. Without it, both would find nothing. Texts that a rule
// of equality may count as equal share a lock; it does no harm if others do, too.
func LockNames(ctx context.Context, r *Run, inputs property.Map) (locked context.Context, release func(), err error) {
	if !r.Resource.FindFirst {
		return ctx, func() {}, nil
	}
	defer r.showLive("waiting for another create with the same names")() // and not the key: names may be secret
	key := "the names of " + r.Resource.Spec.Name
	for _, name := range r.Resource.Names {
		if m := r.Resource.Inputs.ByName[name]; m != nil && m.EqualExpr == nil {
			key += " " + strings.ReplaceAll(strings.ToLower(value.Canonical(inputs.Get(name))), " ", "")
		}
	}
	if locked, release, err = r.rt.locks.acquire(ctx, key); err != nil {
		err = fmt.Errorf("waiting for another create with the same names: %w", err)
	}
	return locked, release, err
}

// hold is acquire for a lock of an operation or a step, "" if that has none. The log shows the wait.
func (l *Locks) hold(ctx context.Context, key string, log masked) (locked context.Context, release func(), err error) {
	if key == "" {
		return ctx, func() {}, nil
	}
	before := log.live.Replace(screen.Show(fmt.Sprintf("waiting for lock %q", key), log.run.Mask()))
	locked, release, err = l.acquire(ctx, key)
	log.live.Replace(before)
	if err != nil {
		err = fmt.Errorf("waiting for lock %q: %w", key, err)
	}
	return locked, release, err
}
