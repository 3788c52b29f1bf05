package block_test

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/typing"
)

// titles are the blocks of the reference, in order.
var titles = []struct {
	title string
	block *block.Block
}{
	{"A spec", block.Provider},
	{"permissions", block.Permissions},
	{"A resource", block.Resource},
	{"rest", block.Rest},
	{"rest: wait", block.RestWait},
	{"defaults of rest", block.RestDefaults},
	{"An operation", block.Operation},
	{"A step", block.Step},
	{"retry", block.Retry},
	{"find", block.Find},
	{"list", block.Lister},
	{"checks", block.Check},
	{"diff", block.Diff},
	{"diff: rules", block.DiffRule},
	{"A function, method or action", block.Function},
	{"A component", block.Component},
	{"children", block.Child},
	{"children: options", block.ChildOptions},
	{"children: options: aliases", block.ChildAlias},
	{"children: options: customTimeouts", block.ChildTimeouts},
	{"An ephemeral", block.Ephemeral},
}

// forms describe the values of the kinds.
var forms = map[block.Kind]string{
	block.Text: "a string", block.Texts: "a list of strings", block.Template: "a template", block.Templates: "a list of templates", block.Bool: "`true` or `false`",
	block.Condition: "`true`, `false` or an expression", block.Duration: "a duration", block.Count: "a whole number",
	block.Failures: `a list of numbers, "connection" and "timeout"`, block.Collection: "a list, a struct or an expression", block.Body: "a struct or an expression", block.Data: "any value", block.Types: "properties and their types",
	block.Struct: "a block", block.Short: "a string or a block", block.List: "a list of blocks", block.Members: "named blocks", block.Steps: "a list of steps", block.Special: "a struct",
}

// roles name the blocks that properties may belong to.
var roles = []struct {
	role typing.Role
	name string
}{
	{typing.ConfigRole, "config"},
	{typing.InputRole, "inputs"},
	{typing.OutputRole, "outputs"},
	{typing.ArgumentRole, "arguments"},
	{typing.ResultRole, "results"},
}

// reference returns the tables of all blocks and their keys, and of the attributes, in Markdown.
func reference() string {
	var page strings.Builder
	page.WriteString("<!-- Generated from spec/load/block; run \"make generate\". -->\n\n# The keys of a spec\n\n" +
		"The keys of each block. The [language reference](language.md) explains how they work together, and [actions](actions.md) lists the families of actions (`file`, `http`, …): the name of a family is a key of a step, and at the top of a spec the key of its block of defaults.\n\n" +
		"- A *template* is a string that may contain expressions: `\"/pets/${id}\"`. An *expression* is a string that consists of one: `\"${inputs.size > 3}\"`.\n" +
		"- A *struct* is an object in CUE, YAML or JSON. A *block* is a struct with the keys of one of the tables, and *named blocks* are a struct with a block for each name: `NAME: {…}`.\n" +
		"- A *duration* is a string such as `\"1m30s\"`.\n" +
		"- A *name on the wire* is the name of a property in requests and responses.\n")
	for _, t := range titles {
		fmt.Fprintf(&page, "\n## %s\n\n", t.title)
		for _, other := range t.block.Has {
			fmt.Fprintf(&page, "It has the keys of %s, and:\n\n", map[string]string{"Operation": "an operation", "Step": "a step"}[other])
		}
		page.WriteString("| key | takes | means |\n|---|---|---|\n")
		for _, k := range t.block.Keys {
			form := forms[k.Kind]
			if k.Kind == block.Count {
				form += " " + k.Whole.Range
				if k.Into == nil {
					form += ", or an expression"
				}
			}
			if k.Or != "" && k.Kind == block.List {
				form = "a list of " + k.Or + "s and blocks"
			}
			if k.Null {
				form += " or `null`"
			}
			if k.InData {
				form = "types by name"
			}
			if k.Required {
				form += ", required"
			}
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", k.Name, form, strings.ReplaceAll(k.Doc, "|", `\|`))
		}
	}
	page.WriteString("\n## Attributes\n\nAn attribute follows the type of a property: `name: string @replace()`. *Arguments* and *results* are the `inputs` and `outputs` of functions, methods and ephemerals.\n\n| attribute | on | means |\n|---|---|---|\n")
	for _, a := range typing.Attributes() {
		var on []string
		for _, r := range roles {
			if a.Roles&r.role != 0 {
				on = append(on, r.name)
			}
		}
		if len(on) == len(roles) {
			on = []string{"any property"}
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s |\n", a.Usage, strings.Join(on, ", "), a.Doc)
	}
	return page.String()
}
