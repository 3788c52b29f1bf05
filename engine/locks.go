package engine

import (
	"context"
	"sync"

	"github.com/declprov/declprov/actions"
)

// keyedLocks are the `lock` keys of a process: steps with an equal value never
// run side by side. The zero value is ready.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

type keyedLock struct {
	free  chan struct{} // holds one token while nobody has the lock
	users int
}

// acquire waits for a key until ctx ends or the operation is stopped, and returns what gives the key
// back.
func (l *keyedLocks) acquire(ctx context.Context, key string) (func(), error) {
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
		return nil, ErrStopped
	case <-ctx.Done():
		l.leave(key, lock)
		return nil, context.Cause(ctx)
	}
}

// leave forgets a lock that nobody has or waits for.
func (l *keyedLocks) leave(key string, lock *keyedLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lock.users--; lock.users == 0 {
		delete(l.held, key)
	}
}
