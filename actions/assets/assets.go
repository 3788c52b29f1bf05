// Package assets reads what the user of a provider hands over to it: assets,
// which are one file each, and archives, which are many.
//
// Permissions bound what a spec may do, and it is not the spec that chose these:
// they are read wherever they lie, as the SDKs of the host would. Where an
// archive's files go is bound, by what writes them.
package assets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
)

// Opened is the content of an asset, to be read once and closed.
type Opened struct {
	io.ReadCloser
	// Size is in bytes; -1 where it is not known before the end.
	Size int64
}

// Open opens the content of an asset: a text, a file, or what a URL yields.
// Errors name the asset, and what to hand over instead.
func Open(ctx context.Context, env *actions.Env, f *spec.File) (*Opened, error) {
	switch {
	case f.Archive:
		return nil, errors.New("it is an archive, and one file is wanted; hand over an asset")
	case f.Text != nil:
		return &Opened{ReadCloser: io.NopCloser(strings.NewReader(*f.Text)), Size: int64(len(*f.Text))}, nil
	case f.Path != "":
		return openPath(env, f.Path)
	case f.URI != "":
		return openURI(ctx, env, f.URI)
	default:
		return nil, errElided
	}
}

// errElided is what is left of an asset in a state whose contents the host has
// left out.
var errElided = errors.New("its content is not at hand, only its hash; hand it over again")

func openPath(env *actions.Env, path string) (*Opened, error) {
	if env == nil || env.Files == nil {
		return nil, errors.New("files cannot be read here")
	}
	file, info, err := env.Files.OpenAsset(path)
	if err != nil {
		return nil, err
	}
	return &Opened{ReadCloser: file, Size: info.Size()}, nil
}

// openURI opens what a URI names: a file, or the answer to a GET.
func openURI(ctx context.Context, env *actions.Env, uri string) (*Opened, error) {
	u, err := url.Parse(uri)
	if err != nil {
		// What is wrong with it is not told: that may be a part of a password.
		return nil, errors.New("the asset's URL cannot be read; hand over one like https://host/path")
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return nil, fmt.Errorf("asset %q is on another machine; write file:///path, or hand the file over", display(u))
		}
		return openPath(env, filepath.FromSlash(u.Path))
	case "http", "https":
		return fetch(ctx, env, u)
	default:
		return nil, fmt.Errorf("asset %q: only file, http and https can be read; hand over the file itself", display(u))
	}
}

// spooled copies what is opened to a temporary file, for those who must know its
// size or read it twice; the file has no name, and goes when it is closed.
func spooled(ctx context.Context, from *Opened, limit int64) (*os.File, int64, error) {
	defer from.Close()
	file, err := files.CreateTemp("declprov-asset-")
	if err != nil {
		return nil, 0, err
	}
	// Where an open file cannot be removed, closing leaves it to the system.
	_ = os.Remove(file.Name())
	n, err := io.Copy(file, io.LimitReader(files.Cancellable(ctx, from), limit+1))
	if err == nil && n > limit {
		err = tooLarge(limit)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, n, nil
}

// Spool opens an asset whose size is known: what has none before it is read is
// read first.
func Spool(ctx context.Context, env *actions.Env, f *spec.File) (*Opened, error) {
	opened, err := Open(ctx, env, f)
	if err != nil || opened.Size >= 0 {
		return opened, err
	}
	file, size, err := spooled(ctx, opened, MaxBytes)
	if err != nil {
		return nil, err
	}
	return &Opened{ReadCloser: file, Size: size}, nil
}

const (
	// MaxBytes is the most that a remote asset, or the files of an archive
	// together, may have.
	MaxBytes = 4 << 30
	// MaxFiles is how many files an archive may have.
	MaxFiles = 100_000
	// fetchTimeout is how long a server may take to begin its answer.
	fetchTimeout = 30 * time.Second
)

func tooLarge(limit int64) error {
	return fmt.Errorf("it has more than %d bytes; hand over less at once", limit)
}

// Entry is one file of an archive.
type Entry struct {
	// Name is its path in the archive, with slashes: one below it, never "..".
	Name string
	// Mode are its permission bits.
	Mode fs.FileMode
	// Size is in bytes; -1 where it is not known before the end.
	Size int64
	// Content is read before the next entry is looked at.
	Content io.Reader
}
