// Package files gives an action access to the file system, within its permissions.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions/grant"
)

// Files is the file system within the permissions of a spec. Every method takes a path that
// is absolute or relative to the folder of the user's program, and refuses a path that is
// not granted before any system call on it.
//
// The base of a grant is the literal part of its pattern. The operator named it, and it may
// be a symbolic link, unless another grant lets the spec write there. Below the base, a path is walked folder by folder, each held open
// (os.Root), and a symbolic link is followed only if its target is granted too. So neither
// `..`, nor a link, nor a link that appears during the walk leads out of the grants.
//
// It is safe for concurrent use. It keeps the folders open that walks start from (see
// keptFolders), and opens a folder again that was removed and made anew.
type Files struct {
	dir     string
	rules   []grant.PathRule
	sweeps  *sweeps
	folders *keptFolders
	// buffers holds copy buffers (*[copyBuffer]byte). A new buffer for each write would be
	// most of what a write allocates.
	buffers *sync.Pool
	// hook lets a test fail or stop the named step of a change.
	hook func(step string) error
}

// copyBuffer is how many bytes are read and written at a time.
const copyBuffer = 32 << 10

// New returns the file system under the rules. Relative paths and patterns are relative to
// dir, which is absolute.
func New(dir string, rules []grant.Rule) (*Files, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the program's folder must be an absolute path, got %q", dir)
	}
	f := &Files{
		dir: filepath.Clean(dir), sweeps: &sweeps{}, folders: &keptFolders{},
		buffers: &sync.Pool{New: func() any { return new([copyBuffer]byte) }},
	}
	return f.WithRules(rules)
}

// WithRules returns the same file system under other rules, for grants that differ from call
// to call. Both share the open folders.
func (f *Files) WithRules(rules []grant.Rule) (*Files, error) {
	f = &Files{dir: f.dir, sweeps: f.sweeps, folders: f.folders, buffers: f.buffers}
	for _, r := range rules {
		if r.Access != grant.Read && r.Access != grant.Write {
			return nil, fmt.Errorf("a grant of files must have access read or write, got %q with another access", r.Pattern)
		}
		compiled, err := grant.CompilePath(f.dir, r)
		if err != nil {
			return nil, err
		}
		f.rules = append(f.rules, compiled)
	}
	setRoots(f.rules)
	return f, nil
}

// Grants returns the rules, for example for the kernel's sandbox.
func (f *Files) Grants() []grant.PathRule { return slices.Clone(f.rules) }

// Check returns nil if the access to the path is granted. It does not use the file system.
func (f *Files) Check(access grant.Access, name string) error {
	abs, err := f.absolute(name)
	if err != nil {
		return err
	}
	_, err = f.findRule(access, abs, "")
	return err
}

// absolute returns the absolute path, cleaned lexically.
func (f *Files) absolute(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path is empty; give the path of a file")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the path %q contains a NUL character, which is not valid in a file name", name)
	case filepath.IsAbs(name):
		return filepath.Clean(name), nil
	default:
		return filepath.Join(f.dir, name), nil
	}
}

// findRule returns the rule that allows the access, or a *PermissionError. Of several it
// returns the one with the shortest base, under which the most links can be followed. Via is
// the symbolic link that led to the path, or "".
func (f *Files) findRule(access grant.Access, abs, via string) (grant.PathRule, error) {
	var best grant.PathRule
	for _, r := range f.rules {
		if r.Allows(access) && r.Matches(abs) && (best.Base == "" || len(r.Base) < len(best.Base)) {
			best = r
		}
	}
	if best.Base != "" {
		return best, nil
	}
	refused := &PermissionError{Access: access, Path: abs, Via: via}
	for _, r := range f.rules {
		if r.Allows(access) {
			refused.Granted = append(refused.Granted, r.Pattern)
		}
	}
	return grant.PathRule{}, refused
}

// PermissionError reports a path that a spec's permissions do not grant.
type PermissionError struct {
	Access grant.Access
	// Path is the requested absolute path.
	Path string
	// Via is the symbolic link that leads to it, or "".
	Via string
	// Granted are the granted patterns.
	Granted []string
}

func (e *PermissionError) Error() string {
	verb, list := "read", "permissions.read"
	if e.Access == grant.Write {
		verb, list = "write", "permissions.write"
	}
	var b strings.Builder
	if e.Via != "" {
		fmt.Fprintf(&b, "the symbolic link %q leads to a path that is not granted: ", e.Via)
	}
	fmt.Fprintf(&b, "%q: not permitted to %s; ", e.Path, verb)
	if len(e.Granted) == 0 {
		fmt.Fprintf(&b, "the spec may not %s any file", verb)
	} else {
		fmt.Fprintf(&b, "the spec may only %s %s", verb, grant.QuoteAll(e.Granted))
	}
	fmt.Fprintf(&b, " (choose another path, or ask the author of the spec to add it to %s)", list)
	return b.String()
}

// Is reports that the error is an fs.ErrPermission.
func (e *PermissionError) Is(target error) bool { return target == fs.ErrPermission }

// UnchangedError reports a change that failed without an effect, for a reason that does not say so.
type UnchangedError struct{ Err error }

func (e *UnchangedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnchangedError) Unwrap() error { return e.Err }

// ChangedError reports a change that failed after something may have changed. Any other
// error of a method means that nothing has changed.
type ChangedError struct{ Err error }

func (e *ChangedError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *ChangedError) Unwrap() error { return e.Err }

// causeOf returns an error of package os without its operation and path, which our messages
// state in the words of the spec.
func causeOf(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	default:
		return err
	}
}

// runHook lets a test fail or stop a step of a change.
func (f *Files) runHook(step string) error {
	if f.hook == nil {
		return nil
	}
	return f.hook(step)
}
