package actions

import (
	"encoding/json"
	"fmt"

	"github.com/declprov/declprov/spec"
)

// KindOf names what a plain value is, as a message says it; it never shows the
// value, which may be secret.
func KindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a truth value"
	case int, int64, float64, json.Number:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case *spec.File:
		return "a file"
	default:
		return fmt.Sprintf("a %T", v)
	}
}
