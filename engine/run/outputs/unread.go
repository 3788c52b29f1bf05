package outputs

import (
	"fmt"

	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/spec/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// WarnPlaceholders warns of required inputs that an import does not give: in the program that it
// generates, `pulumi import` writes a placeholder, such as "", for each.
func WarnPlaceholders(r *operation.Run, inputs property.Map) {
	var names []string
	for _, m := range r.Resource.Inputs.Fields {
		if _, given := inputs.GetOk(m.Name); m.Required && m.Default == nil && !given {
			names = append(names, m.Name)
		}
	}
	if names != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("the API does not return %s: generated code has a placeholder in its place, such as \"\"; write the value into the program before `pulumi up`", diag.And(names)))
	}
}

// WarnUnread warns of a refresh whose value lacks required inputs. They keep their recorded values,
// because later operations may require them, so what has become of them is not seen.
func WarnUnread(r *operation.Run, inputs property.Map, yield any) {
	found, err := r.Resource.Inputs.Project(yield, r.Mask())
	if err != nil {
		return // which the refresh reports
	}
	var names []string
	for _, m := range r.Resource.Inputs.Fields {
		_, given := inputs.GetOk(m.Name)
		_, there := found.Values[m.Name]
		if m.Required && given && !there && !m.NoRead && !m.Ephemeral && !r.Resource.Identity.Determines(m.Name) {
			names = append(names, m.Name)
		}
	}
	if names != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("read does not return %s, so changes by others cannot be seen. In the spec, return it, or mark what the API never returns with @noRead()", diag.And(names)))
	}
}
