package typing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/types"
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
	names := strings.TrimSpace(c.attr.Contents())
	first, last := cutLast(names)
	key, kind, isType := strings.Cut(last, "=")
	if isType = isType && strings.TrimSpace(key) == "type"; isType {
		if names = first; !c.readWireType(strings.TrimSpace(kind)) || names == "" {
			return
		}
	}
	path, item, ok := wirePath(names)
	if first == "" && wireType(names) != spec.Any {
		c.fail(fmt.Sprintf("%q is a type, and the argument is a name", names), fmt.Sprintf("Write @wire(type=%s); or, if a member has this name, @wire(%q).", names, names)).Replace(names, "type="+names)
		return
	}
	if !ok && wireType(last) != spec.Any {
		c.fail("@wire requires one name", fmt.Sprintf("The type on the wire is its argument `type`: @wire(%s, type=%s).", first, last)).Replace(names, first+", type="+last)
		return
	}
	if !ok {
		c.fail("@wire requires one name", `Write @wire(name), @wire(parent.name) for a nested member, or @wire(tags[].name) for a list whose items are in objects. Quote names with other characters: @wire("a.b"). For text that is a number on the wire, add type=int.`)
		return
	}
	if t := c.named.types.Resolve(c.prop.Type); item != nil && t.Kind != spec.List {
		detail := "`tags: [...string] @wire(tags[].name)` stands for a list of objects on the wire, [{\"name\": …}]. Change the type to a list, or remove the []."
		if t.Kind == spec.Map {
			detail += " A map that is a list of keys and values on the wire is converted where it is sent, `${map(entries(inputs.tags ?? {}), ({key: .key, value: .value}))}`, and where it is read, `${fromPairs(map(body.tags ?? [], [.key, .value]))}`."
		}
		c.fail(fmt.Sprintf("@wire with [] requires a list, got %s", t.Kind), detail)
		return
	}
	for _, name := range slices.Concat(path, item) {
		space, local, _ := strings.Cut(strings.TrimPrefix(name, "@"), "}")
		if strings.HasPrefix(space, "{") && local == "" {
			c.fail(fmt.Sprintf("%q is not a valid name in an XML namespace", name), `Write @wire("{namespace}name"), as in @wire("{DAV:}href").`)
			return
		}
	}
	parents, name := path[:len(path)-1], path[len(path)-1]
	if len(parents) == 0 {
		parents = nil
	}
	c.prop.Wire, c.prop.WireParents = name, parents
	c.prop.WireItem = item
}

// cutLast returns an argument list without its last argument, and that.
func cutLast(arguments string) (rest, last string) {
	i := strings.LastIndex(arguments, ",")
	return strings.TrimSpace(arguments[:max(i, 0)]), strings.TrimSpace(arguments[i+1:])
}

// wireTypes are the types on the wire that @wire accepts, each with those of the scalars that may have it.
var wireTypes = map[spec.Kind][]spec.Kind{
	spec.Int:    {spec.String, spec.Bool},
	spec.String: {spec.Int, spec.Number, spec.Bool},
}

// wireType returns the type on the wire with a name, or Any.
func wireType(name string) spec.Kind {
	for kind := range wireTypes {
		if kind.String() == name {
			return kind
		}
	}
	return spec.Any
}

// readWireType reads the type on the wire of a scalar, or of the scalars in a list or map. It returns
// false if that has a mistake.
func (c *attrCall) readWireType(name string) bool {
	kind := wireType(name)
	if kind == spec.Any {
		d := c.fail(fmt.Sprintf("%q is not a type on the wire", name), "Write type=int or type=string.")
		meant, _ := foreign.Scalar(name)
		if name == spec.Number.String() || meant == spec.Number.String() {
			meant = spec.Int.String()
		}
		if wireType(meant) != spec.Any {
			d.Replace("="+name, "="+meant)
		}
		return false
	}
	t, scalar := c.onWire(c.prop.Type, kind)
	switch {
	case scalar.Kind == kind:
		c.fail(fmt.Sprintf("the property is of type %s anyway", scalar.Kind), fmt.Sprintf("type=%s is for a property of another type. Remove it.", name))
		return false
	case !slices.Contains(wireTypes[kind], scalar.Kind):
		c.failKind(scalar, fmt.Sprintf("@wire(type=%s) requires %s, got %s", name, diag.Or(kindNames(wireTypes[kind])), scalar.Kind),
			"The items of a list and the values of a map may have a type on the wire, too. Change the type of the property, or remove the argument.")
		return false
	}
	for _, v := range scalar.Enum {
		if broken := types.Breaches(v, scalar, nil); broken != nil {
			c.fail(fmt.Sprintf("%s %s", types.DescribeValue(v), broken[0].Must), "Remove the literal, or `type=int`.")
			return false
		}
	}
	if def := c.prop.Default; def != nil && types.Fits(def, t, c.named.types) != nil {
		c.fail(fmt.Sprintf("the default %s is not an integer, as which it is sent", showLiteral(def)), "Write a default such as \"0\", or make the property optional.")
		return false
	}
	c.prop.Type = t
	return true
}

// onWire returns a type with the kind that its scalars have on the wire, and the type of the scalars.
func (c *attrCall) onWire(t *spec.Type, kind spec.Kind) (sent, scalar *spec.Type) {
	out := *c.named.types.Resolve(t)
	if out.Kind == spec.List || out.Kind == spec.Map {
		out.Elem, scalar = c.onWire(types.Elem(&out), kind)
		return &out, scalar
	}
	if out.OnWire = kind; kind == spec.Int && out.Kind == spec.String {
		out.Patterns = append(slices.Clone(out.Patterns), spec.Pattern{Regexp: types.Integers, Means: "an integer in digits, because it is a number on the wire"})
	}
	return &out, &out
}

func kindNames(kinds []spec.Kind) []string {
	return lists.Map(kinds, spec.Kind.String)
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
