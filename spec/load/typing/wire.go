package typing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
)

// isWireRule reports whether an attribute is `@wire(snake_case)`, or another rule's.
func isWireRule(a cue.Attribute) bool {
	rule, err := a.String(0)
	return err == nil && a.Name() == "wire" && slices.Contains(spec.WireRules, rule)
}

// definitionRule returns the rule for names on the wire of a definition, or "":
// `#Pet: {…} @wire(snake_case)`.
func definitionRule(it walk.Item) string {
	for _, a := range it.Value.Attributes(cue.ValueAttr) {
		if isWireRule(a) {
			rule, _ := a.String(0)
			return rule
		}
	}
	return ""
}

func readWire(c *attrCall) {
	path, ok := wirePath(strings.TrimSpace(c.attr.Contents()))
	if !ok {
		c.fail("@wire takes one name", `Write @wire(name), or @wire(parent.name) for a member of a member; a name with other characters in quotes: @wire("a.b").`)
		return
	}
	for _, name := range path {
		space, local, _ := strings.Cut(strings.TrimPrefix(name, "@"), "}")
		if strings.HasPrefix(space, "{") && local == "" {
			c.fail(fmt.Sprintf("%q is not a valid name of a namespace", name), `Write @wire("{namespace}name"), as in @wire("{DAV:}href").`)
			return
		}
	}
	last := len(path) - 1
	c.prop.Wire, c.prop.WireParents = path[last], nil
	if last > 0 {
		c.prop.WireParents = path[:last]
	}
}

// wirePath reads the argument of @wire as it is written: names with dots between them,
// of which some may be in quotes.
func wirePath(text string) (path []string, ok bool) {
	for {
		name, rest, ok := wireName(text)
		if !ok {
			return nil, false
		}
		path = append(path, name)
		if rest == "" {
			return path, true
		}
		if text, ok = strings.CutPrefix(rest, "."); !ok {
			return nil, false
		}
	}
}

// wireName reads the first name of a path.
func wireName(text string) (name, rest string, ok bool) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil || text[0] == '\'' {
		name, _, _ = strings.Cut(text, ".")
		return name, text[len(name):], name != "" && !strings.ContainsAny(name, `,=()[]{}"'`+"` \t\n")
	}
	name, err = strconv.Unquote(quoted)
	return name, text[len(quoted):], err == nil && name != ""
}

// uniqueWires reports properties that would have one name on the wire, or of which one
// would be within the other.
func (x *Extractor) uniqueWires(t *spec.Type, s Site) {
	first, second := t.WireConflict(x.Wire)
	if first == nil {
		return
	}
	a, b := first.WirePath(x.Wire), second.WirePath(x.Wire)
	summary := fmt.Sprintf("%s and %s have one name on the wire: %q", first.Name, second.Name, strings.Join(b, "."))
	if len(a) != len(b) {
		summary = fmt.Sprintf("%s and %s overlap on the wire: %q and %q", first.Name, second.Name, strings.Join(a, "."), strings.Join(b, "."))
	}
	x.Report(source.CodeDuplicateName, second.Range, s.at(second.Name).Place, summary, "Give one of them another @wire(name).")
}
