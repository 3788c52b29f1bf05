package arguments

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/template"
)

// inAction returns the remedy for an argument of actions among the defaults of their family.
func inAction(family *actions.Family, argument string) string {
	kind := kindWith(family, argument)
	where := fmt.Sprintf("%s: %s: …", family.Name, argument)
	if len(family.Kinds()) > 1 {
		where = fmt.Sprintf("%s: %s: %s: …", family.Name, kind.Name, argument)
	}
	return fmt.Sprintf("It has no default for all actions. Write it in the step: `%s`.", where)
}

// suggestPlaceholders suggests placeholders for the templates in a statement, if its `params` have their
// values already.
func (b *Block) suggestPlaceholders(d *diag.Diagnostic, statement *spec.Node) {
	params := b.Field.Value.Get("params")
	pieces, bad := template.Scan(statement.Text)
	if params == nil || bad != nil || statement.Kind != spec.StringNode {
		return
	}
	var edits []diag.Edit
	for _, p := range pieces {
		if !p.Expr {
			continue
		}
		written, name := "${"+p.Text+"}", ""
		for _, f := range params.Fields {
			if f.Value.Kind == spec.StringNode && f.Value.Text == written {
				name = f.Name
			}
		}
		if name == "" {
			return
		}
		if quoted := "'" + written + "'"; strings.Contains(statement.Text, quoted) {
			written = quoted
		}
		edits = append(edits, diag.Edit{At: statement.Range, Old: written, Text: "{" + name + "}"})
	}
	if len(edits) > 0 {
		d.Detail = fmt.Sprintf("A statement must not contain values, which the server would interpret. `params` has this one: write %s for %s.", edits[0].Text, edits[0].Old)
		d.Suggest(edits...)
	}
}
