// Package files is the file system that an action may touch.
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

// Files is the file system as far as a spec's permissions reach. Every method
// takes a path that is absolute or starts at the folder of the user's program,
// and refuses what is not granted before any system call on it.
//
// Below the literal part of a granted pattern (its base, which the operator
// named and which may be a symbolic link) nothing is believed twice: a path is
// walked folder by folder, each held open (os.Root), and a symbolic link in it
// is followed only to where its target is granted too. So neither `..`, nor a
// link, nor a link that is put there meanwhile leads out.
//
// It is safe for concurrent use. It holds the folders open that it walks from
// (see keptFolders); one that is removed and made again is found again.
type Files struct {
	dir     string
	rules   []grant.PathRule
	sweeps  *sweeps
	folders *keptFolders
	// buffers are for what is written, *[copyBuffer]byte: a new one a write
	// would be most of what it allocates.
	buffers *sync.Pool
	// hook lets a test fail or stop the named step of a change.
	hook func(step string) error
}

// copyBuffer is how many bytes are read and written at a time.
const copyBuffer = 32 << 10

// New grants the rules. Dir is the absolute folder that relative paths and
// patterns start at.
func New(dir string, rules []grant.Rule) (*Files, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the program's folder %q must be an absolute path", dir)
	}
	f := &Files{
		dir: filepath.Clean(dir), sweeps: &sweeps{}, folders: &keptFolders{},
		buffers: &sync.Pool{New: func() any { return new([copyBuffer]byte) }},
	}
	return f.Granting(rules)
}

// Granting is the same file system under other rules: for grants that differ
// from call to call. It shares what is remembered of folders.
func (f *Files) Granting(rules []grant.Rule) (*Files, error) {
	f = &Files{dir: f.dir, sweeps: f.sweeps, folders: f.folders, buffers: f.buffers}
	for _, r := range rules {
		if r.Access != grant.Read && r.Access != grant.Write {
			return nil, fmt.Errorf("a grant of files reads or writes; %q does neither", r.Pattern)
		}
		compiled, err := grant.CompilePath(f.dir, r)
		if err != nil {
			return nil, err
		}
		f.rules = append(f.rules, compiled)
	}
	return f, nil
}

// Grants returns the rules, for what enforces them by other means.
func (f *Files) Grants() []grant.PathRule { return slices.Clone(f.rules) }

// Check is nil where the access to the path is granted. It asks nothing of the
// file system.
func (f *Files) Check(access grant.Access, name string) error {
	abs, err := f.absolute(name)
	if err != nil {
		return err
	}
	_, err = f.granted(access, abs, "")
	return err
}

// absolute is the path from the file system's root on, cleaned lexically.
func (f *Files) absolute(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path is empty; name a file")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the path %q holds a NUL character, which no file name can", name)
	case filepath.IsAbs(name):
		return filepath.Clean(name), nil
	default:
		return filepath.Join(f.dir, name), nil
	}
}

// granted is the rule that allows it: of several, the one whose base is highest
// up, where the most links can be followed. Via is the link that led there.
func (f *Files) granted(access grant.Access, abs, via string) (grant.PathRule, error) {
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

// PermissionError is the error of what a spec's permissions do not grant.
type PermissionError struct {
	Access grant.Access
	// Path is what was asked for, absolute.
	Path string
	// Via is the symbolic link that leads to it, or "".
	Via string
	// Granted are the patterns that are.
	Granted []string
}

func (e *PermissionError) Error() string {
	verb, list := "read", "permissions.read"
	if e.Access == grant.Write {
		verb, list = "write", "permissions.write"
	}
	var b strings.Builder
	if e.Via != "" {
		fmt.Fprintf(&b, "%q leads by a symbolic link out of what is granted: ", e.Via)
	}
	fmt.Fprintf(&b, "%q: not permitted to %s; ", e.Path, verb)
	if len(e.Granted) == 0 {
		fmt.Fprintf(&b, "the spec may %s nothing", verb)
	} else {
		fmt.Fprintf(&b, "the spec may %s only %s", verb, grant.QuoteAll(e.Granted))
	}
	fmt.Fprintf(&b, ": choose another, or have the author of the spec add it to %s", list)
	return b.String()
}

// Is makes the error one of fs.ErrPermission's kind.
func (e *PermissionError) Is(target error) bool { return target == fs.ErrPermission }

// ChangedError is the error of a change that failed after something may have
// changed. Any other error of a method that changes means: nothing has.
type ChangedError struct{ Err error }

func (e *ChangedError) Error() string { return e.Err.Error() }

// Unwrap is the error itself.
func (e *ChangedError) Unwrap() error { return e.Err }

// because is the error without the operation and path that package os puts in
// front of it: ours say them in the author's words.
func because(err error) error {
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

// at is a test's chance to fail or stop a step of a change.
func (f *Files) at(step string) error {
	if f.hook == nil {
		return nil
	}
	return f.hook(step)
}
