// Package component makes components: it registers one and its children, each as soon as what it
// refers to is there.
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

// Request asks for a component to be made.
type Request struct {
	Component *plan.Component
	// Name is the component's own; those of its children begin with it.
	Name string
	// Inputs are checked and complete. They carry, as marks on the values, what they depend on.
	Inputs  property.Map
	Preview bool
	// Parallel is how many children may be registered at the same time; less than two is one
	// after the other.
	Parallel  int
	Registrar Registrar
	// Scope is what the component's templates see beside its inputs and children.
	Scope   scope.Scope
	Permits *permit.Permits
	// Warn shows a warning to the user; nil drops it.
	Warn func(screen.Text)
}

// Construct makes a component, and returns its URN and its outputs, which carry what they
// depend on. After an error, what was registered stays.
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

// outputs are what the component yields, each with what it depends on.
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
		err = errors.New("it yields no " + diag.And(got.Missing))
	}
	if err != nil {
		return property.Map{}, err
	}
	for name, v := range got.Values {
		got.Values[name] = v.WithDependencies(merged(v.Dependencies(), on[name]))
	}
	return property.NewMap(got.Values), nil
}
