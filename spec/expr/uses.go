package expr

import (
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
)

// uses are what an expression refers to.
type uses struct {
	refs []reference
	// unchecked are the accesses to what has no known type.
	unchecked []parse.Extent
}

// reference is a use of a path.
type reference struct {
	path []string
	at   parse.Extent
	// presence says that it matters only whether it is there: it is compared
	// with null.
	presence bool
}

// use records that the whole of a value is used.
func (u *uses) use(v typed) *spec.Type {
	if v.origin != nil {
		u.refs = append(u.refs, reference{path: v.origin, at: v.at})
	}
	return v.t
}

// trust notes an access that nothing can check before it runs.
func (u *uses) trust(at parse.Extent) { u.unchecked = append(u.unchecked, at) }

// refersTo reports whether a reference since then is at or under a path.
func (u *uses) refersTo(since int, path []string) bool {
	return slices.ContainsFunc(u.refs[since:], func(r reference) bool { return under(r.path, path) })
}

// under reports whether a path is at or under another.
func under(path, base []string) bool {
	return len(path) >= len(base) && slices.Equal(path[:len(base)], base)
}

func asRefs(list []reference) []Ref {
	refs := make([]Ref, len(list))
	for i, r := range list {
		refs[i] = Ref{Path: r.path, Presence: r.presence}
	}
	return refs
}
