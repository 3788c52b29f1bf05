package request

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
)

// Pair is one parameter of a query or form.
type Pair struct{ Name, Value string }

// Parameters returns the parameters in a map, sorted by name. A list becomes repeated
// parameters, and null is omitted.
func Parameters(argument string, m map[string]any) ([]Pair, error) {
	var out []Pair
	for _, name := range slices.Sorted(maps.Keys(m)) {
		values, isList := m[name].([]any)
		if !isList {
			values = []any{m[name]}
		}
		for _, v := range values {
			if v == nil {
				continue
			}
			text, err := actions.TextOf(v)
			if err != nil {
				return nil, fmt.Errorf("%s: %q: %w; use jsonencode(…) to send it as JSON", argument, name, err)
			}
			out = append(out, Pair{name, text})
		}
	}
	return out, nil
}

// EncodePairs encodes parameters as a query or form.
func EncodePairs(pairs []Pair) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(Escape(p.Name))
		b.WriteByte('=')
		b.WriteString(Escape(p.Value))
	}
	return b.String()
}

// Escape escapes all but the unreserved characters (RFC 3986, 2.3). It encodes a space as
// %20, which is valid in queries and forms.
func Escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}
