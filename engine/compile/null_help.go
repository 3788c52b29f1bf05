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
			return "During an import, id is null. Put ${id} into `import`, or look up the object by inputs that `import` contains."
		case v == plan.Read && len(path) > 1 && path[0] == "inputs":
			return importHelp(r, path[1])
		case len(path) > 1 && path[0] == "state" && r.Unsure[path[1]]:
			return unsureHelp(r, path[1])
		default:
			return ""
		}
	}
}

// idHelp returns the remedy for a part of an id that may be null: an empty id is never meant.
func idHelp(part string) string {
	return fmt.Sprintf("An id is never null or empty. Name a value that every response has, and declare it without ? in `returns`; or let create fail without it: %s ?? string(expectNull(true, 'no id')).", part)
}

// importHelp returns the remedy for an input that is null in read during an import.
func importHelp(r *plan.Resource, name string) string {
	p := r.Spec.Inputs.Field(name)
	if p == nil || p.Optional() {
		return "" // it may be null at any time
	}
	with := "${inputs." + name + "}"
	if p.Default != nil {
		def, _ := json.Marshal(p.Default)
		return fmt.Sprintf("During an import, it is null. Put %s into `import`, or write a fallback: inputs.%s ?? %s.", with, name, def)
	}
	if !r.Identity.Imports.IsSet() {
		return fmt.Sprintf("During an import, only the id is known. Add the input to the text that users pass to an import (import: \"%s/${id}\"), or use it only if it is not null (inputs.%s != null).", with, name)
	}
	return fmt.Sprintf("During an import, it is null, because `import` is %q. Put %s into `import`, separated from other values by literal text, or use it only if it is not null (inputs.%s != null).", r.Identity.Imports.Text, with, name)
}

// unsureHelp returns the remedy for a required output that may be missing after an
// incomplete create.
func unsureHelp(r *plan.Resource, name string) string {
	const why = "A create that stops halfway leaves the resource without it. "
	if isID(r, name) {
		return why + "The id has the same value, and is always set: use id."
	}
	early := "the step that gives the id"
	if s := r.Create.Steps; r.IDAfter < len(s) {
		early = s[r.IDAfter].Name
	}
	return why + fmt.Sprintf("Guard it: `if: \"${state.%s != null}\"` on the step, or state.%s ?? …; or set it in create's `return` to a value from %s.", name, name, early)
}

// isID reports whether an output always equals the id. That is so if create's `return` sets it to
// the expression of the id. Without a `return`, it is so if the id refers to a member of a result
// that has the name of the output.
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
