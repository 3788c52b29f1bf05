package expr

import (
	"fmt"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// The codes of this package's diagnostics. They never change once released.
const (
	// CodeUnknownMember: a typed value has no such member.
	CodeUnknownMember = "unknown-member"
	// CodeMissingMember: a struct lacks a member that is required of it.
	CodeMissingMember = "missing-member"
	// CodeTypeMismatch: a value has another type than the one that is expected.
	CodeTypeMismatch = "type-mismatch"
	// CodeNotAllowed: a constant is of the right type, and against its rules.
	CodeNotAllowed = "value-not-allowed"
	// CodeNullUnguarded: a value that may be null is used as if it never were.
	CodeNullUnguarded = "null-unguarded"
)

// mismatch is why an assignment fails; path is where in the value.
type mismatch struct {
	path   string
	reason string
	// code is that of the diagnostic.
	code string
}

func (m *mismatch) Error() string {
	if m.path == "" {
		return "this " + m.reason
	}
	return fmt.Sprintf("property %q %s", m.path, m.reason)
}

func (m *mismatch) at(step string) *mismatch {
	if m == nil {
		return nil
	}
	path := step
	switch {
	case m.path == "":
	case m.path[0] == '[':
		path += m.path
	default:
		path += "." + m.path
	}
	return &mismatch{path: path, reason: m.reason, code: m.code}
}

// Wanted is a type without its article, as it reads before "is wanted".
func Wanted(t *spec.Type) string {
	if t != nil && t.Ref == "" && len(t.Enum) == 0 && t.Elem == nil && t.Kind != spec.Union && t.Kind != spec.Any {
		return t.Kind.String()
	}
	return Describe(t)
}

// index is a list index as a step of a path.
func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func notAllowed(format string, args ...any) *mismatch {
	return &mismatch{reason: fmt.Sprintf(format, args...), code: CodeNotAllowed}
}

func wrongKind(v any, t *spec.Type) *mismatch {
	return &mismatch{reason: "is " + DescribeKind(v) + ", and " + Wanted(t) + " is wanted", code: CodeTypeMismatch}
}
