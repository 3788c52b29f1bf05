package types

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
)

// Integers is the pattern of a string that is an integer on the wire. It has one spelling for each
// number, so that what a server returns equals what was sent.
const Integers = `^(0|-?[1-9][0-9]*)$`

// ToWire returns a scalar of a type as it is sent: an integer for a string, 0 or 1 for a boolean, or
// text for a number or a boolean, if the type says so. A string that spells no integer stays as it is.
func ToWire(v any, t *spec.Type) any {
	text, isText := v.(string)
	truth, isBool := v.(bool)
	switch {
	case t.OnWire == spec.Int && isText && spellsInteger(text):
		return numberOf(text)
	case t.OnWire == spec.Int && isBool:
		return map[bool]int64{true: 1}[truth]
	case t.OnWire == spec.String && isBool:
		return strconv.FormatBool(truth)
	case t.OnWire == spec.String && IsNumber(v):
		return NumberText(v)
	default:
		return v
	}
}

// FromWire returns a scalar that was received as a type declares it: the reverse of ToWire. What ToWire
// does not return stays as it is.
func FromWire(v any, t *spec.Type) any {
	text, isText := v.(string)
	if t.OnWire == spec.Int {
		switch number := cmp.Or(NumberText(v), text); {
		case t.Kind == spec.Bool && (number == "0" || number == "1"): // text in XML
			return number == "1"
		case t.Kind == spec.String && spellsInteger(number):
			return number
		}
	}
	if !isText || t.OnWire != spec.String {
		return v
	}
	var out any
	switch {
	case text == "true" || text == "false":
		return text == "true"
	case text != strings.TrimSpace(text) || json.Unmarshal([]byte(text), &out) != nil:
		return v
	}
	if _, isNumber := out.(float64); isNumber {
		return numberOf(text)
	}
	return v
}

func spellsInteger(text string) bool {
	re, err := Pattern(Integers)
	return err == nil && re.MatchString(text)
}

// numberOf returns the number that a text spells.
func numberOf(text string) any {
	if n, ok := parseNumber(text); ok {
		return n
	}
	return json.Number(text) // an integer that exceeds an int64
}

// joinOnWire returns the kind on the wire of what is a value of one of two types: that of one of them
// if the other has it, too, or has nothing but literals, as in `inputs.count ?? 0`.
func joinOnWire(a, b *spec.Type) spec.Kind {
	switch {
	case a.OnWire == b.OnWire, b.OnWire == spec.Any && len(b.Enum) > 0:
		return a.OnWire
	case a.OnWire == spec.Any && len(a.Enum) > 0:
		return b.OnWire
	default:
		return spec.Any
	}
}
