package block

import (
	"fmt"
	"strings"
)

// titles are the blocks of the reference, in its order.
var titles = []struct {
	title string
	block *Block
}{
	{"A spec", Provider},
	{"permissions", Permissions},
	{"A resource", Resource},
	{"An operation", Operation},
	{"A step", Step},
	{"retry", Retry},
	{"find", Find},
	{"list", Lister},
	{"checks", Check},
	{"diff", Diff},
	{"diff: rules", DiffRule},
	{"A function, method or action", Function},
	{"A component", Component},
	{"children", Child},
	{"children: options", ChildOptions},
	{"children: options: aliases", childAlias},
	{"children: options: customTimeouts", childTimeouts},
	{"An ephemeral", Ephemeral},
}

// forms are what values of the kinds look like.
var forms = map[Kind]string{
	Text: "text", Texts: "a list of text", Template: "a template", Templates: "a list of templates", Bool: "`true` or `false`",
	Condition: "`true`, `false` or an expression", Duration: "a duration", Count: "a whole number",
	Failures: `a list of statuses, "connection" and "timeout"`, Collection: "a list, a struct or an expression", Body: "a struct or an expression", Data: "any value", Types: "properties and their types",
	Struct: "a block", List: "a list of blocks", Members: "blocks by name", Steps: "a list of steps", Special: "a struct",
}

// reference returns the tables of all blocks and their keys, in Markdown.
func reference() string {
	var page strings.Builder
	page.WriteString("<!-- Generated from spec/load/block; run \"make generate\". -->\n\n# The keys of a spec\n\n" +
		"What each block may have. How they work together is in the [language reference](language.md); what a step may do, under [actions](actions.md).\n")
	for _, t := range titles {
		fmt.Fprintf(&page, "\n## %s\n\n", t.title)
		for _, other := range t.block.Has {
			fmt.Fprintf(&page, "It has the keys of %s, and:\n\n", map[string]string{"Operation": "an operation", "Step": "a step"}[other])
		}
		page.WriteString("| key | takes | means |\n|---|---|---|\n")
		for _, k := range t.block.Keys {
			form := forms[k.Kind]
			if k.Kind == Count {
				form += " " + k.Whole.Range
				if k.Into == nil {
					form += ", or an expression"
				}
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
	return page.String()
}
