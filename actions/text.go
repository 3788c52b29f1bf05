package actions

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

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

// maxExact is the largest integer that a float64 holds with all before it.
const maxExact = 1 << 53

// TextOf is a value as text, as paths and parameters have it.
func TextOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case int:
		return strconv.Itoa(v), nil
	case json.Number:
		return v.String(), nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= maxExact {
			return strconv.FormatFloat(v, 'f', 0, 64), nil
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case fmt.Stringer:
		return v.String(), nil
	default:
		return "", fmt.Errorf("is %s, and text, a number or a truth value is wanted", KindOf(v))
	}
}

// MessageOf returns a value as the text of a message: JSON, where it is not a scalar.
func MessageOf(v any) string {
	text, err := TextOf(v)
	if err != nil && v != nil {
		data, _ := json.Marshal(v)
		text = string(data)
	}
	return text
}

// Clip returns a text of at most so many bytes, and a mark where something was cut off:
// of a secret that was cut, a mask finds what is left by it.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
