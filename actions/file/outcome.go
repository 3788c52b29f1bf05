package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/files"
)

// location is the path of a call, and the folder that it is relative to.
type location struct {
	Path string `arg:"path"`
	Root string `arg:"root"`
}

// fullPath returns the path below the root.
func (l *location) fullPath() string { return l.resolve(l.Path) }

// resolve returns a path below the root, or the path itself if it is absolute.
func (l *location) resolve(path string) string {
	if path == "" || l.Root == "" || filepath.IsAbs(path) {
		return path
	}
	// Keep a trailing slash: it says that the path is a directory.
	if os.IsPathSeparator(path[len(path)-1]) {
		return filepath.Join(l.Root, path) + string(os.PathSeparator)
	}
	return filepath.Join(l.Root, path)
}

// changeFailure returns the outcome of a step whose only change failed.
func changeFailure(err error) actions.Outcome {
	switch {
	case errors.As(err, new(*files.ChangedError)):
		return actions.Fail(err)
	case errors.As(err, new(*files.UnchangedError)):
		return actions.Refuse(fmt.Errorf("%w; nothing was changed", err))
	default:
		return actions.Refuse(err)
	}
}

// lookFailure returns the outcome of a failed read or stat.
func lookFailure(verb string, err error) actions.Outcome {
	err = fmt.Errorf("%s %w", verb, err)
	if errors.Is(err, fs.ErrNotExist) {
		return actions.Missing(err)
	}
	return actions.Refuse(err)
}

// modeText returns the permission bits in octal.
func modeText(mode fs.FileMode) string { return fmt.Sprintf("%04o", mode.Perm()) }
