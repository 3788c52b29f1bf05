package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/screen"
)

// ConstructRequest asks for a component to be made.
type ConstructRequest struct {
	// Ref is the component's; its Key is not known yet.
	Ref
	// Inputs carry, as marks on the values, what they depend on.
	Inputs  property.Map
	Preview bool
	// Parallel is how many children may be registered side by side; less than
	// two is one after the other.
	Parallel  int
	Registrar Registrar
	Log       Log
}

// ConstructResponse is a component that was made, or what is wrong with its
// inputs.
type ConstructResponse struct {
	URN urn.URN
	// Outputs carry what they depend on, as Inputs do.
	Outputs  property.Map
	Failures []Failure
}

// Registrar is where a component's resources go: at work the monitor of a
// Pulumi engine. It is used concurrently.
type Registrar interface {
	// Begin registers the component itself, with the options that the program
	// gave it.
	Begin(ctx context.Context, inputs property.Map) (urn.URN, error)
	// Register makes or changes one child, or previews that. It returns when the
	// child is there.
	Register(ctx context.Context, r Registration) (Registered, error)
	// End records the component's outputs.
	End(ctx context.Context, component urn.URN, outputs property.Map) error
}

// Registration is a child as it should be.
type Registration struct {
	// Type is the name of a resource or component of the spec, or, where it is
	// Foreign, the token of another package's.
	Type    string
	Foreign bool
	// Component says that it is made of other resources by its provider.
	Component bool
	Name      string
	Parent    urn.URN
	// Inputs carry, as marks on the values, what they depend on.
	Inputs property.Map
	// DependsOn are what it depends on beside that.
	DependsOn []urn.URN
	Options   RegistrationOptions
}

// RegistrationOptions are the options of a child. What is nil, empty or "" is
// not given.
type RegistrationOptions struct {
	Protect, RetainOnDelete, DeleteBeforeReplace *bool

	Aliases                                                  []Alias
	IgnoreChanges, ReplaceOnChanges, AdditionalSecretOutputs []string

	// Provider is the provider resource that it is made by; nil leaves that to
	// the program.
	Provider                   *ProviderRef
	Version, PluginDownloadURL string
	ImportID                   string
	DeletedWith                urn.URN
	// The timeouts of its operations; 0 is none.
	CreateTimeout, UpdateTimeout, DeleteTimeout time.Duration
}

// ProviderRef names a provider resource.
type ProviderRef struct {
	URN urn.URN
	// ID is "" where it is not known yet.
	ID string
}

// Alias is what a resource was before: a URN, or what of it was different.
type Alias struct {
	URN                                string
	Name, Type, Parent, Stack, Project string
	NoParent                           bool
}

// Registered is a child that is there.
type Registered struct {
	URN urn.URN
	// ID is "" where it is not known yet, and for a component.
	ID string
	// Outputs carry what they depend on beside the child itself.
	Outputs property.Map
	// Unknown says that what it lacks among the outputs is not known, in an
	// update too: the host has left the child out.
	Unknown bool
}

// Construct makes a component: it registers it, then its children, each as soon
// as what it refers to is there, and yields its outputs. In a preview all of
// them are previewed. After an error, what was registered stays: the next
// Construct finds it and goes on.
func (e *Engine) Construct(ctx context.Context, req ConstructRequest) (ConstructResponse, error) {
	comp, err := e.program.Component(req.Type)
	if err != nil {
		return ConstructResponse{}, err
	}
	found := value.Findings{Context: scope.BeforeSending(ctx)}
	inputs := comp.Inputs.Complete(property.New(req.Inputs), "", &found).AsMap()
	if found.List == nil {
		inputs = e.derive(comp.Inputs, comp.Defaults, req.Ref, inputs, &found)
	}
	if found.List != nil {
		return ConstructResponse{Failures: found.List}, nil
	}
	ctx, release := waiting(ctx) // what is registered is sent, and answered, by others
	defer release()
	b := newBuild(ctx, e, comp, req, inputs)
	if b.urn, err = req.Registrar.Begin(ctx, inputs); err != nil {
		return ConstructResponse{}, err
	}
	if err := b.children(ctx); err != nil {
		return ConstructResponse{}, b.mask().Error(err)
	}
	outputs, err := b.outputs()
	if err != nil {
		return ConstructResponse{}, b.mask().Error(fmt.Errorf("component %s: %w", req.Type, err))
	}
	if err := req.Registrar.End(ctx, b.urn, outputs); err != nil {
		return ConstructResponse{}, err
	}
	return ConstructResponse{URN: b.urn, Outputs: outputs}, nil
}

// outputs are what the component yields, each with what it depends on.
func (b *build) outputs() (property.Map, error) {
	var yield any
	on := map[string][]urn.URN{}
	if whole := b.comp.Whole; whole != nil {
		out, err := b.eval(whole, nil)
		if err != nil {
			return property.Map{}, err
		}
		yield = out
		for _, m := range b.comp.Outputs.Fields {
			on[m.Name] = b.dependencies(whole, nil)
		}
	} else {
		object := map[string]any{}
		for _, a := range b.comp.Yields {
			out, err := b.eval(a.Value, nil)
			if err != nil {
				return property.Map{}, err
			}
			object[a.Name], on[a.Name] = out, b.dependencies(a.Value, nil)
		}
		yield = object
	}
	got, err := b.comp.Outputs.Project(yield, screen.NewMask(nil))
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
