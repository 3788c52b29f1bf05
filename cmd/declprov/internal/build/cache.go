package build

import (
	"path/filepath"
	"time"

	"github.com/declprov/declprov/spec/container"
)

// key returns the cache key of a spec. Specs from standard input and from temporary
// folders have no key.
func (b *Builder) key(s Spec) (key container.Key, ok bool) {
	if s.Path == "-" || s.Dir != "" {
		return container.Key{}, false
	}
	path, err := filepath.Abs(s.Path)
	if err != nil {
		return container.Key{}, false
	}
	base, err := filepath.Abs(".")
	return container.Key{Path: path, Tags: s.Tags, Tool: b.Tool, Base: base}, err == nil
}

// lookup returns the compiled form of a spec that has not changed since it was stored, or
// nil.
func (b *Builder) lookup(s Spec) *container.Container {
	key, ok := b.key(s)
	if !ok {
		return nil
	}
	c, ok := b.Cache.Lookup(key)
	b.Log.Debug("looked for the compiled spec", "path", key.Path, "found", ok)
	if !ok {
		return nil
	}
	return c
}

// store stores the compiled form of a spec. Its sources were read after begun; if one has
// changed since then, nothing is stored. A failure is only logged, because it only costs the
// next process time.
func (b *Builder) store(s Spec, compiled []byte, begun time.Time) {
	key, ok := b.key(s)
	if !ok {
		return
	}
	if err := b.Cache.Store(key, compiled, begun); err != nil {
		b.Log.Debug("the compiled spec was not stored", "error", err)
	}
}
