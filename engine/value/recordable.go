package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/reserved"
	"github.com/declprov/declprov/spec/screen"
)

// UnrecordableError reports a value that no host can record as the data that it is:
// it would take it for an asset, a secret, a resource, or for not known yet.
type UnrecordableError struct{ Path, Reason string }

func (e *UnrecordableError) Error() string {
	return fmt.Sprintf("%s: cannot be recorded: %s", e.Path, e.Reason)
}

// RecordableID returns an error where a host cannot keep a text as an id, or must not:
// it shows ids as they are, wherever it names a resource. An id is data, and another one
// would name another object, so none is changed to be fit to be shown.
func RecordableID(id, path string) error {
	switch at := screen.SteeringIndex(id); {
	case reserved.Text(id):
		return &UnrecordableError{path, reserved.TextReason}
	case at < len(id):
		return &UnrecordableError{path, fmt.Sprintf("\"%s\" has %s at byte %d, which would steer the screen that Pulumi shows it on; "+
			"use another member as the id, or encode it: base64encode(…)", screen.Exact(id), screen.Exact(id[at:][:screen.Step(id[at:])]), at)}
	default:
		return nil
	}
}

// Unrecordable reports whether nothing but values that cannot be recorded is wrong.
func Unrecordable(err error) bool {
	switch joined := err.(type) {
	case nil:
		return false
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(joined.Unwrap(), func(one error) bool { return !Unrecordable(one) })
	}
	var one *UnrecordableError
	return errors.As(err, &one)
}

// Recordable returns values as an intent records them, as JSON, and the names of
// those that it leaves out: what holds a secret, or a file, or is not known. Keys
// that are the host's own are left out unnamed.
func Recordable(values property.Map) (text json.RawMessage, withheld []string) {
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
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(kept) // of these types, nothing fails
	return bytes.TrimSpace(b.Bytes()), withheld
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

// Unrecorded returns the values that recordable made a text of.
func Unrecorded(text json.RawMessage) (property.Map, error) {
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
