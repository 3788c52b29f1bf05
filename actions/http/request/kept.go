package request

import "sync"

// mostKept bounds what is kept, for keys that depend on inputs.
const mostKept = 1000

// Kept holds values by their keys, each made once by who first asks for it. Of many, some
// are forgotten and made again. It is safe for concurrent use.
type Kept[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

// Get returns the value under the key.
func (k *Kept[K, V]) Get(key K, make func() V) V {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.values[key]
	if ok {
		return v
	}
	if k.values == nil {
		k.values = map[K]V{}
	}
	if len(k.values) >= mostKept {
		for other := range k.values {
			delete(k.values, other)
			break
		}
	}
	v = make()
	k.values[key] = v
	return v
}
