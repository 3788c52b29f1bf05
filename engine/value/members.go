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

// MapOfObjects reports whether a response is, or has as its only member, a map whose values are objects, such as
// {"7": {…}, "9": {…}}. path is that of the map: "" or ".NAME".
func MapOfObjects(v any) (path string, ok bool) {
	members, isMap := v.(map[string]any)
	if !isMap {
		return "", false
	}
	for name, member := range members {
		if inner, isObject := member.(map[string]any); isObject && len(members) == 1 && !isKeyOf(name, inner) {
			_, ok := MapOfObjects(inner)
			if ok || len(inner) == 0 {
				return access(name), true
			}
		}
	}
	objects, keyed := 0, false
	for name, member := range members {
		if object, isObject := member.(map[string]any); isObject {
			objects++
			keyed = keyed || isKeyOf(name, object)
		}
	}
	return "", objects == len(members) && (objects > 1 || keyed)
}

// access returns how an expression accesses a member.
func access(name string) string {
	if name = WireArgument(actions.Clip(name, 40)); strings.HasPrefix(name, `"`) {
		return "[" + name + "]"
	}
	return "." + name
}

// isKeyOf reports whether a key is a value of its object, as its id is.
func isKeyOf(key string, object map[string]any) bool {
	for _, v := range object {
		if fmt.Sprint(v) == key {
			return true
		}
	}
	return false
}
