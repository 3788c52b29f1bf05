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

// errOtherType reports a text that is none of the type; the checker says what is wrong
// with it.
var ErrOtherType = errors.New("the text is of another type")

// FromText reads a setting that is written as text. The error is errOtherType where
// the text is not of the type, else it says why it is not read at all. No number
// changes on its way: one that no 64-bit float holds is not of a number's type. JSON may
// have so many values.
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

// fromJSON reads a setting that is written as JSON, of at most so many values.
func fromJSON(text string, most int) (property.Value, error) {
	v, err := decode.JSON([]byte(text), decode.NewBudget(most))
	var many *decode.TooManyError
	var deep decode.DepthError
	switch {
	case errors.As(err, &many):
		return property.Value{}, fmt.Errorf("cannot be read: %w; `maxValues` at the top of the spec raises that", err)
	case errors.As(err, &deep):
		return property.Value{}, fmt.Errorf("cannot be read: %w", err)
	case err != nil:
		return property.Value{}, ErrOtherType
	default:
		return fromDecoded(v), nil
	}
}

// fromDecoded makes a value of a decoded one. A number that no 64-bit float holds stays
// the text that it is: it has its digits where text is declared, and is refused where
// a number is.
func fromDecoded(v any) property.Value {
	switch v := v.(type) {
	case int64:
		if sameNumber(v, float64(v)) {
			return property.New(float64(v))
		}
		return property.New(strconv.FormatInt(v, 10))
	case float64:
		return property.New(v)
	case json.Number:
		if f, ok := decode.Float(string(v)); ok {
			return property.New(f)
		}
		return property.New(string(v))
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			items[i] = fromDecoded(item)
		}
		return property.New(items)
	case map[string]any:
		members := make(map[string]property.Value, len(v))
		for name, member := range v {
			members[name] = fromDecoded(member)
		}
		return property.New(members)
	default:
		return fromLiteral(v)
	}
}
