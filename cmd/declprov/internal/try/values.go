// Package try drives one resource of a provider through its life over the real
// protocol, and shows what the provider answers.
package try

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
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
			return property.Map{}, fmt.Errorf("%q is no value: write key=value, key=@file or key:=json", arg)
		}
		name, isJSON := strings.CutSuffix(key, ":")
		if _, twice := values[name]; twice {
			return property.Map{}, fmt.Errorf("%s is given twice", name)
		}
		var declared *spec.Type
		if p := types.Resolve(object).Field(name); p != nil {
			declared = types.Resolve(p.Type)
		}
		v, err := value(text, isJSON, declared, read)
		if err != nil {
			return property.Map{}, fmt.Errorf("%s: %w", name, err)
		}
		values[name] = v
	}
	return property.NewMap(values), nil
}

func value(text string, isJSON bool, t *spec.Type, read func(string) ([]byte, error)) (property.Value, error) {
	if isJSON {
		return fromJSON(text)
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
		var n float64
		err := json.Unmarshal([]byte(text), &n)
		if err != nil {
			return property.Value{}, fmt.Errorf("%q is no number", text)
		}
		return property.New(n), nil
	case spec.List, spec.Map, spec.Object:
		return property.Value{}, fmt.Errorf("it is a %s: write it as JSON, with :=", t.Kind)
	case spec.Union:
		return union(text, t)
	default:
		return property.New(text), nil
	}
}

// union takes the first variant that the text can be, text itself last.
func union(text string, t *spec.Type) (property.Value, error) {
	isText := false
	for _, variant := range t.Variants {
		if variant.Kind == spec.String || variant.Kind == spec.Any {
			isText = true
			continue
		}
		if v, err := scalar(text, variant); err == nil {
			return v, nil
		}
	}
	if isText {
		return property.New(text), nil
	}
	return property.Value{}, fmt.Errorf("it has several forms: write it as JSON, with :=")
}

func fromJSON(text string) (property.Value, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	var v any
	if err := dec.Decode(&v); err != nil {
		return property.Value{}, fmt.Errorf("%q is not JSON: %w", text, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return property.Value{}, fmt.Errorf("%q is more than one JSON value", text)
	}
	return plain(v), nil
}

// plain is a value of encoding/json's as a property.
func plain(v any) property.Value {
	switch v := v.(type) {
	case bool:
		return property.New(v)
	case float64:
		return property.New(v)
	case string:
		return property.New(v)
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			items[i] = plain(item)
		}
		return property.New(items)
	case map[string]any:
		members := make(map[string]property.Value, len(v))
		for name, member := range v {
			members[name] = plain(member)
		}
		return property.New(members)
	default:
		return property.New(property.Null)
	}
}
