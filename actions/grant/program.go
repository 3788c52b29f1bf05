package grant

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/declprov/declprov/spec"
)

// IsPath reports whether the name of a program is a path.
func IsPath(program string) bool { return strings.ContainsAny(filepath.ToSlash(program), "/") }

// ProgramName returns the last element of a program's path, in the form used to compare
// names.
func ProgramName(program string) string {
	name := program[strings.LastIndex(filepath.ToSlash(program), "/")+1:]
	if runtime.GOOS == "windows" {
		name = strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
	}
	return name
}

// ProgramCovers reports whether a literal grant may allow a literal program. If one is a
// name and the other a path, only their names are compared: what a name resolves to is
// known at run time.
func ProgramCovers(pattern, program string) bool {
	if IsPath(pattern) == IsPath(program) {
		return filepath.Clean(pattern) == filepath.Clean(program)
	}
	return ProgramName(pattern) == ProgramName(program)
}

// ProgramPattern returns the pattern of a grant of a program from the parts of its evaluated
// template. Programs have no wildcards, so nothing is quoted.
func ProgramPattern(parts []spec.Part) (string, error) {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	if b.Len() == 0 {
		return "", errors.New("the name of the program is empty")
	}
	return b.String(), nil
}
