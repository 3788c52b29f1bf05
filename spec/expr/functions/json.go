package functions

import (
	"errors"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/encode"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// EncodeJSON returns a value as JSON, with sorted keys and without HTML escapes.
func EncodeJSON(r *eval.Run, v any, indent string) (string, error) {
	e := jsonEncoder{run: r, indent: indent}
	if err := e.encode(v, 0); err != nil {
		return "", err
	}
	return e.out.String(), e.count()
}

type jsonEncoder struct {
	run    *eval.Run
	indent string
	out    strings.Builder
	// counted is the length of the part of out that was charged.
	counted int
}

// count charges for the text that was written since the last call.
func (e *jsonEncoder) count() error {
	if e.out.Len() > eval.MaxText {
		return eval.ErrText
	}
	n := e.out.Len() - e.counted
	e.counted += n
	return e.run.Grow(n)
}

func (e *jsonEncoder) encode(v any, depth int) error {
	if depth > decode.MaxDepth {
		return eval.Faultf("the value nests deeper than %d levels", decode.MaxDepth)
	}
	if e.out.Len() > eval.MaxText {
		return eval.ErrText
	}
	if err := e.run.Spend(2); err != nil {
		return err
	}
	if e.out.Len()-e.counted > 1<<14 {
		if err := e.count(); err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case nil:
		e.out.WriteString("null")
	case bool:
		e.out.WriteString(strconv.FormatBool(v))
	case string:
		e.text(v)
	case eval.Moment:
		e.text(v.String())
	case eval.Span:
		e.text(v.String())
	case []any:
		return e.list(v, depth)
	case map[string]any:
		return e.dict(v, depth)
	case *spec.File:
		return eval.Faultf("an asset cannot be converted to a string: pass it to an action as a whole")
	default:
		if !types.IsNumber(v) {
			return eval.Faultf("%s cannot be converted to a string", eval.DescribeKind(v))
		}
		e.out.WriteString(types.NumberText(v))
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
	text, _ := encode.JSON(s) // encoding a string never fails
	e.out.Write(text)
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
	keys, err := e.run.SortedKeys(m)
	if err != nil {
		return err
	}
	e.out.WriteByte('{')
	for i, k := range keys {
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

// decodeJSON decodes a JSON text.
func decodeJSON(r *eval.Run, s string) (any, error) {
	if len(s) > eval.MaxText {
		return nil, eval.ErrText
	}
	if err := r.Spend(len(s)); err != nil {
		return nil, err
	}
	v, err := decode.JSON([]byte(s), r.Decoded())
	if err != nil {
		return nil, decodeError("JSON", err)
	}
	return v, nil
}

// decodeError returns the error for a text that is not valid in a format. Text that
// the error quotes is hidden if secrets may be involved.
func decodeError(format string, err error) error {
	var many *decode.TooManyError
	if errors.As(err, &many) {
		return eval.Faultf("this %s has %d values, but expressions read at most %d; raise maxValues", format, many.Count, many.Limit)
	}
	return eval.Faultf("invalid %s: %s", format, eval.Quoted(err.Error()))
}
