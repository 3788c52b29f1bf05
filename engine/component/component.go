// Package component constructs components. It registers a component and its children,
// each child as soon as those that it depends on are registered.
package component

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/screen"
)

// Request is a request to construct a component.
type Request struct {
	Component *plan.Component
	// Name is the name of the component, with which the names of its children begin.
	Name string
	// Inputs are checked and complete. Their values carry their dependencies.
	Inputs  property.Map
	Preview bool
	// Parallel is the number of children that may be registered concurrently. Values
	// below 2 mean one after the other.
	Parallel  int
	Registrar Registrar
	// Scope contains what the component's templates see besides its inputs and children.
	Scope   scope.Scope
	Permits *permit.Permits
	// Warn shows a warning to the user. It may be nil.
	Warn func(screen.Text)
}

// Construct constructs a component, and returns its URN and its outputs, which carry
// their dependencies. After an error, the resources that were registered remain.
func Construct(ctx context.Context, req Request) (urn.URN, property.Map, error) {
	b := newBuild(req)
	var err error
	if b.urn, err = req.Registrar.Begin(ctx, req.Inputs); err != nil {
		return "", property.Map{}, err
	}
	if err := b.children(ctx); err != nil {
		return "", property.Map{}, b.mask().Error(err)
	}
	outputs, err := b.outputs()
	if err != nil {
		return "", property.Map{}, b.mask().Error(fmt.Errorf("component %s: %w", req.Component.Spec.Name, err))
	}
	return b.urn, outputs, req.Registrar.End(ctx, b.urn, outputs)
}

// outputs returns the outputs of the component with their dependencies.
func (b *build) outputs() (property.Map, error) {
	var yield any
	on := map[string][]urn.URN{}
	if whole := b.req.Component.Whole; whole != nil {
		out, err := b.eval(whole, nil)
		if err != nil {
			return property.Map{}, err
		}
		yield = out
		for _, m := range b.req.Component.Outputs.Fields {
			on[m.Name] = b.dependencies(whole, nil)
		}
	} else {
		object := map[string]any{}
		for _, a := range b.req.Component.Yields {
			out, err := b.eval(a.Value, nil)
			if err != nil {
				return property.Map{}, err
			}
			object[a.Name], on[a.Name] = out, b.dependencies(a.Value, nil)
		}
		yield = object
	}
	got, err := b.req.Component.Outputs.Project(yield, screen.NewMask(nil))
	if err == nil && got.Missing != nil {
		err = errors.New("return lacks " + diag.And(got.Missing))
	}
	if err != nil {
		return property.Map{}, err
	}
	for name, v := range got.Values {
		got.Values[name] = v.WithDependencies(mergeSorted(v.Dependencies(), on[name]))
	}
	return property.NewMap(got.Values), nil
}
