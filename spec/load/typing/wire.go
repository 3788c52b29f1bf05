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

// isWireRule reports whether an attribute sets a naming rule, such as
// `@wire(snake_case)`.
func isWireRule(a cue.Attribute) bool {
	rule, err := a.String(0)
	return err == nil && a.Name() == "wire" && slices.Contains(spec.WireRules, rule)
}

// definitionRule returns the naming rule of a definition, or "". Example: `#Pet: {…}
// @wire(snake_case)`.
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
	path, item, ok := wirePath(strings.TrimSpace(c.attr.Contents()))
	if !ok {
		c.fail("@wire requires one name", `Write @wire(name), @wire(parent.name) for a nested member, or @wire(tags[].name) for a list whose items are in objects. Quote names with other characters: @wire("a.b").`)
		return
	}
	if t := c.named.types.Resolve(c.prop.Type); item != nil && t.Kind != spec.List {
		c.fail(fmt.Sprintf("@wire with [] requires a list, got %s", t.Kind), "`tags: [...string] @wire(tags[].name)` stands for a list of objects on the wire, [{\"name\": …}]. Change the type to a list, or remove the [].")
		return
	}
	for _, name := range slices.Concat(path, item) {
		space, local, _ := strings.Cut(strings.TrimPrefix(name, "@"), "}")
		if strings.HasPrefix(space, "{") && local == "" {
			c.fail(fmt.Sprintf("%q is not a valid name in an XML namespace", name), `Write @wire("{namespace}name"), as in @wire("{DAV:}href").`)
			return
		}
	}
	last := len(path) - 1
	c.prop.Wire, c.prop.WireParents = path[last], nil
	if last > 0 {
		c.prop.WireParents = path[:last]
	}
	c.prop.WireItem = item
}

// wirePath parses the argument of @wire: names separated by dots, each of which may
// be quoted. Those after a name with [] are the path in each item of a list.
func wirePath(text string) (path, item []string, ok bool) {
	inItem := false
	for {
		name, rest, ok := wireName(text)
		if !ok {
			return nil, nil, false
		}
		if inItem {
			item = append(item, name)
		} else {
			path = append(path, name)
			rest, inItem = strings.CutPrefix(rest, "[]")
		}
		if rest == "" {
			return path, item, !inItem || item != nil
		}
		if text, ok = strings.CutPrefix(rest, "."); !ok {
			return nil, nil, false
		}
	}
}

// wireName parses the first name of a path.
func wireName(text string) (name, rest string, ok bool) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil || text[0] == '\'' {
		if name = text; strings.ContainsAny(name, ".[") {
			name = text[:strings.IndexAny(text, ".[")]
		}
		return name, text[len(name):], name != "" && !strings.ContainsAny(name, `,=()[]{}"'`+"` \t\n")
	}
	name, err = strconv.Unquote(quoted)
	return name, text[len(quoted):], err == nil && name != ""
}

// checkUniqueWires reports properties with the same or overlapping paths on the wire.
func (x *Extractor) checkUniqueWires(t *spec.Type, s Site) {
	first, second := t.WireConflict(x.Wire)
	if first == nil {
		return
	}
	a, b := first.WirePath(x.Wire), second.WirePath(x.Wire)
	summary := fmt.Sprintf("%s and %s have the same name on the wire: %q", first.Name, second.Name, strings.Join(b, "."))
	if len(a) != len(b) {
		summary = fmt.Sprintf("%s and %s overlap on the wire: %q and %q", first.Name, second.Name, strings.Join(a, "."), strings.Join(b, "."))
	}
	x.Report(source.CodeDuplicateName, second.Range, s.at(second.Name).Place, summary, "Change the @wire(name) of one of them.")
}
