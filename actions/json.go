package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep what comes or goes may nest.
const MaxDepth = 100

// DecodeJSON reads one JSON value from outside, with numbers exact: int64 or float64
// where these hold them to the last digit, else json.Number. What it says is wrong
// shows nothing of the text.
func DecodeJSON(data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, errors.New("it holds invalid UTF-8")
	}
	if tooDeep(data) {
		return nil, fmt.Errorf("it nests deeper than %d", MaxDepth)
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

// jsonError says where, without the text that stands there.
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

// tooDeep reports whether arrays and objects nest too deep. It is told before
// decoding, which recurses.
func tooDeep(data []byte) bool {
	depth, inText := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// exact makes numbers int64 or float64 where these hold them to the last digit.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		return exactNumber(v)
	case []any:
		for i, item := range v {
			v[i] = exact(item)
		}
	case map[string]any:
		for name, item := range v {
			v[name] = exact(item)
		}
	}
	return v
}

func exactNumber(n json.Number) any {
	s := string(n)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil && s != "-0" {
		return i
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return n
	}
	digits, exponent, ok := decimal(s)
	again, exponent2, _ := decimal(strconv.FormatFloat(f, 'e', -1, 64))
	if !ok || digits != again || exponent != exponent2 {
		return n
	}
	return f
}

// decimal is a number's significant digits and the power of ten of the last of
// them; ok is false where the exponent is beyond reason.
func decimal(s string) (digits string, exponent int, ok bool) {
	s = strings.TrimPrefix(s, "-")
	if mantissa, power, has := cutAny(s, "eE"); has {
		e, err := strconv.Atoi(strings.TrimPrefix(power, "+"))
		if err != nil || e > 1e6 || e < -1e6 {
			return "", 0, false
		}
		s, exponent = mantissa, e
	}
	whole, fraction, _ := strings.Cut(s, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if trimmed == "" {
		return "", 0, true
	}
	return trimmed, exponent, true
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
