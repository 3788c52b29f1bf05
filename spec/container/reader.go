package container

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// reader reads the output of writer. It is strict: an unknown key, a value of the
// wrong kind, or data after the end is an error. Strings share the memory of the
// text.
type reader struct {
	shapes *shapes
	text   string
	at     int
	files  []string
	depth  int
}

// into reads the whole text into the variable that dst points to.
func (r *reader) into(dst any) error {
	err := r.readValue(reflect.ValueOf(dst).Elem())
	if err == nil && r.at != len(r.text) {
		err = errors.New("unexpected data after the value")
	}
	if err != nil {
		return fmt.Errorf("byte %d: %w", r.at, err)
	}
	return nil
}

func (r *reader) readValue(v reflect.Value) error {
	if r.depth++; r.depth > maxDepth {
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	defer func() { r.depth-- }()
	switch v.Type() {
	case rangeType:
		rng, err := r.readRange()
		*v.Addr().Interface().(*diag.Range) = rng
		return err
	case marksType:
		marks, err := r.readMarks()
		*v.Addr().Interface().(*[]spec.Mark) = marks
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		if r.word("null") {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return r.readValue(v.Elem())
	case reflect.Slice:
		return r.readList(v)
	case reflect.Map:
		return r.readDict(v)
	case reflect.Struct:
		return r.readObject(v)
	case reflect.Interface:
		lit, err := r.readLiteral()
		if err == nil && lit != nil {
			v.Set(reflect.ValueOf(lit))
		}
		return err
	default:
		return r.readScalar(v)
	}
}

func (r *reader) readScalar(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		b := r.word("true")
		if !b && !r.word("false") {
			return r.expectedError("a boolean")
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := r.readInt()
		if err != nil {
			return err
		}
		v.SetInt(int64(n))
	case reflect.Uint8, reflect.Uint32:
		n, err := r.readInt()
		if err != nil {
			return err
		}
		if n < 0 || v.OverflowUint(uint64(n)) {
			return fmt.Errorf("%d does not fit", n)
		}
		v.SetUint(uint64(n))
	case reflect.String:
		s, err := r.readString()
		v.SetString(s)
		return err
	default:
		return fmt.Errorf("a compiled spec cannot hold a %s", v.Type())
	}
	return nil
}

// each calls item for each item up to the closing character.
func (r *reader) each(open, closing byte, item func() error) error {
	if !r.char(open) {
		return r.expectedError(string(open))
	}
	if r.char(closing) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if r.char(closing) {
			return nil
		}
		if !r.char(',') {
			return r.expectedError("a comma")
		}
	}
}

func (r *reader) readList(v reflect.Value) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return r.each('[', ']', func() error {
		n := v.Len()
		if n == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(n + 1)
		return r.readValue(v.Index(n))
	})
}

func (r *reader) readDict(v reflect.Value) error {
	t := v.Type()
	v.Set(reflect.MakeMap(t))
	return r.each('{', '}', func() error {
		name, err := r.readKey()
		if err != nil {
			return err
		}
		key := reflect.New(t.Key()).Elem()
		if t.Key().Kind() == reflect.String {
			key.SetString(name)
		} else if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			key.SetInt(n)
		} else {
			return fmt.Errorf("%q is not a number", name)
		}
		elem := reflect.New(t.Elem()).Elem()
		if err := r.readValue(elem); err != nil {
			return err
		}
		v.SetMapIndex(key, elem)
		return nil
	})
}

func (r *reader) readObject(v reflect.Value) error {
	sh := r.shapes.of(v.Type())
	next := 0 // fields usually occur in the order of the struct
	return r.each('{', '}', func() error {
		name, err := r.readKey()
		if err != nil {
			return err
		}
		for next < len(sh.fields) && sh.fields[next].name != name {
			next++
		}
		if next == len(sh.fields) {
			i, ok := sh.byName[name]
			if !ok {
				return fmt.Errorf("%s has no %q", v.Type(), name)
			}
			next = i
		}
		return r.readValue(v.Field(sh.fields[next].index))
	})
}

func (r *reader) readLiteral() (any, error) {
	if r.depth++; r.depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	defer func() { r.depth-- }()
	switch c := r.peek(); {
	case c == '"':
		return r.readString()
	case c == '[':
		list := []any{}
		err := r.each('[', ']', func() error {
			item, err := r.readLiteral()
			list = append(list, item)
			return err
		})
		return list, err
	case c == '{':
		m := map[string]any{}
		err := r.each('{', '}', func() error {
			name, err := r.readKey()
			if err != nil {
				return err
			}
			m[name], err = r.readLiteral()
			return err
		})
		return m, err
	case r.word("true"):
		return true, nil
	case r.word("false"):
		return false, nil
	case r.word("null"):
		return nil, nil
	default:
		n, err := r.readNumber()
		return json.Number(n), err
	}
}

func (r *reader) readRange() (diag.Range, error) {
	var n [5]int
	count := 0
	err := r.each('[', ']', func() error {
		if count == len(n) {
			return errors.New("a range has too many numbers")
		}
		var err error
		n[count], err = r.readInt()
		count++
		return err
	})
	file := 0
	switch {
	case err != nil || count == 0:
		return diag.Range{}, err
	case count == 5:
		file = n[0]
		copy(n[:], n[1:])
	case count != 4:
		return diag.Range{}, errors.New("a range has too few numbers")
	}
	if file < 0 || file >= len(r.files) {
		return diag.Range{}, fmt.Errorf("there is no file %d", file)
	}
	return diag.Range{
		File:  r.files[file],
		Start: diag.Position{Line: n[0], Column: n[1]},
		End:   diag.Position{Line: n[2], Column: n[3]},
	}, nil
}

func (r *reader) readMarks() ([]spec.Mark, error) {
	marks := make([]spec.Mark, 0, 1)
	var n [3]int
	count := 0
	err := r.each('[', ']', func() error {
		var err error
		n[count%3], err = r.readInt()
		if count++; count%3 == 0 {
			marks = append(marks, spec.Mark{Offset: n[0], Pos: diag.Position{Line: n[1], Column: n[2]}})
		}
		return err
	})
	if err == nil && count%3 != 0 {
		err = errors.New("marks come in threes")
	}
	return marks, err
}
