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

// place is where a call's path is: below its root, unless it is absolute.
func place(call *actions.Call, argument string) string {
	name, root := call.String(argument), call.String("root")
	if name == "" || root == "" || filepath.IsAbs(name) {
		return name
	}
	// A slash at the end stays: it says that a directory is meant.
	if os.IsPathSeparator(name[len(name)-1]) {
		return filepath.Join(root, name) + string(os.PathSeparator)
	}
	return filepath.Join(root, name)
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
