package operation

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
)

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
	if name = value.WireArgument(actions.Clip(name, 40)); strings.HasPrefix(name, `"`) {
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
