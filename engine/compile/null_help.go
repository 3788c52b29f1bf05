package compile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

// nullHelp returns the remedies for values that may be null in an operation of a resource.
func nullHelp(r *plan.Resource, v plan.Verb) func(string) string {
	return func(part string) string {
		path := strings.Split(part, ".")
		switch {
		case v == plan.Read && part == "id":
			return "An import does not give it. Put ${id} into `import`, or find the object by what an import gives."
		case v == plan.Read && len(path) > 1 && path[0] == "inputs":
			return importHelp(r, path[1])
		case len(path) > 1 && path[0] == "state" && r.Unsure[path[1]]:
			return unsureHelp(r, path[1])
		default:
			return ""
		}
	}
}

// importHelp returns the remedy for an input in read that an import does not give.
func importHelp(r *plan.Resource, name string) string {
	p := r.Spec.Inputs.Field(name)
	if p == nil || !plan.CheckedRequired(p) {
		return "" // it may be null at any time
	}
	with := "${inputs." + name + "}"
	if p.Default != nil {
		def, _ := json.Marshal(p.Default)
		return fmt.Sprintf("An import does not give it. Write what replaces it (inputs.%s ?? %s), or put %s into `import`.", name, def, with)
	}
	if !r.Identity.Imports.IsSet() {
		return fmt.Sprintf("An import gives only the id. Let users type more: import: \"%s/${id}\".", with)
	}
	return fmt.Sprintf("An import does not give it: the form is %q. Put %s into `import`, with text around it.", r.Identity.Imports.Text, with)
}

// unsureHelp returns the remedy for an output that is not sure to be set.
func unsureHelp(r *plan.Resource, name string) string {
	const why = "A create that stops halfway leaves the resource without it. "
	if isID(r, name) {
		return why + "The id has the same value, and is always set: use id."
	}
	early := "the step that gives the id"
	if s := r.Create.Steps; r.IDAfter < len(s) {
		early = s[r.IDAfter].Name
	}
	return why + fmt.Sprintf("Guard it: `if: \"${state.%s != null}\"` on the step, or state.%s ?? …; or let create's `return` take it from %s.", name, name, early)
}

// isID reports whether an output has the value of the id: by the `return` of create, or by the name
// in the result of its last step.
func isID(r *plan.Resource, name string) bool {
	pieces := r.ID.Segments()
	if len(pieces) != 1 || pieces[0].Ref == nil {
		return false
	}
	ref := pieces[0].Ref
	if n := returnedNode(r, name); n != nil {
		return n.Kind == spec.StringNode && strings.Join(strings.Fields(n.Text), "") == "${"+strings.Join(ref, ".")+"}"
	}
	p := r.Spec.Outputs.Field(name)
	if r.Create.Return != nil || p == nil || len(ref) < 2 {
		return false
	}
	if s := plan.Last(r.Create.Steps); s != nil && s.Returns {
		return plan.Last(ref) == p.Name
	}
	return plan.Last(ref) == r.Naming.Rule.Name(p)
}
