package typing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
)

// marker reads an attribute without arguments.
func marker(set func(*spec.Property)) func(*attrCall) {
	return func(c *attrCall) {
		if c.attr.NumArgs() > 1 || strings.TrimSpace(c.attr.Contents()) != "" {
			c.fail(fmt.Sprintf("@%s takes no argument", c.attr.Name()), fmt.Sprintf("Write @%s().", c.attr.Name()))
			return
		}
		set(c.prop)
	}
}

// texts returns an attribute's arguments, which must all be plain text.
func (c *attrCall) texts() ([]string, bool) {
	var list []string
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		if value != "" {
			c.fail(fmt.Sprintf("@%s has no argument %q", c.attr.Name(), key), fmt.Sprintf("Write @%s(…) with the value alone.", c.attr.Name()))
			return nil, false
		}
		if key != "" {
			list = append(list, key)
		}
	}
	return list, true
}

// readText reads an attribute of one text.
func readText(set func(*spec.Property, string)) func(*attrCall) {
	return func(c *attrCall) {
		list, ok := c.texts()
		if !ok {
			return
		}
		if len(list) != 1 {
			c.fail(fmt.Sprintf("@%s takes one text", c.attr.Name()), fmt.Sprintf(`Write @%s("…").`, c.attr.Name()))
			return
		}
		set(c.prop, list[0])
	}
}

func readEnv(c *attrCall) {
	list, ok := c.texts()
	if !ok {
		return
	}
	if len(list) == 0 {
		c.fail("@env names no variable", "Write @env(NAME).")
		return
	}
	for _, name := range list {
		if !block.Identifiers.Pattern.MatchString(name) {
			c.fail(fmt.Sprintf("%q is not a valid name of a variable", name), "Letters, digits and underscores.")
			return
		}
	}
	c.prop.Env = list
}

func readAutoname(c *attrCall) {
	if t := c.named.types.Resolve(c.prop.Type); t.Kind != spec.String {
		c.fail(fmt.Sprintf("@autoname is for text, not %s", t.Kind), "A name is derived for a string.")
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
				c.fail("@autoname's max must be a number from 8 on", "A name has seven random digits, and something before them.")
				return
			}
			auto.Max = n
		case key == "" && value == "":
		default:
			c.fail(fmt.Sprintf("@autoname has no argument %q", key), diag.Remedy(key, []string{"max", "sep"}))
			return
		}
	}
	c.prop.Autoname = auto
}

func readDefault(c *attrCall) {
	if n := c.template(); n != nil {
		c.prop.DefaultExpr = n
	}
}

// template returns an attribute's only argument, with its place in the source.
func (c *attrCall) template() *spec.Node {
	list, ok := c.texts()
	if !ok {
		return nil
	}
	if len(list) != 1 || !strings.Contains(list[0], "${") {
		c.fail(fmt.Sprintf("@%s takes an expression", c.attr.Name()), fmt.Sprintf(`Write @%s("${…}").`, c.attr.Name()))
		return nil
	}
	if placed, ok := c.written(list[0]); ok {
		return placed
	}
	return &spec.Node{Kind: spec.StringNode, Text: list[0], Range: c.at}
}

// written finds the quoted argument in the attribute's text.
func (c *attrCall) written(text string) (*spec.Node, bool) {
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
		c.fail(fmt.Sprintf("@set is for a list, not %s", t.Kind), "It says that the order of a list means nothing.")
		return
	}
	marker(func(p *spec.Property) { p.Set = true })(c)
}

func readKey(c *attrCall) {
	list, ok := c.texts()
	if !ok {
		return
	}
	if len(list) != 1 {
		c.fail("@key takes the name of a field", "Write @key(name).")
		return
	}
	t := c.named.types.Resolve(c.prop.Type)
	if t.Kind != spec.List {
		c.fail(fmt.Sprintf("@key is for a list of structs, not %s", t.Kind), "It says which field tells the items of a list apart.")
		return
	}
	prop := c.prop
	c.named.later = append(c.named.later, func() {
		elem := c.named.types.Resolve(t.Elem)
		if elem.Kind == spec.Object && elem.Field(list[0]) == nil {
			c.fail(fmt.Sprintf("the list's items have no field %q", list[0]), diag.Remedy(list[0], elem.FieldNames()))
		} else if elem.Kind != spec.Object && elem.Kind != spec.Any && elem.Kind != spec.Map {
			c.fail(fmt.Sprintf("@key is for a list of structs, not of %s", elem.Kind), "For a list of plain values whose order means nothing, write @set().")
		}
	})
	prop.Key = list[0]
}

// equalities are the rules of @equal, with the kind that each is for.
var equalities = []string{"fold", "trim", "json", "path"}

func readEqual(c *attrCall) {
	list, ok := c.texts()
	if !ok {
		return
	}
	if len(list) == 1 && strings.Contains(list[0], "${") {
		c.prop.EqualExpr = c.template()
		return
	}
	if len(list) != 1 || !slices.Contains(equalities, list[0]) {
		given := strings.Join(list, ", ")
		c.fail(fmt.Sprintf("@equal has no rule %q", given), diag.Remedy(given, equalities)+` Or write @equal("${lower(old) == lower(new)}").`)
		return
	}
	if t := c.named.types.Resolve(c.prop.Type); t.Kind != spec.String && t.Kind != spec.Any {
		c.fail(fmt.Sprintf("@equal(%s) is for text, not %s", list[0], t.Kind), `For other types, write an expression: @equal("${old == new}").`)
		return
	}
	c.prop.Equal = list[0]
}

// targets are the hosts and SDKs that a property may be renamed for.
var targets = []string{"terraform", "csharp"}

// unnamed are the SDKs whose generators make a property's name of the one in the
// schema, and of nothing else.
var unnamed = []string{"python", "nodejs", "typescript", "go", "java", "dotnet"}

func readNames(c *attrCall) {
	if strings.TrimSpace(c.attr.Contents()) == "" {
		c.fail("@name gives no name", `Write @name(terraform="x").`)
		return
	}
	names := map[string]string{}
	for i := range c.attr.NumArgs() {
		key, value := c.attr.Arg(i)
		switch {
		case slices.Contains(unnamed, key):
			c.fail(fmt.Sprintf("@name(%s=…) has no effect", key),
				fmt.Sprintf("Pulumi's generator for %s makes its name of the property's own. Rename the property, and say @wire(%s) where the API has the old name. @name takes %s.", key, c.prop.Name, strings.Join(targets, " and ")))
			return
		case !slices.Contains(targets, key):
			c.fail(fmt.Sprintf("@name has no argument %q", key), diag.Remedy(key, targets))
			return
		case !block.Identifiers.Pattern.MatchString(value):
			c.fail(fmt.Sprintf("%q is not a valid name for a property", value), fmt.Sprintf(`Write @name(%s="name"): letters, digits and underscores.`, key))
			return
		}
		names[key] = value
	}
	c.prop.Names = names
}
