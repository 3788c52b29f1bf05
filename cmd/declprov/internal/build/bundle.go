package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/lists"
)

// Bundle is the source of a spec without its place on a machine: all files that the loader
// reads, relative to the folder that contains them all. Equal specs give equal bundles, in
// any folder.
type Bundle struct {
	// Spec is the path of the file, or of the folder of the package, that is the spec.
	Spec string
	// Tags are CUE's `@tag` values, as key=value.
	Tags []string
	// Files are sorted by path. Paths are local and slash-separated.
	Files []container.Source
}

// BundleOf returns the bundle of a spec that was compiled from a file or folder.
func BundleOf(compiled []byte, s Spec) (Bundle, error) {
	c, err := container.OpenBytes(compiled)
	if err != nil {
		return Bundle{}, err
	}
	sources, err := c.Sources()
	if err != nil {
		return Bundle{}, err
	}
	// a file first: localNames does not take its name for that of a folder
	paths := lists.Map(sources, func(source container.Source) string { return source.Path })
	paths = append(append(paths, s.Path), c.Dirs()...)
	for i, p := range paths {
		// The names of folders are part of the import paths of CUE packages.
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.Dir, p)
		}
		if paths[i], err = filepath.Abs(p); err != nil {
			return Bundle{}, err
		}
	}
	names := localNames(paths)
	b := Bundle{Spec: filepath.ToSlash(names[len(sources)]), Tags: s.Tags}
	contents := map[string][]byte{}
	for i, source := range sources {
		contents[filepath.ToSlash(names[i])] = source.Content
	}
	for _, path := range slices.Sorted(maps.Keys(contents)) {
		b.Files = append(b.Files, container.Source{Path: path, Content: contents[path]})
	}
	return b, nil
}

// OpenBundle returns the compiled form of a bundle. place identifies its content in the cache;
// read returns the bundle, and is called if the cache does not have its compiled form. If the
// spec has mistakes, OpenBundle returns *Mistakes.
func (b *Builder) OpenBundle(ctx context.Context, place string, read func() (Bundle, error)) (*container.Container, error) {
	return b.openCached(container.Key{Path: place, Tool: b.Tool, Rebuilt: true}, func() (*Built, error) {
		bundle, err := read()
		if err != nil {
			return nil, err
		}
		dir, err := writeTemporary(bundle.Files)
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		return b.Evaluate(ctx, bundle.in(dir))
	})
}

// in returns the spec of a bundle whose files are in a folder. As for every spec that is
// compiled in its own folder, the paths in messages are relative to the spec.
func (b Bundle) in(dir string) Spec {
	for _, f := range b.Files {
		if f.Path == b.Spec {
			parent, name := filepath.Split(filepath.FromSlash(b.Spec))
			return Spec{Dir: filepath.Join(dir, parent), Path: name, Tags: b.Tags}
		}
	}
	return Spec{Dir: filepath.Join(dir, filepath.FromSlash(b.Spec)), Path: ".", Tags: b.Tags}
}

// writeTemporary writes files with local paths into a new temporary folder.
func writeTemporary(files []container.Source) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "declprov-rebuild-*"); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	// CUE looks for its module in the folders above, which belong to others.
	if err := os.Mkdir(filepath.Join(dir, "cue.mod"), 0o700); err != nil {
		return "", err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", fmt.Errorf("unpacking %s: %w", f.Path, withoutPath(err))
		}
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			return "", fmt.Errorf("unpacking %s: %w", f.Path, withoutPath(err))
		}
	}
	return dir, nil
}

// withoutPath returns the reason of an error about a file, without its temporary path.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
