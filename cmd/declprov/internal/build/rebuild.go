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
	"github.com/declprov/declprov/spec/lists"
)

// Rebuild compiles a spec again from the sources in the compiled form of another version.
// name is used in messages. place is the cache key: the path of the file, or another name
// that identifies the content.
func (b *Builder) Rebuild(ctx context.Context, name, place string, old *container.Salvaged) (*container.Container, error) {
	return b.openCached(container.Key{Path: place, Tool: b.Tool, Rebuilt: true}, func() (*Built, error) {
		built, err := b.rebuild(ctx, old)
		if err != nil {
			return nil, fmt.Errorf("%s was compiled by declprov %s; compiling it again: %w", name, old.Tool, err)
		}
		return built, nil
	})
}

// openCached returns the compiled spec of a key, from the cache or from compile.
func (b *Builder) openCached(key container.Key, compile func() (*Built, error)) (*container.Container, error) {
	if c, ok := b.Cache.Lookup(key); ok {
		return c, nil
	}
	begun := time.Now()
	built, err := compile()
	if err != nil {
		return nil, err
	}
	if built.Container == nil {
		return nil, &Mistakes{Findings: built.Findings, Sources: built.Sources}
	}
	if err := b.Cache.Store(key, built.Container, begun); err != nil {
		b.Log.Debug("the compiled spec was not stored", "error", err)
	}
	return container.OpenBytes(built.Container)
}

// rebuild evaluates the sources in a temporary folder. A container does not record which
// source is the spec, so rebuild tries all candidates. If all fail, it returns the result
// of the first.
func (b *Builder) rebuild(ctx context.Context, old *container.Salvaged) (*Built, error) {
	if len(old.Sources) == 0 {
		return nil, errors.New("it contains no source")
	}
	names := localNames(append(sourcePaths(old), old.Dirs...))
	files := make([]container.Source, len(old.Sources))
	for i, s := range old.Sources {
		files[i] = container.Source{Path: filepath.ToSlash(names[i]), Content: s.Content}
	}
	dir, err := writeTemporary(files)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
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
		return nil, errors.New("it contains no spec")
	}
	return first, nil
}

// candidates returns the folders and files that may be the spec, folders of packages
// first. names are the local names of old.Sources, followed by those of old.Dirs.
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

// localNames converts paths, which may be absolute or begin with "..", to paths below
// one folder. It does not change the relative path from one to another.
func localNames(paths []string) []string {
	local := func(p string) bool { return filepath.IsLocal(filepath.FromSlash(p)) }
	if !slices.ContainsFunc(paths, func(p string) bool { return !local(p) }) {
		return paths
	}
	const deep = "/" + "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/" // has more levels than any path has leading ".."
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
	return lists.Map(parts, func(p []string) string { return cmp.Or(filepath.Join(p[shared:]...), ".") })
}
