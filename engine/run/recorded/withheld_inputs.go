package recorded

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// NotGivenFor returns the withheld inputs to which operations refer and which are not given.
func NotGivenFor(withheld []string, inputs property.Map, ops ...*plan.Operation) []string {
	var refs []expr.Ref
	for _, op := range ops {
		refs = append(refs, op.Refs()...)
	}
	var missing []string
	for _, name := range NotGiven(withheld, inputs) {
		refers := func(ref expr.Ref) bool {
			of := ref.Path[0]
			return (of == "inputs" || of == "state") && (len(ref.Path) == 1 || ref.Path[1] == name)
		}
		if slices.ContainsFunc(refs, refers) {
			missing = append(missing, name)
		}
	}
	return missing
}

// NewlyRequired returns the inputs that the spec requires and that recorded ones do not have: the spec has got
// them since.
func NewlyRequired(res *plan.Resource, inputs property.Map) []string {
	var names []string
	for _, m := range res.Inputs.Fields {
		if _, given := inputs.GetOk(m.Name); !given && m.Required {
			names = append(names, m.Name)
		}
	}
	return names
}

// NotGiven returns the withheld inputs that are not given.
func NotGiven(withheld []string, inputs property.Map) []string {
	return slices.DeleteFunc(slices.Clone(withheld), func(name string) bool {
		_, given := inputs.GetOk(name)
		return given
	})
}

// WithheldError reports required inputs that the journal does not contain, because they are secret
// or files.
type WithheldError struct{ Inputs []string }

func (e *WithheldError) Error() string {
	return fmt.Sprintf("it needs %s, which the journal does not hold (secrets and files are left out)", diag.And(e.Inputs))
}

// WithGiven returns the inputs that the journal contains, as EncodeRecordable has made them, and those that
// are given. A withheld one is secret.
func WithGiven(journalled json.RawMessage, withheld []string, given property.Map) (property.Map, error) {
	inputs, err := value.DecodeRecorded(journalled)
	if err != nil {
		return inputs, fmt.Errorf("the inputs in the journal cannot be read: %w", err)
	}
	for name, v := range given.AllStable {
		if slices.Contains(withheld, name) {
			v = v.WithSecret(true)
		}
		inputs = inputs.Set(name, v)
	}
	return inputs, nil
}

// RefuseMasks returns an error if an operation sends inputs that have a mask in place of a secret: an import has
// shown it, and it would become the secret.
func RefuseMasks(inputs property.Map, op *plan.Operation) error {
	masks := value.Masks(inputs)
	if masks == nil {
		return nil
	}
	if names := NotGivenFor(masks, property.Map{}, op); names != nil {
		return fmt.Errorf("%s has a mask, such as \"***\", in place of a secret, which the API does not show: write the secret into the program; nothing was sent", diag.And(names))
	}
	return nil
}
