package grant

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/declprov/declprov/spec"
)

// IsPath reports whether a program is named by a path.
func IsPath(program string) bool { return strings.ContainsAny(filepath.ToSlash(program), "/") }

// ProgramName is the last name of a program, as it is compared.
func ProgramName(program string) string {
	name := program[strings.LastIndex(filepath.ToSlash(program), "/")+1:]
	if runtime.GOOS == "windows" {
		name = strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
	}
	return name
}

// ProgramCovered reports whether a grant that is written out may allow a program
// that is. Whether a name stands for a path only the machine tells.
func ProgramCovered(pattern, program string) bool {
	if IsPath(pattern) == IsPath(program) {
		return filepath.Clean(pattern) == filepath.Clean(program)
	}
	return ProgramName(pattern) == ProgramName(program)
}

// ProgramPattern is a grant of which some parts are values: a program stands for
// itself.
func ProgramPattern(parts []spec.Part) (string, error) {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	if b.Len() == 0 {
		return "", errors.New("it names no program: the value is empty")
	}
	return b.String(), nil
}
