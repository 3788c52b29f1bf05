package recorded

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/value"
)

// IsFirst reports whether a change of a property gives an input its first value after an import that did not
// show what the object has. The value is recorded: nobody knows whether the object differs, and to
// replace it would destroy what was to be kept.
func (p Private) IsFirst(c value.Change) bool {
	return slices.ContainsFunc(strings.Fields(p.Unshown), func(name string) bool { return value.IsWithin(c.Path, name) })
}

// KeepUnshown records in the state after an update which inputs the import did not show and the update
// has left as they were.
func (s *State) KeepUnshown(before State) {
	left := slices.DeleteFunc(strings.Fields(before.Private.Unshown), func(name string) bool {
		return !value.PlainEqual(s.Inputs.Get(name), before.Inputs.Get(name))
	})
	s.Private.Unshown = strings.Join(left, " ")
}
