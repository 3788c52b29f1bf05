package engine

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
)

// hashInputs tells whether two runs had the same inputs, and nothing of them.
func hashInputs(inputs property.Map) string {
	sum := sha256.Sum256([]byte(value.Canonical(property.New(inputs))))
	return hex.EncodeToString(sum[:])
}

// resumable reports whether an operation that stopped can go on at its step:
// the inputs are the same, and the operation still has the steps it had.
func resumable(res *plan.Resource, state State, news property.Map) bool {
	f := state.Private.Failed
	return f != nil && f.Inputs == hashInputs(news) && goesOn(res, state)
}

// goesOn reports whether an operation that stopped could go on at its step, had it
// the inputs that it was begun with.
func goesOn(res *plan.Resource, state State) bool {
	f := state.Private.Failed
	if f == nil || f.Stuck || f.Seen {
		return false
	}
	op := res.Create
	if f.Op == string(plan.Update) {
		op = res.Update
	}
	return op != nil && f.Steps == op.Shape() && f.Step <= len(op.Steps) && len(f.Results) >= f.Step
}

// storable is a step's result as private state keeps it: files are not.
func storable(v any) any {
	switch v := v.(type) {
	case *spec.File:
		return nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[k] = storable(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = storable(item)
		}
		return out
	default:
		return v
	}
}
