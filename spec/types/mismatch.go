package types

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

// Mismatch is why an assignment fails; path is where in the value.
type Mismatch struct {
	Path   string
	Reason string
	// Code is that of the diagnostic.
	Code string
}

// Error says what is wrong, and with which property.
func (m *Mismatch) Error() string {
	if m.Path == "" {
		return "this " + m.Reason
	}
	return fmt.Sprintf("property %q %s", m.Path, m.Reason)
}

func (m *Mismatch) at(step string) *Mismatch {
	if m == nil {
		return nil
	}
	path := step
	switch {
	case m.Path == "":
	case m.Path[0] == '[':
		path += m.Path
	default:
		path += "." + m.Path
	}
	return &Mismatch{Path: path, Reason: m.Reason, Code: m.Code}
}

// Wanted returns a type without its article, as it reads before "is wanted".
func Wanted(t *spec.Type) string {
	if t != nil && t.Ref == "" && len(t.Enum) == 0 && t.Elem == nil && t.Kind != spec.Union && t.Kind != spec.Any {
		return t.Kind.String()
	}
	return Describe(t)
}

// index returns a list index as a step of a path.
func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func notAllowed(format string, args ...any) *Mismatch {
	return &Mismatch{Reason: fmt.Sprintf(format, args...), Code: CodeNotAllowed}
}

func wrongKind(v any, t *spec.Type) *Mismatch {
	return &Mismatch{Reason: "is " + DescribeKind(v) + ", and " + Wanted(t) + " is wanted", Code: CodeTypeMismatch}
}
