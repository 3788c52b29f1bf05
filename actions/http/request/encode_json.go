package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// EncodeJSON encodes a value as JSON, with exact numbers, members sorted by name, and no
// unnecessary escapes. A string that is not valid UTF-8 is an error.
func EncodeJSON(v any) ([]byte, error) { return appendJSON(make([]byte, 0, 256), v, 0) }

func appendJSON(b []byte, v any, depth int) ([]byte, error) {
	if depth > decode.MaxDepth {
		return nil, decode.DepthError{}
	}
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case string:
		return appendText(b, v)
	case []any:
		return appendList(b, v, depth)
	case map[string]any:
		return appendObject(b, v, depth)
	case *spec.File:
		return nil, errors.New("the value contains a file; use `multipart` or `bytes` to send files")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("the value contains a number that is not finite")
		}
	case json.Number:
	case fmt.Stringer: // a time
		return appendText(b, v.String())
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the value contains %s, which cannot be encoded as JSON", actions.KindOf(v))
	}
	return append(b, data...), nil
}

func appendList(b []byte, list []any, depth int) (out []byte, err error) {
	b = append(b, '[')
	for i, item := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSON(b, item, depth+1); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendObject(b []byte, m map[string]any, depth int) (out []byte, err error) {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendText(b, name); err != nil {
			return nil, err
		}
		if b, err = appendJSON(append(b, ':'), m[name], depth+1); err != nil {
			return nil, fmt.Errorf("%q: %w", actions.Clip(name, 80), err)
		}
	}
	return append(b, '}'), nil
}

// appendText appends a string with the fewest escapes that JSON allows (RFC 8259, 7).
func appendText(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("the value contains a string that is not valid UTF-8; use base64encode(…)")
	}
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"'), nil
}
