package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/declprov/declprov/actions"
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

// wants reports whether the member of the result is asked for.
func wants(call *actions.Call, member string) bool { return call.Wants == nil || call.Wants(member) }

// changing is the outcome of a change that failed.
func changing(err error) actions.Outcome {
	var changed *actions.ChangedError
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

// modePattern is what a mode looks like: 644, 0644.
const modePattern = "^0?[0-7]{3}$"

// modeOf is the mode that a call gives, or nil.
func modeOf(call *actions.Call) (*fs.FileMode, error) {
	text, given := call.Args["mode"].(string)
	if !given {
		return nil, nil
	}
	bits, err := strconv.ParseUint(text, 8, 32)
	if err != nil || bits > 0o777 || len(text) < 3 {
		return nil, fmt.Errorf(`mode %q is not permission bits in octal, like "0644"`, text)
	}
	mode := fs.FileMode(bits)
	return &mode, nil
}

// modeText is a mode as the results show it.
func modeText(mode fs.FileMode) string { return fmt.Sprintf("%04o", mode.Perm()) }
