package build

import (
	"path/filepath"
	"time"

	"github.com/declprov/declprov/spec/container"
)

// key is what the compiled form of a spec is kept under. Standard input has no
// place to be found by, and neither has what lies in a folder for the moment.
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

// recall is the compiled form of a spec that has not changed since, or nil.
func (b *Builder) recall(s Spec) *container.Container {
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

// keep stores the compiled form of a spec that was read from begun on. That it
// cannot costs the next process time, nothing else.
func (b *Builder) keep(s Spec, compiled []byte, begun time.Time) {
	key, ok := b.key(s)
	if !ok {
		return
	}
	if err := b.Cache.Store(key, compiled, begun); err != nil {
		b.Log.Debug("the compiled spec is not kept", "error", err)
	}
}
