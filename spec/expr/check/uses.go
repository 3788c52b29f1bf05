package check

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/lists"
)

// uses are the references of an expression.
type uses struct {
	refs []Reference
	// unchecked are the accesses to values of unknown type.
	unchecked []parse.Extent
}

// Reference is a use of a path.
type Reference struct {
	Path []string
	At   parse.Extent
	// Presence means that only the presence of the value matters, because it is
	// compared with null.
	Presence bool
}

// use records that a value is used as a whole.
func (u *uses) use(v TypedPart) *spec.Type {
	if v.Origin != nil {
		u.refs = append(u.refs, Reference{Path: v.Origin, At: v.At})
	}
	return v.T
}

// Use is use for the functions of other packages.
func (u *uses) Use(v TypedPart) { u.use(v) }

// Trust records an access that cannot be checked before it runs.
func (u *uses) Trust(at parse.Extent) { u.unchecked = append(u.unchecked, at) }

// refersTo reports whether a reference since index since is at or under a path.
func (u *uses) refersTo(since int, path []string) bool {
	return slices.ContainsFunc(u.refs[since:], func(r Reference) bool { return isUnder(r.Path, path) })
}

// isUnder reports whether a path is at or under another.
func isUnder(path, base []string) bool {
	return len(path) >= len(base) && slices.Equal(path[:len(base)], base)
}

func asRefs(list []Reference) []Ref {
	return lists.Map(list, func(r Reference) Ref { return Ref{Path: r.Path, Presence: r.Presence} })
}
