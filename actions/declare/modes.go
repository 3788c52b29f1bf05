package declare

import (
	"fmt"
	"io/fs"
	"strconv"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// Mode returns the type of permission bits in octal, such as 644 or 0644.
func Mode() *spec.Type { return Matching("^0?[0-7]{3}$") }

// FileMode is the value of an argument of type Mode. Bits is nil if it is not given.
type FileMode struct{ Bits *fs.FileMode }

// ReadArgument reads the permission bits.
func (m *FileMode) ReadArgument(v any) error {
	if v == nil {
		return nil
	}
	text, _ := v.(string)
	bits, err := strconv.ParseUint(text, 8, 32)
	if err != nil || bits > 0o777 || len(text) < 3 {
		return fmt.Errorf(`invalid mode %q (use permission bits in octal, like "0644")`, text)
	}
	mode := fs.FileMode(bits)
	m.Bits = &mode
	return nil
}

// readable are the permission bits that let users other than the owner read a file.
const readable fs.FileMode = 0o044

// OthersRead reports whether a mode, in octal, lets users other than the owner read a file.
func OthersRead(mode string) bool {
	bits, err := strconv.ParseUint(mode, 8, 32)
	return err == nil && fs.FileMode(bits)&readable != 0
}

// SecretForOthers returns the warning of vet that a secret is written to a file that other
// users can read. mode is a literal in the spec, at the path part of the argument, or the whole
// argument if part is empty.
func SecretForOthers(argument, part, mode string) actions.Fault {
	return actions.Fault{
		Argument: argument, Path: part, Warning: true, Exposes: true, Summary: fmt.Sprintf("a secret is written to a file that other users can read (mode %q)", mode),
		Remedy: "Write `mode: \"0600\"`, or omit `mode`: a new file with secret content then has mode 0600.",
	}
}

// PrivateMode returns a mode without the permissions of group and others.
func PrivateMode(mode fs.FileMode) fs.FileMode { return mode &^ 0o077 }

// WarnOthersRead logs a warning at run time if the mode of a file with a secret lets other
// users read it.
func WarnOthersRead(c *actions.Call, path string, mode fs.FileMode) {
	if c.Log != nil && mode&readable != 0 {
		c.Log(fmt.Sprintf("%s contains a secret, and others can read it (mode %04o). Set its mode to 0600.", path, mode.Perm()), false)
	}
}
