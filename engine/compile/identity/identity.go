// Package identity compiles what tells the objects of a resource apart: the id, and the import
// that users identify an object by.
package identity

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Compile compiles the import of a resource, and which inputs the id and the import give. The id
// and create must be compiled; read, whose scope depends on the result, must not be.
func Compile(c *finding.Collector, names *scopes.Names, r *plan.Resource) {
	if r.ID != nil {
		r.Identity.ID, _ = reverse(r, r.ID, r.Spec.ID.Text, false)
	}
	switch {
	case r.Spec.Import == nil && r.Identity.ID.IsSet():
		r.Identity.Imports = r.Identity.ID
	case r.Spec.Import != nil:
		r.Identity.Imports = compileImport(c, names, r)
	}
	given := r.Identity.Inputs()
	r.Identity.Known = !r.Identity.Imports.IsSet() || r.Identity.Imports.HasID() ||
		r.ID != nil && !slices.ContainsFunc(r.ID.Refs(), func(ref expr.Ref) bool {
			return ref.Path[0] != "config" && (ref.Path[0] != "inputs" || len(ref.Path) < 2 || !given[ref.Path[1]])
		})
}

// compileImport compiles the template that the text of an import is matched with.
func compileImport(c *finding.Collector, names *scopes.Names, r *plan.Resource) plan.Reversible {
	n := r.Spec.Import
	inputs := scopes.CheckedType(r.Spec.Inputs) // a copy
	for _, p := range inputs.Fields {
		p.Required = true // each import gives the inputs of the template
	}
	scope := names.Scope(names.ConfigName(), expr.Name{Name: "inputs", Type: inputs}, expr.Name{Name: "id", Type: scopes.StringType})
	v := c.Template(n, scope, scopes.StringType, "import")
	if v == nil {
		return plan.Reversible{}
	}
	if v.Secret() {
		c.Fail(finding.CodeSecretExposed, n.Range, "import", "import contains a secret", "Users type this text, and everybody can see it. Build it of other inputs.")
		return plan.Reversible{}
	}
	p, why := reverse(r, v, n.Text, true)
	if why.summary != "" {
		c.Fail(finding.CodeImportTemplate, n.Range, "import", why.summary, why.remedy)
	}
	return p
}

// irreversible is why a text cannot be matched with a template.
type irreversible struct{ summary, remedy string }

// reverse returns a template as a pattern that finds the values of its variables in a text; or why
// that is not possible. The id may be a variable if withID is true.
func reverse(r *plan.Resource, v *expr.Value, text string, withID bool) (plan.Reversible, irreversible) {
	variables, separated := 0, true
	for _, s := range v.Segments() {
		switch {
		case s.Literal || plan.IsSetting(s):
			separated = separated || !s.Literal || s.Text != ""
			continue
		case plan.IsInput(s) && isScalar(r, r.Spec.Inputs.Field(s.Ref[1])) || withID && plan.IsID(s):
		case plan.IsInput(s) && r.Spec.Inputs.Field(s.Ref[1]) != nil:
			return plan.Reversible{}, irreversible{
				fmt.Sprintf("import cannot contain input %q", s.Ref[1]),
				"The inputs are read from the text of an import. Use inputs that are a string, a number or a boolean, and not null.",
			}
		default:
			return plan.Reversible{}, irreversible{
				"import may only refer to inputs, config and the id",
				"These are read from the text of an import. Write each variable as ${inputs.NAME}, ${config.NAME} or ${id}, with text in between.",
			}
		}
		if !separated {
			return plan.Reversible{}, irreversible{
				"import has no text between two variables",
				"Put a separator between them, such as `/`, that shows where the first one ends.",
			}
		}
		variables, separated = variables+1, false
	}
	if variables == 0 {
		return plan.Reversible{}, irreversible{
			"import refers to no input",
			"Write the form of the text that a user imports by, such as \"${inputs.owner}/${inputs.name}\".",
		}
	}
	return plan.Reversible{Text: text, Pieces: v.Segments()}, irreversible{}
}

// isScalar reports whether each value of a property has one text, which no other value has.
func isScalar(r *plan.Resource, p *spec.Property) bool {
	if p == nil {
		return false
	}
	t := r.Types.Resolve(p.Type)
	return !t.Nullable && slices.Contains([]spec.Kind{spec.String, spec.Bool, spec.Int, spec.Number}, t.Kind)
}
