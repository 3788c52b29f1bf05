package container

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// writer writes values of the model as JSON. The indices of files in ranges apply to
// all blobs of a container.
type writer struct {
	shapes *shapes
	buf    []byte
	files  []string
	depth  int
}

// writeBlob writes a value as a separate document.
func (w *writer) writeBlob(v any) ([]byte, error) {
	w.buf, w.depth = nil, 0
	if err := w.writeValue(reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return w.buf, nil
}

func (w *writer) writeValue(v reflect.Value) error {
	if w.depth++; w.depth > maxDepth {
		return fmt.Errorf("the spec nests deeper than %d levels", maxDepth)
	}
	defer func() { w.depth-- }()
	switch v.Type() {
	case rangeType:
		w.writeRange(v.Interface().(diag.Range))
		return nil
	case marksType:
		w.writeMarks(v.Interface().([]spec.Mark))
		return nil
	}
	switch v.Kind() {
	case reflect.Bool:
		w.buf = strconv.AppendBool(w.buf, v.Bool())
	case reflect.Int, reflect.Int64:
		w.buf = strconv.AppendInt(w.buf, v.Int(), 10)
	case reflect.Uint8, reflect.Uint32:
		w.buf = strconv.AppendUint(w.buf, v.Uint(), 10)
	case reflect.String:
		w.buf = appendString(w.buf, v.String())
	case reflect.Pointer:
		if v.IsNil() {
			w.buf = append(w.buf, "null"...)
			return nil
		}
		return w.writeValue(v.Elem())
	case reflect.Slice:
		return w.writeList(v)
	case reflect.Map:
		return w.writeDict(v)
	case reflect.Struct:
		return w.writeObject(v)
	case reflect.Interface:
		return w.writeLiteral(v.Interface())
	default:
		return fmt.Errorf("a compiled spec cannot hold a %s", v.Type())
	}
	return nil
}

func (w *writer) writeList(v reflect.Value) error {
	w.buf = append(w.buf, '[')
	for i := range v.Len() {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if err := w.writeValue(v.Index(i)); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, ']')
	return nil
}

// writeDict writes a map sorted by key, so that equal specs give equal bytes.
func (w *writer) writeDict(v reflect.Value) error {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keyText(keys[i]) < keyText(keys[j]) })
	w.buf = append(w.buf, '{')
	for i, k := range keys {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(appendString(w.buf, keyText(k)), ':')
		if err := w.writeValue(v.MapIndex(k)); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, '}')
	return nil
}

func keyText(k reflect.Value) string {
	if k.Kind() == reflect.String {
		return k.String()
	}
	return strconv.FormatInt(k.Int(), 10)
}

func (w *writer) writeObject(v reflect.Value) error {
	w.buf = append(w.buf, '{')
	first := true
	for _, f := range w.shapes.of(v.Type()).fields {
		fv := v.Field(f.index)
		if fv.IsZero() {
			continue
		}
		if !first {
			w.buf = append(w.buf, ',')
		}
		first = false
		w.buf = append(appendString(w.buf, f.name), ':')
		if err := w.writeValue(fv); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, '}')
	return nil
}

// writeLiteral writes a literal of spec.Type: nil, bool, string, json.Number, []any or
// map[string]any.
func (w *writer) writeLiteral(v any) error {
	switch v := v.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case bool:
		w.buf = strconv.AppendBool(w.buf, v)
	case string:
		w.buf = appendString(w.buf, v)
	case json.Number:
		if !isNumber(string(v)) {
			return fmt.Errorf("%q is not a JSON number", v)
		}
		w.buf = append(w.buf, v...)
	case []any:
		return w.writeList(reflect.ValueOf(v))
	case map[string]any:
		return w.writeDict(reflect.ValueOf(v))
	default:
		return fmt.Errorf("a literal of the spec has the unsupported type %T", v)
	}
	return nil
}

func (w *writer) writeRange(r diag.Range) {
	w.buf = append(w.buf, '[')
	if !r.IsZero() {
		if file := w.file(r.File); file > 0 {
			w.buf = append(strconv.AppendInt(w.buf, int64(file), 10), ',')
		}
		w.writeInts(r.Start.Line, r.Start.Column, r.End.Line, r.End.Column)
	}
	w.buf = append(w.buf, ']')
}

func (w *writer) file(name string) int {
	i := slices.Index(w.files, name)
	if i < 0 {
		i = len(w.files)
		w.files = append(w.files, name)
	}
	return i
}

func (w *writer) writeMarks(marks []spec.Mark) {
	w.buf = append(w.buf, '[')
	for i, m := range marks {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.writeInts(m.Offset, m.Pos.Line, m.Pos.Column)
	}
	w.buf = append(w.buf, ']')
}

func (w *writer) writeInts(ns ...int) {
	for i, n := range ns {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = strconv.AppendInt(w.buf, int64(n), 10)
	}
}

// appendString quotes a string with only the escapes that JSON requires. Bytes that
// are not UTF-8 are kept.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// isNumber reports whether s is a JSON number.
func isNumber(s string) bool {
	r := reader{text: s}
	_, err := r.readNumber()
	return err == nil && r.at == len(s)
}

var errDuplicate = errors.New("two resources have the same name")

// checkNames returns an error for duplicate names, which an index cannot hold.
func checkNames(resources []*spec.Resource) error {
	seen := map[string]struct{}{}
	for _, r := range resources {
		if _, ok := seen[r.Name]; ok {
			return fmt.Errorf("%w: %q", errDuplicate, r.Name)
		}
		seen[r.Name] = struct{}{}
	}
	return nil
}
