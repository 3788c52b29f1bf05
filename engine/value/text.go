package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// ErrOtherType means that a text is not of the type. The checker reports the details.
var ErrOtherType = errors.New("the text is of another type")

// FromText parses a setting that is written as text. It returns ErrOtherType if the
// text is not of the type, and other errors if it cannot be parsed. Numbers are
// exact: a text is not a number if no float64 represents it. JSON may contain at most
// most values.
func FromText(text string, t *spec.Type, most int) (property.Value, error) {
	switch t.Kind {
	case spec.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return property.Value{}, ErrOtherType
		}
		return property.New(b), nil
	case spec.Int, spec.Number:
		f, ok := decode.Float(text)
		if !ok {
			return property.Value{}, ErrOtherType
		}
		return property.New(f), nil
	case spec.List, spec.Map, spec.Object:
		return fromJSON(text, most)
	case spec.Union, spec.Any:
		if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			return fromJSON(text, most)
		}
	}
	return property.New(text), nil
}

// fromJSON parses a setting that is written as JSON with at most most values.
func fromJSON(text string, most int) (property.Value, error) {
	v, err := decode.JSON([]byte(text), decode.NewBudget(most))
	var many *decode.TooManyError
	var deep decode.DepthError
	switch {
	case errors.As(err, &many):
		return property.Value{}, fmt.Errorf("cannot be read: %w; set `maxValues` at the top of the spec to raise the limit", err)
	case errors.As(err, &deep):
		return property.Value{}, fmt.Errorf("cannot be read: %w", err)
	case err != nil:
		return property.Value{}, ErrOtherType
	default:
		return fromDecoded(v), nil
	}
}

// fromDecoded returns a decoded value as a property.Value. A number that no float64
// represents exactly becomes a string with all its digits. It is then valid if a string
// is declared, and rejected if a number is.
func fromDecoded(v any) property.Value {
	return fromTree(v, func(n any) property.Value {
		if i, ok := n.(int64); ok {
			if sameNumber(i, float64(i)) {
				return property.New(float64(i))
			}
			return property.New(strconv.FormatInt(i, 10))
		}
		text := string(n.(json.Number))
		if f, ok := decode.Float(text); ok {
			return property.New(f)
		}
		return property.New(text)
	})
}
