package engine

import (
	"context"

	"github.com/declprov/declprov/engine/run/operation"

	"github.com/declprov/declprov/engine/component"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// ConstructRequest asks for a component to be made.
type ConstructRequest struct {
	// Ref is the component's; its Key is not known yet.
	recorded.Ref
	// Inputs carry, as marks on the values, what they depend on.
	Inputs  property.Map
	Preview bool
	// Parallel is how many children may be registered side by side; less than
	// two is one after the other.
	Parallel  int
	Registrar component.Registrar
	Log       operation.Log
}

// ConstructResponse is a component that was made, or what is wrong with its
// inputs.
type ConstructResponse struct {
	URN urn.URN
	// Outputs carry what they depend on, as Inputs do.
	Outputs  property.Map
	Failures []Failure
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
		inputs = inputCheck{resources: e.resources, ref: req.Ref, found: &found}.derive(comp.Inputs, comp.Defaults, inputs)
	}
	if found.List != nil {
		return ConstructResponse{Failures: found.List}, nil
	}
	ctx, release := stop.UntilStopped(ctx) // what is registered is sent, and answered, by others
	defer release()
	made := component.Request{
		Component: comp, Name: req.Name, Inputs: inputs, Preview: req.Preview, Parallel: req.Parallel,
		Registrar: req.Registrar, Scope: e.resources.Scope(ctx, req.Ref), Permits: e.resources.Permits,
	}
	if req.Log != nil {
		made.Warn = func(text screen.Text) { req.Log.Message(operation.Warning, text) }
	}
	var out ConstructResponse
	out.URN, out.Outputs, err = component.Construct(ctx, made)
	if err != nil {
		return ConstructResponse{}, err
	}
	return out, nil
}
