package request

import "sync"

// maxCached limits the number of values, since keys may depend on inputs.
const maxCached = 1000

// Cache caches values by key. When it is full, it drops some value. It is safe for concurrent
// use.
type Cache[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

// Get returns the value for the key, and makes it if necessary.
func (k *Cache[K, V]) Get(key K, make func() V) V {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.values[key]
	if ok {
		return v
	}
	if k.values == nil {
		k.values = map[K]V{}
	}
	if len(k.values) >= maxCached {
		for other := range k.values {
			delete(k.values, other)
			break
		}
	}
	v = make()
	k.values[key] = v
	return v
}
