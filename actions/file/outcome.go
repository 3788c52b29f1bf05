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

// location is the path that a call is about, and the folder that relative paths start at.
type location struct {
	Path string `arg:"path"`
	Root string `arg:"root"`
}

// place is where the path is.
func (l *location) place() string { return l.below(l.Path) }

// below is where a path is: below the root, unless it is absolute.
func (l *location) below(path string) string {
	if path == "" || l.Root == "" || filepath.IsAbs(path) {
		return path
	}
	// A slash at the end stays: it says that a directory is meant.
	if os.IsPathSeparator(path[len(path)-1]) {
		return filepath.Join(l.Root, path) + string(os.PathSeparator)
	}
	return filepath.Join(l.Root, path)
}

// changing is the outcome of a change that failed.
func changing(err error) actions.Outcome {
	var changed *files.ChangedError
	if errors.As(err, &changed) {
		return actions.Fail(err)
	}
	return actions.Refuse(err)
}

// looking is the outcome of a look that failed.
func looking(verb string, err error) actions.Outcome {
	err = fmt.Errorf("%s %w", verb, err)
	if errors.Is(err, fs.ErrNotExist) {
		return actions.Missing(err)
	}
	return actions.Refuse(err)
}

// modeText is a mode as the results show it.
func modeText(mode fs.FileMode) string { return fmt.Sprintf("%04o", mode.Perm()) }
