package expr

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

// shapeEdit is what to write for a value whose kind is not the expected one.
type shapeEdit struct {
	remedy string
	edits  []diag.Edit
}

// shapes says what to write for values of another kind than the expected one.
type shapes struct{ *compilation }

// add adds the remedy and the edits to a finding.
func (e shapeEdit) add(d *diag.Diagnostic) {
	if e.remedy != "" {
		d.Detail = e.remedy
		d.Suggest(e.edits...)
	}
}

// variantOf returns the only variant of a type that is of one of the kinds, or nil.
func (c shapes) variantOf(t *spec.Type, kinds ...spec.Kind) *spec.Type {
	var found *spec.Type
	variants := []*spec.Type{t}
	if t.Kind == spec.Union {
		variants = t.Variants
	}
	for _, v := range variants {
		if v = types.Resolve(v, c.scope.Types); slices.Contains(kinds, v.Kind) {
			if found != nil {
				return nil
			}
			found = v
		}
	}
	return found
}

// joint matches what joins two conditions, or compares a value, in the text between expressions.
var joint = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:!|not|(?:\|\||&&|and|or|[=!]=|[<>]=?)\s*("[^"]*"|'[^']*'|[\d.]+|true|false|null)?)\s*$`)
})

// oneExpression returns the expression that a condition is meant to be whose parts are in ${…} each.
func (c shapes) oneExpression(n *spec.Node, raw []template.Piece, want *spec.Type) shapeEdit {
	if types.Present(types.Resolve(want, c.scope.Types), c.scope.Types).Kind != spec.Bool {
		return shapeEdit{}
	}
	var text strings.Builder
	for _, p := range raw {
		if !p.Expr && !joint().MatchString(p.Text) {
			return shapeEdit{}
		}
		part := p.Text
		if p.Expr {
			part = strings.TrimSpace(part)
		}
		text.WriteString(part)
	}
	if _, bad := parse.Expression(text.String()); bad != nil {
		return shapeEdit{}
	}
	written := "${" + text.String() + "}"
	return shapeEdit{"Write one expression: " + written + ".", []diag.Edit{{At: n.Range, Old: n.Text, Text: written}}}
}

// listOfOne returns what to write for a single value where a list is expected, among other things.
func (c shapes) listOfOne(n *spec.Node) shapeEdit {
	return shapeEdit{"Write " + (&spec.Node{Kind: spec.ListNode, Items: []*spec.Node{n}}).Written() + ".", around(n, "[", "]")}
}

// structOfList returns what to write for a list where a struct or a map is expected: names with values,
// or the member that is the list.
func (c shapes) structOfList(n *spec.Node, t *spec.Type) shapeEdit {
	v := c.variantOf(t, spec.Map, spec.Object)
	switch {
	case v == nil:
		return shapeEdit{}
	case v.Kind == spec.Object:
		return c.memberOfList(n, v)
	}
	var members []string
	for _, item := range n.Items {
		name, value, ok := namedItem(item)
		if !ok {
			return shapeEdit{remedy: "Write names with their values: {\"name\": value, …}."}
		}
		members = append(members, strconv.Quote(name)+": "+value)
	}
	text := "{" + strings.Join(members, ", ") + "}"
	return shapeEdit{"Write names with their values: " + text + ".", []diag.Edit{{At: n.Range, Text: text}}}
}

// memberOfList returns the struct whose first member that is a list has the items.
func (c shapes) memberOfList(n *spec.Node, t *spec.Type) shapeEdit {
	for _, p := range t.Fields {
		of := types.Present(types.Resolve(p.Type, c.scope.Types), c.scope.Types)
		if c.variantOf(of, spec.List) == nil || types.Fits(n.Plain(), of, c.scope.Types) != nil {
			continue
		}
		return shapeEdit{fmt.Sprintf("Write {%s: [ … ]}.", p.Name), around(n, "{"+p.Name+": ", "}")}
	}
	return shapeEdit{}
}

// around returns the edits that write a text before and after a value on one line.
func around(n *spec.Node, before, after string) []diag.Edit {
	if n.Range.Start.Line != n.Range.End.Line {
		return nil
	}
	from, to := n.Range, n.Range
	from.End, to.Start = from.Start, to.End
	return []diag.Edit{{At: from, Text: before}, {At: to, Text: after}}
}

// listOfStruct returns what to write for a struct where a list is expected: an item for each member, if
// the items have a name and a value, or a list of one item.
func (c shapes) listOfStruct(n *spec.Node, t *spec.Type) shapeEdit {
	v := c.variantOf(t, spec.List)
	if v == nil || v.Elem == nil || len(n.Fields) == 0 {
		return shapeEdit{}
	}
	elem := types.Resolve(v.Elem, c.scope.Types)
	inBraces := n.Range.Start.Line == n.Range.End.Line && n.Range.Start != n.Fields[0].NameRange.Start
	if elem.Field("name") == nil || elem.Field("value") == nil || n.Get("name") != nil && (n.Get("value") != nil || len(n.Fields) > 1) {
		e := shapeEdit{remedy: "Write [ … ], also around a single item."}
		if elem.Field(n.Fields[0].Name) != nil && inBraces {
			e.edits = around(n, "[", "]")
		}
		return e
	}
	first := n.Fields[0].Name
	e := shapeEdit{remedy: fmt.Sprintf("Write an item for each: [{name: %q, value: …}, …].", first)}
	if !inBraces {
		return e
	}
	open, end := n.Range, n.Range
	open.End, end.Start = n.Fields[0].NameRange.Start, n.Fields[len(n.Fields)-1].Value.Range.End
	e.edits = []diag.Edit{{At: open, Text: "["}}
	for _, f := range n.Fields {
		name, after := f.NameRange, f.Value.Range
		name.End, after.Start = f.Value.Range.Start, after.End
		e.edits = append(e.edits, diag.Edit{At: name, Text: fmt.Sprintf("{name: %q, value: ", f.Name)}, diag.Edit{At: after, Text: "}"})
	}
	e.edits = append(e.edits, diag.Edit{At: end, Text: "]"})
	return e
}

// structOfString returns what to write for a string where a struct is expected: the member that the string
// is, or names.
func (c shapes) structOfString(n *spec.Node, text string, t *spec.Type) shapeEdit {
	v := c.variantOf(t, spec.Object)
	if v == nil {
		return shapeEdit{}
	}
	if p := v.Field(text); p != nil {
		if types.IsString(types.Resolve(p.Type, c.scope.Types)) {
			return shapeEdit{remedy: fmt.Sprintf("Write {%s: \"…\"}.", text)}
		}
		return c.structOfName(n, p)
	}
	for _, p := range v.Fields {
		of := types.Present(types.Resolve(p.Type, c.scope.Types), c.scope.Types)
		if types.IsString(of) && types.Fits(map[string]any{p.Name: text}, v, c.scope.Types) == nil {
			return shapeEdit{fmt.Sprintf("Write {%s: %q}.", p.Name, text), around(n, "{"+p.Name+": ", "}")}
		}
	}
	return shapeEdit{remedy: fmt.Sprintf("Write a struct with one of the members %s.", diag.Or(v.FieldNames()))}
}

// structOfName returns what to write for the name of a member of the expected struct.
func (c shapes) structOfName(n *spec.Node, p *spec.Property) shapeEdit {
	of := types.Present(types.Resolve(p.Type, c.scope.Types), c.scope.Types)
	if of.Kind == spec.Bool {
		text := "{" + p.Name + ": true}"
		return shapeEdit{"Write " + text + ".", []diag.Edit{{At: n.Range, Text: text}}}
	}
	var members []string
	for _, m := range of.Fields {
		if m.Required || len(members) == 0 {
			members = append(members, m.Name+": …")
		}
	}
	if members == nil {
		return shapeEdit{remedy: fmt.Sprintf("Write {%s: …}.", p.Name)}
	}
	return shapeEdit{remedy: fmt.Sprintf("Write {%s: {%s}}.", p.Name, strings.Join(members, ", "))}
}

// numberOf returns what to write for a string where a number is expected, among other things: a status in
// quotes, or a class of statuses.
func (c shapes) numberOf(n *spec.Node, text string, t *spec.Type) shapeEdit {
	v := c.variantOf(t, spec.Int, spec.Number)
	if v == nil || t.Kind != spec.Union {
		return shapeEdit{}
	}
	if isNumber(text) && types.Fits(json.Number(text), v, c.scope.Types) == nil {
		return shapeEdit{"Write the number without quotes.", []diag.Edit{{At: n.Range, Text: text}}}
	}
	if remedy, _, ok := foreign.Statuses(text); ok && types.Fits(json.Number("500"), v, c.scope.Types) == nil {
		return shapeEdit{remedy: remedy}
	}
	return shapeEdit{}
}

// quoted returns a number or boolean as a string of a type. Permission bits are written in octal.
func (c shapes) quoted(n *spec.Node, want *spec.Type) string {
	fits := func(text string) bool { return types.Fits(text, want, c.scope.Types) == nil }
	if bits, ok := foreign.Mode(n.Text); ok && fits("0644") && !fits("0888") && fits(bits) {
		return strconv.Quote(bits)
	}
	return strconv.Quote(n.Text)
}

// namedItem translates an item of a list that is a name with its value: "Accept: text/plain", {name: …,
// value: …} or {Accept: …}. value is in the notation of the document.
func namedItem(n *spec.Node) (name, value string, ok bool) {
	literal := func(v *spec.Node) (string, bool) {
		switch {
		case v == nil:
			return "", false
		case v.Kind == spec.StringNode:
			return strconv.Quote(v.Text), true
		default:
			return v.Text, v.Kind == spec.NumberNode || v.Kind == spec.BoolNode
		}
	}
	switch {
	case n.Kind == spec.StringNode:
		name, value, ok = strings.Cut(n.Text, ":")
		if !ok {
			name, value, ok = strings.Cut(n.Text, "=")
		}
		name = strings.TrimSpace(name)
		return name, strconv.Quote(strings.TrimSpace(value)), ok && headerName().MatchString(name)
	case n.Kind == spec.MapNode && len(n.Fields) == 1:
		value, ok = literal(n.Fields[0].Value)
		return n.Fields[0].Name, value, ok
	case n.Kind == spec.MapNode && len(n.Fields) == 2:
		for _, key := range []string{"name", "key", "header"} {
			if k := n.Get(key); k != nil && k.Kind == spec.StringNode {
				value, ok = literal(n.Get("value"))
				return k.Text, value, ok
			}
		}
	}
	return "", "", false
}

// headerName matches a name before a colon, in the item of a list.
var headerName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][\w.-]*$`) })
