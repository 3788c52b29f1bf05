package check

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
)

// uses are what an expression refers to.
type uses struct {
	refs []Reference
	// unchecked are the accesses to what has no known type.
	unchecked []parse.Extent
}

// Reference is a use of a path.
type Reference struct {
	Path []string
	At   parse.Extent
	// Presence says that it matters only whether it is there: it is compared
	// with null.
	Presence bool
}

// use records that the whole of a value is used.
func (u *uses) use(v Typed) *spec.Type {
	if v.Origin != nil {
		u.refs = append(u.refs, Reference{Path: v.Origin, At: v.At})
	}
	return v.T
}

// Trust notes an access that nothing can check before it runs.
func (u *uses) Trust(at parse.Extent) { u.unchecked = append(u.unchecked, at) }

// refersTo reports whether a reference since then is at or under a path.
func (u *uses) refersTo(since int, path []string) bool {
	return slices.ContainsFunc(u.refs[since:], func(r Reference) bool { return under(r.Path, path) })
}

// under reports whether a path is at or under another.
func under(path, base []string) bool {
	return len(path) >= len(base) && slices.Equal(path[:len(base)], base)
}

func asRefs(list []Reference) []Ref {
	refs := make([]Ref, len(list))
	for i, r := range list {
		refs[i] = Ref{Path: r.Path, Presence: r.Presence}
	}
	return refs
}
