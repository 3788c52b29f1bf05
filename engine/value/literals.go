package value

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// fromLiteral returns a literal of the spec as a property.Value.
func fromLiteral(l any) property.Value {
	return fromTree(l, func(n any) property.Value {
		number, _ := n.(json.Number) // literals contain no int64
		f, _ := number.Float64()
		return property.New(f)
	})
}

// fromTree returns a literal or decoded value as a property.Value. number converts
// int64 and json.Number.
func fromTree(v any, number func(any) property.Value) property.Value {
	switch v := v.(type) {
	case bool:
		return property.New(v)
	case string:
		return property.New(v)
	case float64:
		return property.New(v)
	case int64, json.Number:
		return number(v)
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			items[i] = fromTree(item, number)
		}
		return property.New(items)
	case map[string]any:
		members := make(map[string]property.Value, len(v))
		for name, member := range v {
			members[name] = fromTree(member, number)
		}
		return property.New(members)
	default:
		return property.Value{}
	}
}

// Describe returns the name of a type for messages, such as `string` or `list of
// int`.
func Describe(t *spec.Type) string { return types.Describe(t) }

// kindOf returns the kind of a value for messages, and the value itself if it is a
// number that is not secret.
func (f *Findings) kindOf(v property.Value) string {
	switch {
	case v.IsBool():
		return "a boolean"
	case v.IsNumber():
		if f.hidden > 0 || v.Secret() {
			return "a number"
		}
		return strconv.FormatFloat(v.AsNumber(), 'f', -1, 64)
	case v.IsString():
		return "a string"
	case v.IsArray():
		return "a list"
	case v.IsMap():
		return "an object"
	case v.IsAsset():
		return "an asset"
	case v.IsArchive():
		return "an archive"
	case v.IsResourceReference():
		return "a resource"
	default:
		return "null"
	}
}

// suggestion returns the end of a message about a value that must be one of the known
// ones: `, not "X" (did you mean "Y"?)`. For a secret it returns "".
func (f *Findings) suggestion(v property.Value, known []string) string {
	if f.hidden > 0 || v.Secret() {
		return ""
	}
	given := ""
	switch {
	case v.IsString():
		given = v.AsString()
	case v.IsNumber():
		given = strconv.FormatFloat(v.AsNumber(), 'f', -1, 64)
	default:
		return ", not " + f.kindOf(v)
	}
	out := fmt.Sprintf(", not %s", Quote(given))
	if meant := diag.DidYouMean(given, known); meant != "" {
		out += fmt.Sprintf(" (did you mean %s?)", Quote(meant))
	}
	return out
}

// Quote returns a string in double quotes, truncated if it is long.
func Quote(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
