package types

import (
	"fmt"
	"strconv"

	"github.com/declprov/declprov/spec"
)

// The codes of this package's diagnostics. They never change once released.
const (
	// CodeUnknownMember: a typed value has no member of that name.
	CodeUnknownMember = "unknown-member"
	// CodeMissingMember: a struct lacks a required member.
	CodeMissingMember = "missing-member"
	// CodeTypeMismatch: a value of another type than the expected one
	CodeTypeMismatch = "type-mismatch"
	// CodeNotAllowed: a constant has the right type, but breaks one of the type's
	// rules.
	CodeNotAllowed = "value-not-allowed"
	// CodeNullUnguarded: a value that may be null is used where null is not allowed.
	CodeNullUnguarded = "null-unguarded"
)

// Mismatch is the reason why a value or a type does not fit a type. Path is the
// position within the value.
type Mismatch struct {
	Path   string
	Reason string
	// Code is the code of the diagnostic.
	Code string
}

// Error returns the reason with the path of the property.
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

// index returns a list index as a step of a path.
func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func notAllowed(format string, args ...any) *Mismatch {
	return &Mismatch{Reason: fmt.Sprintf(format, args...), Code: CodeNotAllowed}
}

func wrongKind(v any, t *spec.Type) *Mismatch {
	return &Mismatch{Reason: "must be " + Describe(t) + ", got " + DescribeKind(v), Code: CodeTypeMismatch}
}
