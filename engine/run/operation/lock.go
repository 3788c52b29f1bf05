package operation

import (
	"context"
	"sync"

	"github.com/declprov/declprov/actions"
)

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
