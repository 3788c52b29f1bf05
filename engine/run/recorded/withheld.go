package recorded

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// MissingFor returns the withheld inputs to which operations refer and which are not given.
func MissingFor(withheld []string, inputs property.Map, ops ...*plan.Operation) []string {
	var values []*expr.Value
	for _, op := range ops {
		values = append(values, op.Return, op.Lock)
		for _, s := range op.Steps {
			values = append(append(values, s.Templates()...), s.OwnTemplates()...)
			values = append(values, s.ForEach)
		}
	}
	var missing []string
	for _, name := range Missing(withheld, inputs) {
		reads := func(v *expr.Value) bool {
			return v != nil && slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool {
				of := ref.Path[0]
				return (of == "inputs" || of == "state") && (len(ref.Path) == 1 || ref.Path[1] == name)
			})
		}
		if slices.ContainsFunc(values, reads) {
			missing = append(missing, name)
		}
	}
	return missing
}

// Absent returns the inputs that the spec requires and that recorded ones do not have: the spec has got
// them since.
func Absent(res *plan.Resource, inputs property.Map) []string {
	var names []string
	for _, m := range res.Inputs.Fields {
		if _, given := inputs.GetOk(m.Name); !given && m.Required {
			names = append(names, m.Name)
		}
	}
	return names
}

// Missing returns the withheld inputs that are not given.
func Missing(withheld []string, inputs property.Map) []string {
	return slices.DeleteFunc(slices.Clone(withheld), func(name string) bool {
		_, given := inputs.GetOk(name)
		return given
	})
}
