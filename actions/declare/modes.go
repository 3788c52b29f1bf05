package declare

import (
	"fmt"
	"io/fs"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// Mode returns the type of a file's permission bits: 644, 0644.
func Mode() *spec.Type { return Matching("^0?[0-7]{3}$") }

// FileMode is what an argument of type Mode gives: nil bits where it is not given.
type FileMode struct{ Bits *fs.FileMode }

// ReadArgument reads the permission bits.
func (m *FileMode) ReadArgument(v any) error {
	if v == nil {
		return nil
	}
	text, _ := v.(string)
	bits, err := strconv.ParseUint(text, 8, 32)
	if err != nil || bits > 0o777 || len(text) < 3 {
		return fmt.Errorf(`%q is not permission bits in octal, like "0644"`, text)
	}
	mode := fs.FileMode(bits)
	m.Bits = &mode
	return nil
}

// A secret in a file that others than its owner can read: vet warns of it where the mode
// is written, and whoever runs it is told.

// readable are the permission bits by which others than the owner read a file.
const readable fs.FileMode = 0o044

// OthersRead reports whether a mode, in octal, lets others read a file.
func OthersRead(mode string) bool {
	bits, err := strconv.ParseUint(mode, 8, 32)
	return err == nil && fs.FileMode(bits)&readable != 0
}

// SecretForOthers is the warning of secret content in a file of such a mode, which
// stands in an argument, or in a part of it.
func SecretForOthers(argument, part, mode string) actions.Fault {
	return actions.Fault{
		Argument: argument, Path: part, Warning: true, Exposes: true, Summary: fmt.Sprintf("a secret goes into a file that others can read: mode %q", mode),
		Remedy: "Write `mode: \"0600\"`, or leave it out: a new file with secret content is 0600.",
	}
}

// Private is a mode without what it gives to others than the owner.
func Private(mode fs.FileMode) fs.FileMode { return mode &^ 0o077 }

// TellOthersRead logs that a file with a secret can be read by others, where it can.
func TellOthersRead(c *actions.Call, path string, mode fs.FileMode) {
	if c.Log != nil && mode&readable != 0 {
		c.Log(fmt.Sprintf("%s holds a secret, and others can read it: its mode is %04o. Set it to 0600", path, mode.Perm()), false)
	}
}
