// Package try drives one resource of a provider through its life over the real
// protocol, and shows what the provider answers.
package try

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// Values makes property values of what somebody types on a command line:
//
//	key=text    text, number or truth, by the declared type
//	key=@file   the file's content; for an asset or archive, the file itself
//	key:=json   anything, as JSON
//
// A key that the type does not have is kept as text, for the provider to
// refuse.
func Values(args []string, object *spec.Type, types spec.Types) (property.Map, error) {
	return valuesOf(args, object, types, readFile)
}

// Settings is Values for a provider's configuration. The line end of a file that is
// one line is not part of its content: a token is not, either.
func Settings(args []string, object *spec.Type, types spec.Types) (property.Map, error) {
	return valuesOf(args, object, types, func(path string) ([]byte, error) {
		content, err := readFile(path)
		if line, ended := bytes.CutSuffix(content, []byte("\n")); ended && !bytes.Contains(line, []byte("\n")) {
			content = bytes.TrimSuffix(line, []byte("\r"))
		}
		return content, err
	})
}

func valuesOf(args []string, object *spec.Type, types spec.Types, read func(string) ([]byte, error)) (property.Map, error) {
	values := map[string]property.Value{}
	for _, arg := range args {
		key, text, ok := strings.Cut(arg, "=")
		if !ok || strings.TrimSuffix(key, ":") == "" {
			return property.Map{}, fmt.Errorf("%q is not a value: write key=value, key=@file or key:=json", arg)
		}
		name, isJSON := strings.CutSuffix(key, ":")
		if _, twice := values[name]; twice {
			return property.Map{}, fmt.Errorf("%s is given twice", name)
		}
		var declared *spec.Type
		if p := types.Resolve(object).Field(name); p != nil {
			declared = types.Resolve(p.Type)
		}
		v, err := value(text, isJSON, declared, types, read)
		if err != nil {
			return property.Map{}, fmt.Errorf("%s: %w", name, err)
		}
		values[name] = v
	}
	return property.NewMap(values), nil
}

func value(text string, isJSON bool, t *spec.Type, types spec.Types, read func(string) ([]byte, error)) (property.Value, error) {
	if isJSON {
		return fromJSON(text, t, types)
	}
	path, isFile := strings.CutPrefix(text, "@")
	if t != nil && (t.Kind == spec.Asset || t.Kind == spec.Archive) {
		return file(text, path, isFile, t.Kind)
	}
	if isFile {
		content, err := read(path)
		if err != nil {
			return property.Value{}, err
		}
		text = string(content)
	}
	return scalar(text, t)
}

func file(text, path string, isFile bool, kind spec.Kind) (property.Value, error) {
	switch {
	case kind == spec.Archive && !isFile:
		return property.Value{}, fmt.Errorf("it is an archive: write =@file or =@folder")
	case kind == spec.Archive:
		a, err := archive.FromPath(path)
		if err != nil {
			return property.Value{}, err
		}
		return property.New(a), nil
	case isFile:
		if err := regular(path); err != nil {
			return property.Value{}, err
		}
		a, err := asset.FromPath(path)
		if err != nil {
			return property.Value{}, err
		}
		return property.New(a), nil
	default:
		a, err := asset.FromText(text)
		if err != nil {
			return property.Value{}, err
		}
		return property.New(a), nil
	}
}

// scalar reads text as the declared type has it.
func scalar(text string, t *spec.Type) (property.Value, error) {
	if t == nil {
		return property.New(text), nil
	}
	switch t.Kind {
	case spec.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return property.Value{}, fmt.Errorf("%q is neither true nor false", text)
		}
		return property.New(b), nil
	case spec.Int, spec.Number:
		return number(text)
	case spec.List, spec.Map, spec.Object:
		return property.Value{}, fmt.Errorf("it is a %s: write it as JSON, with :=", t.Kind)
	case spec.Union:
		return union(text, t)
	default:
		return property.New(text), nil
	}
}

// number is a number that hosts keep as it was written: theirs are 64-bit floats.
func number(text string) (property.Value, error) {
	if f, ok := decode.Float(text); ok {
		return property.New(f), nil
	}
	if !isNumber(text) {
		return property.Value{}, fmt.Errorf("expected a number, got %q; write one like 12 or 0.5", text)
	}
	return property.Value{}, inexact(text)
}

// isNumber reports whether a text is a number of JSON, of whatever size.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return json.Valid([]byte(text)) && (err == nil || errors.Is(err, strconv.ErrRange))
}

// inexact is the error of a number that would change.
func inexact(text string) error {
	return fmt.Errorf("expected a number that a 64-bit float holds, got %s; write one of fewer digits, or declare a string in the spec, which keeps them all", text)
}

// union takes the first variant that the text can be, text itself last.
func union(text string, t *spec.Type) (property.Value, error) {
	isText, digits := false, error(nil)
	for _, variant := range t.Variants {
		if variant.Kind == spec.String || variant.Kind == spec.Any {
			isText = true
			continue
		}
		v, err := scalar(text, variant)
		if err == nil {
			return v, nil
		}
		if isNumber(text) && (variant.Kind == spec.Int || variant.Kind == spec.Number) {
			digits = err
		}
	}
	switch {
	case isText:
		return property.New(text), nil
	case digits != nil:
		return property.Value{}, digits
	}
	return property.Value{}, fmt.Errorf("it has several forms: write it as JSON, with :=")
}

// fromJSON reads JSON of a declared type; nil is any.
func fromJSON(text string, t *spec.Type, types spec.Types) (property.Value, error) {
	v, err := decode.JSON([]byte(text), decode.NewBudget(0))
	if err != nil {
		return property.Value{}, fmt.Errorf("%q is not JSON: %w", text, err)
	}
	return plain(v, t, types)
}

// plain is a decoded value as a property. A number that no 64-bit float holds keeps its
// digits where text is declared.
func plain(v any, t *spec.Type, types spec.Types) (property.Value, error) {
	t = types.Resolve(t)
	switch v := v.(type) {
	case bool:
		return property.New(v), nil
	case string:
		return property.New(v), nil
	case float64:
		return property.New(v), nil
	case int64:
		return digits(strconv.FormatInt(v, 10), t, types)
	case json.Number:
		return digits(string(v), t, types)
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			one, err := plain(item, elementOf(t, types), types)
			if err != nil {
				return one, fmt.Errorf("[%d]: %w", i, err)
			}
			items[i] = one
		}
		return property.New(items), nil
	case map[string]any:
		members := make(map[string]property.Value, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			one, err := plain(v[name], memberOf(t, name, types), types)
			if err != nil {
				return one, fmt.Errorf("%s: %w", name, err)
			}
			members[name] = one
		}
		return property.New(members), nil
	default:
		return property.Value{}, nil
	}
}

// digits is a number of JSON, as one or as text.
func digits(text string, t *spec.Type, types spec.Types) (property.Value, error) {
	if f, ok := decode.Float(text); ok {
		return property.New(f), nil
	}
	takes := func(t *spec.Type) bool { return t != nil && types.Resolve(t).Kind == spec.String }
	if takes(t) || t != nil && slices.ContainsFunc(t.Variants, takes) {
		return property.New(text), nil
	}
	return property.Value{}, inexact(text)
}

// elementOf is the type of a list's items, nil where none is known.
func elementOf(t *spec.Type, types spec.Types) *spec.Type {
	return within(t, types, func(t *spec.Type) *spec.Type {
		if t.Kind == spec.List {
			return t.Elem
		}
		return nil
	})
}

// memberOf is the type of a member of a struct or map, nil where none is known.
func memberOf(t *spec.Type, name string, types spec.Types) *spec.Type {
	return within(t, types, func(t *spec.Type) *spec.Type {
		if p := t.Field(name); p != nil {
			return p.Type
		}
		if t.Kind == spec.Map {
			return t.Elem
		}
		return nil
	})
}

// within looks into a type, or into the variants of a union until one says something.
func within(t *spec.Type, types spec.Types, look func(*spec.Type) *spec.Type) *spec.Type {
	if t == nil {
		return nil
	}
	for _, variant := range append([]*spec.Type{t}, t.Variants...) {
		if inner := look(types.Resolve(variant)); inner != nil {
			return inner
		}
	}
	return nil
}
