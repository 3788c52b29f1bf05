package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
)

// maxNesting is how deep a decoded or encoded value may nest.
const maxNesting = 100

// encodeJSON is a value as JSON, with sorted keys and no escapes for HTML.
func (r *run) encodeJSON(v any, indent string) (string, error) {
	e := jsonEncoder{run: r, indent: indent}
	if err := e.encode(v, 0); err != nil {
		return "", err
	}
	return e.out.String(), r.grow(e.out.Len())
}

type jsonEncoder struct {
	run    *run
	indent string
	out    strings.Builder
}

func (e *jsonEncoder) encode(v any, depth int) error {
	if depth > maxNesting {
		return faultf("the value nests deeper than %d", maxNesting)
	}
	if e.out.Len() > maxText {
		return errText
	}
	if err := e.run.spend(1); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
		e.out.WriteString("null")
	case bool:
		e.out.WriteString(strconv.FormatBool(v))
	case string:
		e.text(v)
	case moment:
		e.text(v.String())
	case span:
		e.text(v.String())
	case []any:
		return e.list(v, depth)
	case map[string]any:
		return e.dict(v, depth)
	case *spec.File:
		return faultf("an asset cannot be written as text: hand it to an action as a whole")
	default:
		if !isNumber(v) {
			return faultf("%s cannot be written as text", describeKind(v))
		}
		e.out.WriteString(numberText(v))
	}
	return nil
}

func (e *jsonEncoder) text(s string) {
	if plain(s) {
		e.out.WriteByte('"')
		e.out.WriteString(s)
		e.out.WriteByte('"')
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string always encodes.
	_ = enc.Encode(s)
	e.out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (e *jsonEncoder) list(list []any, depth int) error {
	e.out.WriteByte('[')
	for i, v := range list {
		e.separate(i, depth+1)
		if err := e.encode(v, depth+1); err != nil {
			return err
		}
	}
	if len(list) > 0 {
		e.newline(depth)
	}
	e.out.WriteByte(']')
	return nil
}

func (e *jsonEncoder) dict(m map[string]any, depth int) error {
	e.out.WriteByte('{')
	for i, k := range sortedKeys(m) {
		e.separate(i, depth+1)
		e.text(k)
		e.out.WriteByte(':')
		if e.indent != "" {
			e.out.WriteByte(' ')
		}
		if err := e.encode(m[k], depth+1); err != nil {
			return err
		}
	}
	if len(m) > 0 {
		e.newline(depth)
	}
	e.out.WriteByte('}')
	return nil
}

func (e *jsonEncoder) separate(i, depth int) {
	if i > 0 {
		e.out.WriteByte(',')
	}
	e.newline(depth)
}

func (e *jsonEncoder) newline(depth int) {
	if e.indent != "" {
		e.out.WriteByte('\n')
		for range depth {
			e.out.WriteString(e.indent)
		}
	}
}

// decodeJSON is the value of a JSON text.
func (r *run) decodeJSON(s string) (any, error) {
	if len(s) > maxText {
		return nil, errText
	}
	if err := r.spend(len(s)); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, faultf("this is no JSON: it ends too early")
		}
		return nil, faultf("this is no JSON: %s", quoted(err.Error()))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, faultf("this is no JSON: there is more behind the first value")
	}
	return settled(v, 0)
}

// settled gives decoded numbers the form that they have elsewhere: int64 or
// float64 where that is exact.
func settled(v any, depth int) (any, error) {
	if depth > maxNesting {
		return nil, faultf("the value nests deeper than %d", maxNesting)
	}
	var err error
	switch v := v.(type) {
	case json.Number:
		n, ok := parseNumber(string(v))
		// Digits that would be lost are kept.
		if text := numberText(n); ok && (text == string(v) || sameValue(json.Number(text), v)) {
			return n, nil
		}
		return v, nil
	case int:
		return int64(v), nil
	case uint64:
		return json.Number(strconv.FormatUint(v, 10)), nil
	case []any:
		for i := range v {
			if v[i], err = settled(v[i], depth+1); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = settled(v[k], depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
