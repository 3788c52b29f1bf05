// Package try creates, reads, updates and deletes one resource of a provider over the
// Pulumi protocol, and prints the responses.
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

// Values converts arguments of the command line to property values:
//
//	key=text    a string, number or boolean, by the declared type
//	key=@file   the content of a file; for an asset or archive, the file itself
//	key:=json   any value, as JSON
//
// A key that the type does not have is a string, and the provider will refuse it.
func Values(args []string, object *spec.Type, types spec.Types) (property.Map, error) {
	return valuesOf(args, object, types, readFile)
}

// Settings is Values for the configuration of a provider. If a file has one line, its line
// break is not part of the value: tokens are often stored that way.
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
			return property.Map{}, fmt.Errorf("invalid value %q: write key=value, key=@file or key:=json", arg)
		}
		name, isJSON := strings.CutSuffix(key, ":")
		if _, twice := values[name]; twice {
			return property.Map{}, fmt.Errorf("%s is given twice", name)
		}
		var declared *spec.Type
		if p := types.Resolve(object).Field(name); p != nil {
			declared = types.Resolve(p.Type)
		}
		v, err := convert(text, isJSON, declared, types, read)
		if err != nil {
			return property.Map{}, fmt.Errorf("%s: %w", name, err)
		}
		values[name] = v
	}
	return property.NewMap(values), nil
}

// Example converts an example of a resource to property values. An asset or archive is a path.
func Example(e *spec.Example, object *spec.Type, types spec.Types) (property.Map, error) {
	values := map[string]property.Value{}
	for _, f := range e.Inputs.Fields {
		t := types.Resolve(memberOf(types.Resolve(object), f.Name, types))
		var err error
		if t != nil && f.Value.Kind == spec.StringNode && (t.Kind == spec.Asset || t.Kind == spec.Archive) {
			values[f.Name], err = file("", f.Value.Text, true, t.Kind)
		} else {
			values[f.Name], err = toProperty(f.Value.Plain(), t, types)
		}
		if err != nil {
			return property.Map{}, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return property.NewMap(values), nil
}

func convert(text string, isJSON bool, t *spec.Type, types spec.Types, read func(string) ([]byte, error)) (property.Value, error) {
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
		return property.Value{}, fmt.Errorf("expected an archive; write =@file or =@folder")
	case kind == spec.Archive:
		a, err := archive.FromPath(path)
		if err != nil {
			return property.Value{}, err
		}
		return property.New(a), nil
	case isFile:
		if err := checkRegular(path); err != nil {
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

// scalar converts text to the declared type.
func scalar(text string, t *spec.Type) (property.Value, error) {
	if t == nil {
		return property.New(text), nil
	}
	switch t.Kind {
	case spec.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return property.Value{}, fmt.Errorf("expected true or false, got %q", text)
		}
		return property.New(b), nil
	case spec.Int, spec.Number:
		return number(text, t.Kind)
	case spec.List, spec.Map, spec.Object:
		return property.Value{}, fmt.Errorf("expected a %s; write it as JSON, with :=", t.Kind)
	case spec.Union:
		return union(text, t)
	default:
		return property.New(text), nil
	}
}

// number parses a number that a 64-bit float, as hosts use, holds exactly.
func number(text string, kind spec.Kind) (property.Value, error) {
	if f, ok := decode.Float(text); ok {
		return property.New(f), nil
	}
	if !isNumber(text) {
		like := map[spec.Kind]string{spec.Int: "an integer, got %q; write one like 12", spec.Number: "a number, got %q; write one like 12 or 0.5"}[kind]
		return property.Value{}, fmt.Errorf("expected "+like, text)
	}
	return property.Value{}, inexactError(text)
}

// isNumber reports whether a text is a JSON number of any size.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return json.Valid([]byte(text)) && (err == nil || errors.Is(err, strconv.ErrRange))
}

// inexactError returns the error for a number that a 64-bit float does not hold exactly.
func inexactError(text string) error {
	return fmt.Errorf("expected a number that a 64-bit float holds exactly, got %s; use fewer digits, or declare a string in the spec, which keeps all digits", text)
}

// union converts text to the first variant that accepts it; strings are tried last.
func union(text string, t *spec.Type) (property.Value, error) {
	isText, inexact := false, error(nil)
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
			inexact = err
		}
	}
	switch {
	case isText:
		return property.New(text), nil
	case inexact != nil:
		return property.Value{}, inexact
	}
	return property.Value{}, fmt.Errorf("the type has several variants; write the value as JSON, with :=")
}

// fromJSON parses JSON of a declared type; nil is any type.
func fromJSON(text string, t *spec.Type, types spec.Types) (property.Value, error) {
	v, err := decode.JSON([]byte(text), decode.NewBudget(0))
	if err != nil {
		return property.Value{}, fmt.Errorf("%q is not JSON: %w", text, err)
	}
	return toProperty(v, t, types)
}

// toProperty converts a decoded value to a property value. A number that a 64-bit float
// does not hold exactly becomes a string if the type is string.
func toProperty(v any, t *spec.Type, types spec.Types) (property.Value, error) {
	t = types.Resolve(t)
	switch v := v.(type) {
	case bool:
		return property.New(v), nil
	case string:
		return property.New(v), nil
	case float64:
		return property.New(v), nil
	case int64:
		return numberOrString(strconv.FormatInt(v, 10), t, types)
	case json.Number:
		return numberOrString(string(v), t, types)
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			one, err := toProperty(item, elementOf(t, types), types)
			if err != nil {
				return one, fmt.Errorf("[%d]: %w", i, err)
			}
			items[i] = one
		}
		return property.New(items), nil
	case map[string]any:
		members := make(map[string]property.Value, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			one, err := toProperty(v[name], memberOf(t, name, types), types)
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

// numberOrString converts a JSON number to a number or, if the type allows it, a string.
func numberOrString(text string, t *spec.Type, types spec.Types) (property.Value, error) {
	if f, ok := decode.Float(text); ok {
		return property.New(f), nil
	}
	takes := func(t *spec.Type) bool { return t != nil && types.Resolve(t).Kind == spec.String }
	if takes(t) || t != nil && slices.ContainsFunc(t.Variants, takes) {
		return property.New(text), nil
	}
	return property.Value{}, inexactError(text)
}

// elementOf returns the type of the items of a list, or nil if it is not known.
func elementOf(t *spec.Type, types spec.Types) *spec.Type {
	return typeWithin(t, types, func(t *spec.Type) *spec.Type {
		if t.Kind == spec.List {
			return t.Elem
		}
		return nil
	})
}

// memberOf returns the type of a member of a struct or map, or nil if it is not known.
func memberOf(t *spec.Type, name string, types spec.Types) *spec.Type {
	return typeWithin(t, types, func(t *spec.Type) *spec.Type {
		if p := t.Field(name); p != nil {
			return p.Type
		}
		if t.Kind == spec.Map {
			return t.Elem
		}
		return nil
	})
}

// typeWithin calls look for a type and the variants of a union, until one returns a type.
func typeWithin(t *spec.Type, types spec.Types, look func(*spec.Type) *spec.Type) *spec.Type {
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
