package actions

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/declprov/declprov/spec"
)

// Decode reads the arguments of the call into a struct. The tag of a field names its
// argument: `arg:"path"`. An argument that is not given leaves its field as it is, so a
// field's value beforehand is its default. The type of a field says what is read:
//
//   - LateExpr: the expression of an argument of mode Late
//   - []spec.Part: the parts of an argument of mode Path or Words
//   - time.Duration: a string like 10s, more than zero
//   - an ArgumentReader: calls ReadArgument with the value
//   - a struct: an object, member by member; a pointer to a struct stays nil if there is no object
//   - any other: the value, which must be of that type
//
// Late expressions and parts within a struct are found by their dotted path, as in
// Call.Late. The fields of an embedded struct are read like those of the struct around it.
// An error begins with the path of the wrong argument.
func (c *Call) Decode(into any) error {
	return c.decode(reflect.ValueOf(into).Elem(), c.Args, "")
}

// DecodeWithin reads the members of an object into a struct, as Decode does. The path says
// where the object is within the arguments: "auth.login.http".
func (c *Call) DecodeWithin(path string, object map[string]any, into any) error {
	return c.decode(reflect.ValueOf(into).Elem(), object, path+".")
}

// ArgumentReader is a type that reads the value of its argument itself. The value is nil
// if the argument is not given. Decode puts the argument's path in front of an error.
type ArgumentReader interface {
	ReadArgument(v any) error
}

// decode reads the members of an object into the fields of a struct. The prefix is the
// object's path, with a dot behind it.
func (c *Call) decode(into reflect.Value, object map[string]any, prefix string) error {
	t := into.Type()
	for i := range t.NumField() {
		field := t.Field(i)
		name, tagged := field.Tag.Lookup("arg")
		var err error
		switch {
		case tagged:
			err = c.decodeField(into.Field(i), object[name], prefix+name)
		case field.Anonymous:
			err = c.decode(into.Field(i), object, prefix)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decodeField reads the value of an argument into a field.
func (c *Call) decodeField(field reflect.Value, v any, path string) (err error) {
	switch p := field.Addr().Interface().(type) {
	case *LateExpr:
		*p = c.Late[path]
		return nil
	case *[]spec.Part:
		*p = c.Parts[path]
		return nil
	case ArgumentReader:
		err = p.ReadArgument(v)
	case *time.Duration:
		if v != nil {
			*p, err = ParseDuration(v)
		}
	default:
		if v != nil {
			return c.decodeValue(field, v, path)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// decodeValue reads a value that is not nil into a field of its type.
func (c *Call) decodeValue(field reflect.Value, v any, path string) error {
	if given := reflect.ValueOf(v); given.Type().AssignableTo(field.Type()) {
		field.Set(given)
		return nil
	}
	switch field.Kind() {
	case reflect.Pointer:
		if _, isFile := field.Interface().(*spec.File); isFile {
			break // a file is a value, not an object with members
		}
		inner := reflect.New(field.Type().Elem())
		if err := c.decodeField(inner.Elem(), v, path); err != nil {
			return err
		}
		field.Set(inner)
		return nil
	case reflect.Struct:
		if object, ok := v.(map[string]any); ok {
			return c.decode(field, object, path+".")
		}
		return fmt.Errorf("%s: expected an object, got %s", path, KindOf(v))
	case reflect.Slice:
		items, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s: expected a list, got %s", path, KindOf(v))
		}
		field.Set(reflect.MakeSlice(field.Type(), len(items), len(items)))
		for i, item := range items {
			if err := c.decodeField(field.Index(i), item, fmt.Sprintf("%s.%d", path, i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Int, reflect.Int64:
		if n, ok := integerOf(v); ok {
			field.SetInt(n)
			return nil
		}
		return fmt.Errorf("%s: expected an integer, got %s", path, KindOf(v))
	case reflect.String:
		if text, ok := v.(string); ok {
			field.SetString(text)
			return nil
		}
	}
	return fmt.Errorf("%s: expected %s, got %s", path, KindOf(field.Interface()), KindOf(v))
}

// integerOf returns a number as an integer, and whether it is one.
func integerOf(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) <= maxExact
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	default:
		return 0, false
	}
}

// ParseDuration parses a string as a duration, which must be more than zero.
func ParseDuration(v any) (time.Duration, error) {
	text, _ := v.(string)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("invalid duration %q (use 10s or 1m30s)", Clip(text, 40))
	}
	return d, nil
}
