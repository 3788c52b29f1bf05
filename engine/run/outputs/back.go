package outputs

import (
	"fmt"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// UnreadableError returns the error of an operation that was done, and after which read finds no
// object: somebody has deleted it, or the server takes longer to show it than the spec says. The
// state is kept, so that a refresh can tell. untold is true if no response tells the id that the object has now.
func UnreadableError(r *operation.Run, untold bool, limit time.Duration, err error) error {
	did := "made"
	if r.Verb == plan.Update {
		did = "changed"
	}
	if untold {
		return fmt.Errorf("it was %s, but read does not find it, %s later (the spec's `consistency`), and no response tells whether it has another id now: %w; %s",
			did, limit, err, recorded.NewNameRemedy(r.ID))
	}
	if r.Verb == plan.Create && r.Resource.Unproven {
		return recorded.UnseenError(r.ID, limit, err)
	}
	return fmt.Errorf("it was %s, but read does not find it, %s later (the spec's `consistency`): %w; "+
		"if it was deleted, run `pulumi refresh`: the next `pulumi up` makes it again; else `pulumi up` looks again", did, limit, err)
}

// ServerValues returns what the server has made of the inputs, if one has @normalised() and the value of an
// operation has them. whole is false if that lacks one with @normalised().
func ServerValues(r *operation.Run, yield any, m *screen.Mask) (values property.Map, whole bool) {
	if !slices.ContainsFunc(r.Resource.Inputs.Fields, func(m *value.Member) bool { return m.Normalised }) {
		return values, true
	}
	got, _ := r.Resource.Inputs.Project(yield, m) // a value of another type is one that it lacks
	members, _ := expr.Reveal(yield, func(any) {}).(map[string]any)
	return property.NewMap(got.Values), !slices.ContainsFunc(r.Resource.Inputs.Fields, func(m *value.Member) bool {
		_, given := members[m.Name]
		_, there := got.Values[m.Name]
		return m.Normalised && !(given && there)
	})
}
