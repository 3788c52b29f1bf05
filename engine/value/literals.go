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

// fromLiteral makes a value of a literal of the spec.
func fromLiteral(l any) property.Value {
	switch l := l.(type) {
	case bool:
		return property.New(l)
	case string:
		return property.New(l)
	case json.Number:
		f, _ := l.Float64()
		return property.New(f)
	case []any:
		items := make([]property.Value, len(l))
		for i, item := range l {
			items[i] = fromLiteral(item)
		}
		return property.New(items)
	case map[string]any:
		entries := make(map[string]property.Value, len(l))
		for k, v := range l {
			entries[k] = fromLiteral(v)
		}
		return property.New(entries)
	default:
		return property.Value{}
	}
}

// Describe names a type for a user: `text`, `a number`, `a list of text`.
func Describe(t *spec.Type) string { return types.Describe(t) }

// kindOf names what a value is, and shows a number that is no secret.
func (f *Findings) kindOf(v property.Value) string {
	switch {
	case v.IsBool():
		return "a truth value"
	case v.IsNumber():
		if f.hidden > 0 || v.Secret() {
			return "a number"
		}
		return strconv.FormatFloat(v.AsNumber(), 'f', -1, 64)
	case v.IsString():
		return "text"
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

// suggestion shows what was given and the literal that was probably meant;
// nothing of a secret.
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

func literals(list []any) []string {
	out := make([]string, len(list))
	for i, l := range list {
		out[i] = fmt.Sprint(l)
	}
	return out
}

// Quote is text in double quotes, cut where it is long.
func Quote(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

func quoted(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Quote(s)
	}
	return out
}
