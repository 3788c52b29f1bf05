package typing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// marker returns a reader for an attribute without arguments.
func marker(set func(*spec.Property)) func(*attrCall) {
	return func(c *attrCall) {
		if c.attr.NumArgs() > 1 || strings.TrimSpace(c.attr.Contents()) != "" {
			c.fail(fmt.Sprintf("@%s takes no argument", c.attr.Name()), fmt.Sprintf("Write @%s().", c.attr.Name()))
			return
		}
		set(c.prop)
	}
}

// readReplace reads @replace() and, of settings, @replace(false).
func readReplace(c *attrCall) {
	switch isFalse := strings.TrimSpace(c.attr.Contents()) == "false"; {
	case isFalse && c.site.Role == ConfigRole:
		c.prop.Moves = true
	case isFalse:
		c.fail("@replace(false) is for settings", "Without @replace, a change of an input is an update. Remove it.")
	default:
		marker(func(p *spec.Property) { p.Replace = true })(c)
	}
}

// stringArgs returns the arguments of an attribute, all of which must be unnamed strings.
func (c *attrCall) stringArgs() ([]string, bool) {
	var list []string
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		if value != "" {
			c.fail(fmt.Sprintf("@%s has no argument %q", c.attr.Name(), key), fmt.Sprintf("Write the value without a name: @%s(…).", c.attr.Name()))
			return nil, false
		}
		if key != "" {
			list = append(list, key)
		}
	}
	return list, true
}

// readText returns a reader for an attribute with one string argument.
func readText(set func(*spec.Property, string)) func(*attrCall) {
	return func(c *attrCall) {
		list, ok := c.stringArgs()
		if !ok {
			return
		}
		if len(list) != 1 {
			c.fail(fmt.Sprintf("@%s requires one string", c.attr.Name()), fmt.Sprintf(`Write @%s("…").`, c.attr.Name()))
			return
		}
		set(c.prop, list[0])
	}
}

// readNoRead reads @noRead(). Of outputs, only whole ones keep their recorded values.
func readNoRead(c *attrCall) {
	if c.site.Role == OutputRole && !c.top && !c.site.named {
		c.Report(source.CodeMisplacedAttribute, c.at, c.site.Place, "@noRead is not allowed inside a nested struct of an output", "Put it on the output that holds the struct, or flatten the struct.")
		return
	}
	marker(func(p *spec.Property) { p.NoRead = true })(c)
}

// readNormalised reads @normalised(). No API returns files.
func readNormalised(c *attrCall) {
	if k := c.named.types.Resolve(c.prop.Type).Kind; k == spec.Asset || k == spec.Archive {
		c.fail(fmt.Sprintf("@normalised requires a value that read returns, got %s", k), "Files are compared by their content. Remove it.")
		return
	}
	marker(func(p *spec.Property) { p.Normalised = true })(c)
}

func readEnv(c *attrCall) {
	list, ok := c.stringArgs()
	if !ok {
		return
	}
	if len(list) == 0 {
		c.fail("@env requires the name of a variable", "Write @env(NAME).")
		return
	}
	for _, name := range list {
		if !block.Identifiers.Pattern.MatchString(name) {
			c.fail(fmt.Sprintf("%q is not a valid name for an environment variable", name), "Use letters, digits and underscores.")
			return
		}
	}
	c.prop.Env = list
}

func readAutoname(c *attrCall) {
	if t := c.named.types.Resolve(c.prop.Type); t.Kind != spec.String {
		c.failKind(t, fmt.Sprintf("@autoname requires a string property, got %s", t.Kind), "The generated name is a string. Change the type, or remove @autoname.")
		return
	}
	auto := &spec.Autoname{Sep: "-"}
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		switch {
		case key == "sep":
			auto.Sep = value
		case key == "max":
			n, err := strconv.Atoi(value)
			if err != nil || n < 8 {
				c.fail("the max of @autoname must be an integer of at least 8", "A generated name consists of a prefix and seven random digits.")
				return
			}
			auto.Max = n
		case key == "" && value == "":
		default:
			c.fail(fmt.Sprintf("@autoname has no argument %q", key), "").Meant(key, []string{"max", "sep"})
			return
		}
	}
	c.prop.Autoname = auto
}

func readDefault(c *attrCall) {
	if n := c.templateArg(); n != nil {
		c.prop.DefaultExpr = n
	}
}

// templateArg returns the only argument of an attribute, with its position in the
// source.
func (c *attrCall) templateArg() *spec.Node {
	list, ok := c.stringArgs()
	if !ok {
		return nil
	}
	if len(list) == 1 && c.attr.Name() == "default" && !strings.Contains(list[0], "${") {
		c.failConstant(list[0])
		return nil
	}
	if len(list) != 1 || !strings.Contains(list[0], "${") {
		c.fail(fmt.Sprintf("@%s requires an expression", c.attr.Name()), fmt.Sprintf(`Write @%s("${…}").`, c.attr.Name()))
		return nil
	}
	if placed, ok := c.findArgument(list[0]); ok {
		return placed
	}
	return &spec.Node{Kind: spec.StringNode, Text: list[0], Range: c.at}
}

// findArgument returns the string literal in the source of the attribute whose value is
// text, with its position.
func (c *attrCall) findArgument(text string) (*spec.Node, bool) {
	for _, from := range c.sources() {
		if from.Field == nil {
			continue
		}
		for _, a := range from.Field.Attrs {
			quote := strings.IndexAny(a.Text, `"#`)
			if !strings.HasPrefix(a.Text, "@"+c.attr.Name()+"(") || quote < 0 || !a.Pos().IsValid() {
				continue
			}
			if n, ok := c.Files.StringAt(a.Pos(), quote); ok && n.Text == text {
				return n, true
			}
		}
	}
	return nil, false
}

func readSet(c *attrCall) {
	if t := c.named.types.Resolve(c.prop.Type); t.Kind != spec.List && t.Kind != spec.Any {
		c.failKind(t, fmt.Sprintf("@set requires a list, got %s", t.Kind), "@set declares that the order of a list is irrelevant. Change the type to a list, or remove @set.")
		return
	}
	marker(func(p *spec.Property) { p.Set = true })(c)
}

func readKey(c *attrCall) {
	list, ok := c.stringArgs()
	if !ok {
		return
	}
	if len(list) != 1 {
		c.fail("@key requires the name of a field", "Write @key(name).")
		return
	}
	t := c.named.types.Resolve(c.prop.Type)
	if t.Kind != spec.List {
		c.failKind(t, fmt.Sprintf("@key requires a list of structs, got %s", t.Kind), "@key names the field that identifies the items of a list. Change the type to a list of structs, or remove @key.")
		return
	}
	prop := c.prop
	c.named.tasks = append(c.named.tasks, func() {
		elem := c.named.types.Resolve(t.Elem)
		if elem.Kind == spec.Object && elem.Field(list[0]) == nil {
			c.fail(fmt.Sprintf("the list's items have no field %q", list[0]), "").Meant(list[0], elem.FieldNames())
		} else if elem.Kind != spec.Object && elem.Kind != spec.Any && elem.Kind != spec.Map {
			c.fail(fmt.Sprintf("@key requires a list of structs, got a list of %s", elem.Kind), "For a list of scalars whose order is irrelevant, write @set().")
		}
	})
	prop.Key = list[0]
}

// equalities are the rules that @equal accepts.
var equalities = []string{"fold", "trim", "json", "path", "exact"}

func readEqual(c *attrCall) {
	list, ok := c.stringArgs()
	if !ok {
		return
	}
	if len(list) == 1 && strings.Contains(list[0], "${") {
		c.prop.EqualExpr = c.templateArg()
		return
	}
	if len(list) != 1 || !slices.Contains(equalities, list[0]) {
		given := strings.Join(list, ", ")
		c.fail(fmt.Sprintf("@equal has no rule %q", given), `Write a rule, or @equal("${lower(old) == lower(new)}").`).Meant(given, equalities)
		return
	}
	t := c.named.types.Resolve(c.prop.Type)
	if list[0] == "exact" && t.Kind != spec.List && t.Kind != spec.Map {
		c.failKind(t, fmt.Sprintf("@equal(exact) requires a list or a map, got %s", t.Kind), "It declares that an empty list or map is different from none. Remove it.")
		return
	}
	if list[0] != "exact" && t.Kind != spec.String && t.Kind != spec.Any {
		c.failKind(t, fmt.Sprintf("@equal(%s) requires a string property, got %s", list[0], t.Kind), `For other types, write an expression: @equal("${old == new}").`)
		return
	}
	c.prop.Equal = list[0]
}

// nameTargets are the hosts and SDKs for which @name can set a name.
var nameTargets = []string{"terraform", "csharp"}

// fixedNames are the SDKs whose generators always derive a property's name from its name
// in the schema.
var fixedNames = []string{"python", "nodejs", "typescript", "go", "java", "dotnet"}

func readNames(c *attrCall) {
	if strings.TrimSpace(c.attr.Contents()) == "" {
		c.fail("@name requires a name", `Write @name(terraform="x").`)
		return
	}
	names := map[string]string{}
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		switch {
		case slices.Contains(fixedNames, key):
			c.fail(fmt.Sprintf("@name(%s=…) has no effect", key),
				fmt.Sprintf("Pulumi's generator for %s derives the name from the name of the property. Rename the property, and add @wire(%s) if the API uses the old name. @name accepts %s.", key, c.prop.Name, strings.Join(nameTargets, " and ")))
			return
		case !slices.Contains(nameTargets, key):
			c.fail(fmt.Sprintf("@name has no argument %q", key), "").Meant(key, nameTargets)
			return
		case !block.Identifiers.Pattern.MatchString(value):
			c.fail(fmt.Sprintf("%q is not a valid name for a property", value), fmt.Sprintf(`Write @name(%s="name"): letters, digits and underscores.`, key))
			return
		}
		names[key] = value
	}
	c.prop.Names = names
}
