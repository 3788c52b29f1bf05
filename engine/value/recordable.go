package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/reserved"
	"github.com/declprov/declprov/spec/encode"
	"github.com/declprov/declprov/spec/screen"
)

// UnrecordableError reports a value that hosts would interpret instead of recording
// it: as an asset, a secret, a resource or an unknown value.
type UnrecordableError struct{ Path, Reason string }

func (e *UnrecordableError) Error() string {
	return fmt.Sprintf("%s: cannot be recorded: %s", e.Path, e.Reason)
}

// CheckID returns an error if a text cannot be recorded as an id, or would control
// the terminal when a host shows it. Ids are never changed, because another id would
// name another object.
func CheckID(id, path string) error {
	switch at := screen.SteeringIndex(id); {
	case reserved.Text(id):
		return &UnrecordableError{path, reserved.TextReason}
	case at < len(id):
		return &UnrecordableError{path, fmt.Sprintf("\"%s\" contains %s at byte %d, which would control the terminal that shows it; "+
			"use another member as the id, or encode it: base64encode(…)", screen.Exact(id), screen.Exact(id[at:][:screen.Step(id[at:])]), at)}
	case strings.ContainsRune(id, utf8.RuneError):
		return &UnrecordableError{path, fmt.Sprintf("%q contains U+FFFD, which stands for something that is not valid text, such as half a character: it may be the id of another object as well", id)}
	case id == "." || id == "..":
		return &UnrecordableError{path, fmt.Sprintf("%q cannot be an id: in the path of a request, servers resolve it to another object", id)}
	default:
		return nil
	}
}

// IsUnrecordable reports whether err consists only of UnrecordableErrors.
func IsUnrecordable(err error) bool {
	switch joined := err.(type) {
	case nil:
		return false
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(joined.Unwrap(), func(one error) bool { return !IsUnrecordable(one) })
	}
	var one *UnrecordableError
	return errors.As(err, &one)
}

// EncodeRecordable returns values as JSON for an intent, and the names of the values
// that it omits because they contain a secret, a file or an unknown value. It omits
// keys that are reserved for the host without naming them.
func EncodeRecordable(values property.Map) (text json.RawMessage, withheld []string) {
	kept := map[string]any{}
	for name, v := range values.AllStable {
		plain, ok := recordableValue(v)
		switch {
		case strings.HasPrefix(name, "__"):
		case ok:
			kept[name] = plain
		default:
			withheld = append(withheld, name)
		}
	}
	text, _ = encode.JSON(kept) // these types can always be encoded
	return text, withheld
}

func recordableValue(v property.Value) (plain any, ok bool) {
	switch {
	case v.Secret():
		return nil, false
	case v.IsNull():
		return nil, true
	case v.IsBool():
		return v.AsBool(), true
	case v.IsNumber():
		return v.AsNumber(), !math.IsNaN(v.AsNumber()) && !math.IsInf(v.AsNumber(), 0)
	case v.IsString():
		return v.AsString(), true
	case v.IsArray():
		items := make([]any, v.AsArray().Len())
		for i, item := range v.AsArray().All {
			if items[i], ok = recordableValue(item); !ok {
				return nil, false
			}
		}
		return items, true
	case v.IsMap():
		members := map[string]any{}
		for name, member := range v.AsMap().All {
			if members[name], ok = recordableValue(member); !ok {
				return nil, false
			}
		}
		return members, true
	default:
		return nil, false
	}
}

// DecodeRecorded is the inverse of EncodeRecordable.
func DecodeRecorded(text json.RawMessage) (property.Map, error) {
	if len(text) == 0 {
		return property.Map{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var values map[string]any
	if err := dec.Decode(&values); err != nil {
		return property.Map{}, err
	}
	v := fromLiteral(values)
	if !v.IsMap() {
		return property.Map{}, nil
	}
	return v.AsMap(), nil
}
