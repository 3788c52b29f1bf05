package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// JSON decodes one JSON value. Each array, object, string, number, boolean and null
// counts as one value; a member of an object counts as one, together with its name.
// Errors do not quote the text.
func JSON(data []byte, b *Budget) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, errors.New("invalid UTF-8")
	}
	count, depth := MeasureJSON(data)
	if depth > MaxDepth {
		return nil, DepthError{}
	}
	if err := b.Spend(count); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, jsonError(err, data)
	}
	if rest := data[dec.InputOffset():]; len(bytes.TrimLeft(rest, " \t\r\n")) > 0 {
		return nil, errors.New("unexpected data after the JSON value")
	}
	return exactNumber(v), nil
}

// jsonError returns the position of a syntax error without quoting the text.
func jsonError(err error, data []byte) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset < int64(len(data)):
		return fmt.Errorf("syntax error at byte %d", syntax.Offset)
	case errors.Is(err, io.EOF):
		return errors.New("no value")
	default:
		return errors.New("unexpected end")
	}
}

// MeasureJSON returns the number of values in a JSON text and their nesting depth
// without decoding it. If the text is not valid JSON, the count is meaningless. That
// is harmless, because the decoder then fails before it creates a value.
func MeasureJSON(data []byte) (count, depth int) {
	level := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case ' ', '\t', '\r', '\n', ',':
		case ':':
			count-- // the string before the colon was a name
		case '{', '[':
			count++
			level++
			depth = max(depth, level)
		case '}', ']':
			level--
		case '"':
			count++
			i = endOfString(data, i)
		default:
			count++
			i = endOfScalar(data, i)
		}
	}
	return max(count, 0), depth
}

// endOfString returns the index of the closing quote of the string that begins at
// start.
func endOfString(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(data)
}

// endOfScalar returns the index of the last byte of the number, boolean or null that
// begins at start.
func endOfScalar(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case ' ', '\t', '\r', '\n', ',', ':', '{', '}', '[', ']', '"':
			return i - 1
		}
	}
	return len(data)
}
