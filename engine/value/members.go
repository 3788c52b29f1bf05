package value

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
)

// ListMembers returns a phrase that lists the members of a response, for an error about a member
// that is missing. It returns "" if the response is not an object, or is secret.
func ListMembers(v any) string {
	members, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	if len(members) == 0 {
		return "; it has no members"
	}
	const most, longest = 10, 40
	var names []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if len(names) == most {
			names = append(names, fmt.Sprintf("and %d more", len(members)-most))
			break
		}
		names = append(names, WireArgument(actions.Clip(name, longest)))
	}
	return "; it has: " + strings.Join(names, ", ")
}
