package compile

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// examples checks that a program could pass each example of the resource. Documentation shows
// the values as they are, so they contain no templates.
func (c *resourceCompiler) examples() {
	inputs := pathsOfFiles(scopes.ProgramInputs(c.r.Spec.Inputs), c.r.Types)
	for _, e := range c.r.Spec.Examples {
		c.In(fmt.Sprintf("example %q", e.Title), "examples."+e.Title, func() {
			if finding.IsReported(e.Inputs) || c.hasTemplates(e.Inputs) || c.Template(e.Inputs, &expr.Scope{Types: c.r.Types}, inputs, "") == nil {
				return
			}
			// {literal: "x"} is a string only where templates are.
			if m := types.Fits(e.Inputs.Plain(), inputs, c.r.Types); m != nil {
				c.Fail(m.Code, e.Inputs.Range, "", m.Error(), "Write the values as a user would: an example has no templates, and no `literal`.")
			}
		})
	}
}

// hasTemplates reports the templates in an example.
func (c *resourceCompiler) hasTemplates(n *spec.Node) bool {
	found := n.Kind == spec.StringNode && strings.Contains(n.Text, "${") // escaped ones, too
	if found {
		c.Fail(finding.CodeNoTemplates, n.Range, "", "an example cannot contain templates", "Documentation shows examples as they are. Write a value, as a user would.")
	}
	for _, item := range n.Items {
		found = c.hasTemplates(item) || found
	}
	for _, f := range n.Fields {
		found = c.hasTemplates(f.Value) || found
	}
	return found
}

// pathsOfFiles returns the type of inputs in which an asset or archive is the path of a file.
func pathsOfFiles(inputs *spec.Type, named spec.Types) *spec.Type {
	out := *inputs
	out.Fields = nil
	for _, p := range inputs.Fields {
		if t := named.Resolve(p.Type); t.Kind == spec.Asset || t.Kind == spec.Archive {
			path := *p
			path.Type = &spec.Type{Kind: spec.String, Nullable: t.Nullable}
			p = &path
		}
		out.Fields = append(out.Fields, p)
	}
	return &out
}
