package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/spec/container"
)

// Rebuild builds a spec again from the sources that a compiled form of another
// declprov carries. name is what people know it by; place is the file that it is
// kept under, or another name that stands for its content alone.
func (b *Builder) Rebuild(ctx context.Context, name, place string, old *container.Salvaged) (*container.Container, error) {
	key := container.Key{Path: place, Tool: b.Tool, Rebuilt: true}
	if c, ok := b.Cache.Lookup(key); ok {
		return c, nil
	}
	begun := time.Now()
	built, err := b.rebuild(ctx, old)
	if err != nil {
		return nil, fmt.Errorf("%s was compiled by declprov %s; compiling it again: %w", name, old.Tool, err)
	}
	if built.Container == nil {
		return nil, &Mistakes{Findings: built.Findings, Sources: built.Sources}
	}
	if err := b.Cache.Store(key, built.Container, begun); err != nil {
		b.Log.Debug("the compiled spec is not kept", "error", err)
	}
	return container.OpenBytes(built.Container)
}

// rebuild evaluates the sources in a folder that is gone afterwards. A container
// does not say which of them is the spec, so what may be is tried in turn; of
// what fails, the first says why.
func (b *Builder) rebuild(ctx context.Context, old *container.Salvaged) (*Built, error) {
	if len(old.Sources) == 0 {
		return nil, errors.New("it carries no source")
	}
	dir, err := os.MkdirTemp("", "declprov-rebuild-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	names := below(append(sourcePaths(old), old.Dirs...))
	for i, s := range old.Sources {
		path := filepath.Join(dir, names[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, s.Content, 0o600); err != nil {
			return nil, err
		}
	}
	var first *Built
	for _, spec := range candidates(old, names) {
		spec.Dir = dir
		built, err := b.Evaluate(ctx, spec)
		if err != nil {
			return nil, err
		}
		if built.Container != nil {
			return built, nil
		}
		if first == nil {
			first = built
		}
	}
	if first == nil {
		return nil, errors.New("none of the files that it carries is a spec")
	}
	return first, nil
}

// candidates are what may be the spec: a package's folder, else a file.
func candidates(old *container.Salvaged, names []string) []Spec {
	var list []Spec
	for _, dir := range names[len(old.Sources):] {
		list = append(list, Spec{Path: "." + string(filepath.Separator) + dir, Tags: old.Tags})
	}
	for i, s := range old.Sources {
		switch {
		case s.Path == stdinName:
			list = append(list, Spec{Path: "-", Stdin: s.Content, Format: "cue", Tags: old.Tags}, Spec{Path: "-", Stdin: s.Content, Format: "yaml", Tags: old.Tags})
		case slices.Contains([]string{".cue", ".yaml", ".yml", ".json"}, filepath.Ext(names[i])) && filepath.Base(filepath.Dir(names[i])) != "cue.mod":
			list = append(list, Spec{Path: names[i], Tags: old.Tags})
		}
	}
	return list
}

func sourcePaths(old *container.Salvaged) []string {
	paths := make([]string, len(old.Sources))
	for i, s := range old.Sources {
		paths[i] = s.Path
		if s.Path == stdinName {
			paths[i] = "stdin"
		}
	}
	return paths
}

// below gives paths, which may be absolute or begin with "..", names below one
// folder, and leaves how they lie to each other as it is.
func below(paths []string) []string {
	local := func(p string) bool { return filepath.IsLocal(filepath.FromSlash(p)) }
	if !slices.ContainsFunc(paths, func(p string) bool { return !local(p) }) {
		return paths
	}
	const deep = "/" + "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/" // deeper than any ".." leads
	parts := make([][]string, len(paths))
	for i, p := range paths {
		if p = filepath.ToSlash(strings.TrimPrefix(p, filepath.VolumeName(p))); !path.IsAbs(p) {
			p = deep + p
		}
		parts[i] = strings.Split(path.Clean(p), "/")
	}
	shared := len(parts[0]) - 1
	for _, p := range parts {
		for shared > len(p) || !slices.Equal(parts[0][:shared], p[:shared]) {
			shared--
		}
	}
	names := make([]string, len(paths))
	for i, p := range parts {
		names[i] = cmp.Or(filepath.Join(p[shared:]...), ".")
	}
	return names
}
