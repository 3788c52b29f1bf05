package request

import (
	"errors"
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
	// Indices is like Brackets, with an index for each item: a[0]=1, a[0][b]=2, a[b]=3.
	Indices ListRule = "indices"
	// MemberN is the rule of AWS Query: a.member.1=1, a.member.1.b=2, a.b=3.
	MemberN ListRule = "member.N"
	// Number is the rule of Amazon EC2: a.1=1, a.1.b=2, a.b=3.
	Number ListRule = "N"
)

// ListRules returns the rules by their names. The first is the default.
func ListRules() []string {
	return []string{string(Repeat), string(Brackets), string(Indices), string(MemberN), string(Number)}
}

// Parameters returns the parameters in a map, sorted by name. Null is omitted. rule says how lists
// and maps are written; "" is Repeat.
func Parameters(argument string, m map[string]any, rule ListRule) ([]Pair, error) {
	return pairEncoder{argument: argument, rule: rule}.encode(m)
}

// EmptyNulls is the value of the argument `nulls` with which a form has an empty value for each null.
const EmptyNulls = "empty"

// formParameters returns the parameters of a form. If nulls is EmptyNulls, null and a list or map with no items are sent as an empty value, by
// which servers of forms remove a member.
func formParameters(m map[string]any, rule ListRule, nulls string) ([]Pair, error) {
	return pairEncoder{argument: "form", rule: rule, emptyNulls: nulls == EmptyNulls}.encode(m)
}

func (e pairEncoder) encode(m map[string]any) ([]Pair, error) {
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
	// emptyNulls says that what has no value is written as an empty value. Within a list, it is left out: lists are sent as a whole.
	emptyNulls bool
	out        []Pair
}

// isRepeat reports whether the rule can write neither maps nor nested lists.
func (r ListRule) isRepeat() bool { return r == "" || r == Repeat }

// member returns the name of a member of a map. It returns an error if a server would read it as another one.
func (r ListRule) member(name, key string) (string, error) {
	inBrackets := r == Brackets || r == Indices
	switch {
	case key == "":
		return "", errors.New("a name in it is empty")
	case inBrackets && strings.ContainsAny(key, "[]"):
		return "", fmt.Errorf("the name %q in it contains a bracket, which a server would read as the name of a member", actions.Clip(key, 40))
	case !inBrackets && strings.Contains(key, "."):
		return "", fmt.Errorf("the name %q in it contains a dot, which a server would read as the name of a member", actions.Clip(key, 40))
	case inBrackets:
		return name + "[" + key + "]", nil
	default:
		return name + "." + key, nil
	}
}

// add writes a value under a name. top is the name of the whole parameter, for errors.
func (e *pairEncoder) add(name, top string, v any) error {
	written := len(e.out)
	switch v := v.(type) {
	case nil:
		e.addEmpty(name, written)
		return nil
	case []any:
		if err := e.addList(name, top, v); err != nil {
			return err
		}
		e.addEmpty(name, written)
		return nil
	case map[string]any:
		if e.rule.isRepeat() {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner, err := e.rule.member(name, key)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", e.argument, top, err)
			}
			if err := e.add(inner, top, v[key]); err != nil {
				return err
			}
		}
		e.addEmpty(name, written)
		return nil
	}
	text, err := actions.TextOf(v)
	if err != nil {
		return fmt.Errorf("%s: %q: %w; set `lists` to the rule of the server, or use jsonencode(…) to send it as JSON", e.argument, top, err)
	}
	e.out = append(e.out, Pair{name, text})
	return nil
}

// addEmpty writes an empty value under a name if nothing was written for it, and the form has empty values for nulls.
func (e *pairEncoder) addEmpty(name string, written int) {
	if e.emptyNulls && len(e.out) == written {
		e.out = append(e.out, Pair{Name: name})
	}
}

// addList writes a list. Nulls in it do not count.
func (e *pairEncoder) addList(name, top string, list []any) error {
	n, emptyNulls := 0, e.emptyNulls
	e.emptyNulls = false
	defer func() { e.emptyNulls = emptyNulls }()
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
		case Indices:
			inner = name + "[" + strconv.Itoa(n) + "]"
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
		written := len(e.out)
		if err := e.add(inner, top, item); err != nil {
			return err
		}
		if len(e.out) == written {
			return fmt.Errorf("%s: %q: a list or object in a list is empty, which cannot be written; leave it out, or use jsonencode(…) to send the list as JSON", e.argument, top)
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
