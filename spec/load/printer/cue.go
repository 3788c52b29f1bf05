package printer

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/encode"
	"github.com/declprov/declprov/spec/lists"
)

// number is the literal of a number.
type number string

// cueWriter writes values of the document as CUE.
type cueWriter struct {
	text strings.Builder
	// packages are the imported packages by name. A key with such a name is quoted,
	// because it would hide the package.
	packages map[string]string
}

// member writes a member after a text. The blocks that contain it are written on the
// same line.
func (w *cueWriter) member(before string, m member, within ...string) {
	w.text.WriteString(before)
	if m.doc != "" {
		w.text.WriteString(comment(m.doc, "// "))
	}
	for _, key := range append(within, m.key) {
		w.text.WriteString(w.label(key) + ": ")
	}
	w.value(m.value)
	w.text.WriteString("\n")
}

// plainLabel matches the labels that need no quotes.
var plainLabel = regexp.MustCompile(`^#?[A-Za-z][A-Za-z0-9_]*[?!]?$`)

// predeclared are the names of CUE that a label without quotes would hide.
var predeclared = strings.Fields(`string int number bool bytes null true false float uint rune error let for in if import package len close and or div mod quo rem
	uint8 uint16 uint32 uint64 uint128 int8 int16 int32 int64 int128 float32 float64 self func try`)

// label returns a key as a label. A key may end in ? or be a pattern.
func (w *cueWriter) label(key string) string {
	name := strings.TrimRight(key, "?")
	switch {
	case strings.HasPrefix(key, "[") || key == "...":
		return key
	case plainLabel.MatchString(key) && !slices.Contains(predeclared, name) && w.packages[name] == "":
		return key
	case name != key && plainLabel.MatchString(key):
		return quote(name) + "?"
	default:
		return quote(key)
	}
}

func (w *cueWriter) value(v any) {
	switch v := v.(type) {
	case *spec.Node:
		w.value(nodeValue(v))
	case string:
		w.text.WriteString(quote(v))
	case expression:
		w.text.WriteString(string(v))
	case bool:
		w.text.WriteString(strconv.FormatBool(v))
	case int:
		w.text.WriteString(strconv.Itoa(v))
	case number:
		w.text.WriteString(string(v))
	case list:
		w.list(v)
	case block:
		w.block(v)
	default:
		w.text.WriteString("null")
	}
}

func (w *cueWriter) list(v list) {
	w.text.WriteString("[")
	long := slices.ContainsFunc(v, func(item any) bool { b, ok := item.(block); return ok && len(b) > 0 })
	for i, item := range v {
		switch {
		case long:
			w.text.WriteString("\n")
		case i > 0:
			w.text.WriteString(" ")
		}
		if b, ok := item.(block); ok {
			w.braces(b)
		} else {
			w.value(item)
		}
		if long || i < len(v)-1 {
			w.text.WriteString(",")
		}
	}
	if long {
		w.text.WriteString("\n")
	}
	w.text.WriteString("]")
}

// block writes a struct. One of a single member without a comment is written on one
// line: `file: write: {…}`.
func (w *cueWriter) block(v block) {
	if len(v) == 1 && v[0].doc == "" && v[0].key != "..." {
		w.text.WriteString(w.label(v[0].key) + ": ")
		w.value(v[0].value)
		return
	}
	w.braces(v)
}

// braces writes a struct in braces.
func (w *cueWriter) braces(v block) {
	w.text.WriteString("{\n")
	for _, m := range v {
		w.member("", m)
	}
	w.text.WriteString("}")
}

// quote returns a string literal, which is one of both CUE and JSON.
func quote(text string) string {
	quoted, err := encode.JSON(text)
	if err != nil {
		return strconv.Quote(text)
	}
	return string(quoted)
}

// nodeValue returns the value of a node as a value of the document.
func nodeValue(n *spec.Node) any {
	switch n.Kind {
	case spec.BoolNode:
		return n.Text == "true"
	case spec.NumberNode:
		return number(n.Text)
	case spec.StringNode:
		if n.Type != nil {
			return expression(n.Text)
		}
		return n.Text
	case spec.ListNode:
		items := list{}
		for _, item := range n.Items {
			items = append(items, nodeValue(item))
		}
		return items
	case spec.MapNode:
		members := block{}
		for _, f := range n.Fields {
			members = append(members, member{key: f.Name, value: nodeValue(f.Value)})
		}
		return members
	default:
		return nil
	}
}

// plainValue returns a value of plain Go as a value of the document.
func plainValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case float64:
		return number(strconv.FormatFloat(v, 'g', -1, 64))
	case []any:
		items := list{}
		for _, item := range v {
			items = append(items, plainValue(item))
		}
		return items
	case map[string]any:
		members := block{}
		for _, name := range sortedKeys(v) {
			members = append(members, member{key: name, value: plainValue(v[name])})
		}
		return members
	default:
		return v
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// literal returns a value of plain Go as an expression of one line.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quote(v)
	case json.Number:
		return v.String()
	case []any:
		items := lists.Map(v, literal)
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		members := lists.Map(sortedKeys(v), func(name string) string { return quote(name) + ": " + literal(v[name]) })
		return "{" + strings.Join(members, ", ") + "}"
	default:
		return fmt.Sprint(v)
	}
}
