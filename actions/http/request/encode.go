package request

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
)

// Pair is one parameter of a query or form.
type Pair struct{ Name, Value string }

// ListRule says how lists and maps are written in a query or form.
type ListRule string

const (
	// Repeat repeats the parameter for each item. Maps cannot be written.
	Repeat ListRule = "repeat"
	// Brackets is the rule of PHP and Rails: a[]=1, a[0][b]=2, a[b]=3.
	Brackets ListRule = "brackets"
	// MemberN is the rule of AWS Query: a.member.1=1, a.member.1.b=2, a.b=3.
	MemberN ListRule = "member.N"
	// Number is the rule of Amazon EC2: a.1=1, a.1.b=2, a.b=3.
	Number ListRule = "N"
)

// ListRules returns the rules by their names. The first is the default.
func ListRules() []string {
	return []string{string(Repeat), string(Brackets), string(MemberN), string(Number)}
}

// Parameters returns the parameters in a map, sorted by name. Null is omitted. rule says how lists
// and maps are written; "" is Repeat.
func Parameters(argument string, m map[string]any, rule ListRule) ([]Pair, error) {
	e := pairEncoder{argument: argument, rule: rule}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if err := e.add(name, name, m[name]); err != nil {
			return nil, err
		}
	}
	return e.out, nil
}

// pairEncoder writes values as parameters.
type pairEncoder struct {
	argument string
	rule     ListRule
	out      []Pair
}

// add writes a value under a name. top is the name of the whole parameter, for errors.
func (e *pairEncoder) add(name, top string, v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return e.addList(name, top, v)
	case map[string]any:
		if e.rule == "" || e.rule == Repeat {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner := name + "." + key
			if e.rule == Brackets {
				inner = name + "[" + key + "]"
			}
			if err := e.add(inner, top, v[key]); err != nil {
				return err
			}
		}
		return nil
	}
	text, err := actions.TextOf(v)
	if err != nil {
		return fmt.Errorf("%s: %q: %w; set `lists` to the rule of the server, or use jsonencode(…) to send it as JSON", e.argument, top, err)
	}
	e.out = append(e.out, Pair{name, text})
	return nil
}

// addList writes a list. Nulls in it do not count.
func (e *pairEncoder) addList(name, top string, list []any) error {
	n := 0
	for _, item := range list {
		if item == nil {
			continue
		}
		inner := name
		switch e.rule {
		case Brackets:
			inner = name + "[]"
			if isComposite(item) {
				inner = name + "[" + strconv.Itoa(n) + "]"
			}
		case MemberN:
			inner = name + ".member." + strconv.Itoa(n+1)
		case Number:
			inner = name + "." + strconv.Itoa(n+1)
		default:
			if isComposite(item) {
				return fmt.Errorf("%s: %q: a list of lists or objects; set `lists` to the rule of the server, or use jsonencode(…) to send it as JSON", e.argument, top)
			}
		}
		n++
		if err := e.add(inner, top, item); err != nil {
			return err
		}
	}
	return nil
}

func isComposite(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	default:
		return false
	}
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
