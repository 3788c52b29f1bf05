package actions

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
)

// KindOf returns the name of a plain value's kind for a message: "a string". It never
// shows the value, which may be secret.
func KindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int, int64, float64, json.Number:
		return "a number"
	case string:
		return "a string"
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

// maxExact is the largest integer up to which a float64 holds every integer exactly.
const maxExact = 1 << 53

// TextOf returns a scalar as text, as it appears in paths and parameters.
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
		const most = 1e100 // an id of 22 digits is a float64 if that is exact
		if v == math.Trunc(v) && math.Abs(v) < most {
			return strconv.FormatFloat(v, 'f', 0, 64), nil
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case fmt.Stringer:
		return v.String(), nil
	default:
		return "", fmt.Errorf("expected a string, number or boolean, got %s", KindOf(v))
	}
}

// EachScalar calls visit with each value in v that is not a list or an object.
func EachScalar(v any, visit func(any)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			EachScalar(item, visit)
		}
	case map[string]any:
		for _, item := range v {
			EachScalar(item, visit)
		}
	default:
		visit(v)
	}
}

// MessageOf returns a value as the text of a message: as JSON if it is not a scalar.
func MessageOf(v any) string {
	text, err := TextOf(v)
	if err != nil && v != nil {
		data, _ := json.Marshal(v)
		text = string(data)
	}
	return text
}

// Clip returns at most the first so many bytes of a text. If something was cut off, it
// appends "…", by which a mask recognizes the beginning of a secret that was cut.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// ClipMiddle returns a text of more than most characters without its middle: servers often say the
// reason at the end of a long message. The end begins with a word, so that it has no half of one; a
// text without words has no end. Like Clip, it puts "…" after the beginning. Secrets must be masked
// before.
func ClipMiddle(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	head, tail := string(runes[:most/2]), string(runes[len(runes)-most/2:])
	begins := strings.IndexByte(tail, ' ')
	if begins < 0 {
		return head + "…"
	}
	return head + "… " + strings.TrimLeft(tail[begins:], " ")
}
