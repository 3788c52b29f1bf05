// Package assets reads the assets (one file each) and archives (many files) that the user
// passes to a provider.
//
// The user chose these files, not the spec, so they are read without a permission of the
// spec, wherever they are. Actions that write the files of an archive need permissions.
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

// Opened is the content of an asset, which is read once and closed.
type Opened struct {
	io.ReadCloser
	// Size is in bytes; -1 if it is not known before the end.
	Size int64
}

// Open opens the content of an asset: a text, a file, or the response of a URL. Errors name
// the asset, and what to pass instead. If the content is not what the host has hashed, reading it fails
// before its end.
func Open(ctx context.Context, env *actions.Env, f *spec.File) (*Opened, error) {
	opened, err := open(ctx, env, f)
	if err != nil || f.Hash == "" || f.Text != nil {
		return opened, err
	}
	return &Opened{ReadCloser: verify(opened, f), Size: opened.Size}, nil
}

func open(ctx context.Context, env *actions.Env, f *spec.File) (*Opened, error) {
	switch {
	case f.Archive:
		return nil, errors.New("expected an asset with one file, got an archive")
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

// errElided reports an asset from a state, where the host stores only the hash.
var errElided = errors.New("the state contains only its hash, not its content; pass the asset again")

func openPath(env *actions.Env, path string) (*Opened, error) {
	if env == nil || env.Files == nil {
		return nil, errors.New("reading files is not available here")
	}
	file, info, err := env.Files.OpenAsset(path)
	if err != nil {
		return nil, err
	}
	return &Opened{ReadCloser: file, Size: info.Size()}, nil
}

// openURI opens the file that a URI names, or the response to a GET.
func openURI(ctx context.Context, env *actions.Env, uri string) (*Opened, error) {
	u, err := url.Parse(uri)
	if err != nil {
		// The message omits the URL and the parser's error, which may contain a password.
		return nil, errors.New("invalid URL of an asset (use the form https://host/path)")
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return nil, fmt.Errorf("asset %q is on another machine; use file:///path, or pass the file itself", display(u))
		}
		return openPath(env, filepath.FromSlash(u.Path))
	case "http", "https":
		return fetch(ctx, env, u)
	default:
		return nil, fmt.Errorf("asset %q: unsupported scheme (use file, http or https), or pass the file itself", display(u))
	}
}

// spool copies content to a temporary file, to learn its size or to read it twice. The file
// has no name, and is gone when it is closed.
func spool(ctx context.Context, from *Opened) (*os.File, int64, error) {
	defer from.Close()
	file, err := files.CreateTemp("declprov-asset-")
	if err != nil {
		return nil, 0, err
	}
	// Some systems cannot remove an open file; there it is left to the system's cleanup.
	_ = os.Remove(file.Name())
	n, err := io.Copy(file, io.LimitReader(files.CancellableReader(ctx, from), MaxBytes+1))
	if err == nil && n > MaxBytes {
		err = tooLarge()
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

const (
	// MaxBytes is the maximum size of a remote asset, or of all files of an archive.
	MaxBytes = 4 << 30
	// MaxFiles is the maximum number of files in an archive.
	MaxFiles = 100_000
	// fetchTimeout is how long a server may take to begin its response.
	fetchTimeout = 30 * time.Second
)

func tooLarge() error {
	return fmt.Errorf("it is larger than %d bytes; pass less at once", int64(MaxBytes))
}

// Entry is one file of an archive.
type Entry struct {
	// Name is its slash-separated path in the archive, without "..".
	Name string
	// Mode are its permission bits.
	Mode fs.FileMode
	// Size is in bytes; -1 if it is not known before the end.
	Size int64
	// Content is valid until the visit function returns.
	Content io.Reader
}
