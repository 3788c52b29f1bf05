package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// JSON reads one JSON value. Each array, object, member, string, number, boolean and
// null counts as one value, a member together with its name. An error shows nothing
// of the text.
func JSON(data []byte, b *Budget) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, errors.New("it holds invalid UTF-8")
	}
	count, depth := measureJSON(data)
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
		return nil, errors.New("something follows the JSON value")
	}
	return exact(v), nil
}

// jsonError says where the text is wrong, without what stands there.
func jsonError(err error, data []byte) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset < int64(len(data)):
		return fmt.Errorf("it is wrong at byte %d", syntax.Offset)
	case errors.Is(err, io.EOF):
		return errors.New("it holds no value")
	default:
		return errors.New("it ends too early")
	}
}

// measureJSON counts the values of a JSON text and how deep they nest, without
// making any. Of a text that is not JSON the count means nothing: the decoder refuses
// it before it makes a value.
func measureJSON(data []byte) (count, depth int) {
	level := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case ' ', '\t', '\r', '\n', ',':
		case ':':
			count-- // the string before was a name
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

// endOfString returns where the quote is that ends the string that begins at start.
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

// endOfScalar returns where the last byte is of the number, boolean or null that
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
