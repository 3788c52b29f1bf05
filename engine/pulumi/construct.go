package pulumi

import (
	"context"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/monitor"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// Construct constructs a component, or previews that. It registers the component's
// resources with Pulumi's resource monitor.
func (s *Server) Construct(
	ctx context.Context, req *pulumirpc.ConstructRequest,
) (*pulumirpc.ConstructResponse, error) {
	session, err := s.sessions.ready(ctx)
	if err != nil {
		return nil, err
	}
	name, err := session.componentName(req.GetType())
	if err != nil {
		return nil, err
	}
	inputs, err := constructInputs(req)
	if err != nil {
		return nil, failure(err)
	}
	m, err := monitor.Dial(req.GetMonitorEndpoint(), s.sessions.maxValues())
	if err != nil {
		return nil, failure(err)
	}
	defer m.Close()
	ctx, log, end := s.begin(ctx, "", 0)
	defer end()
	registrar := &monitor.Construction{
		Monitor: m, Request: req, Package: session.Program.Metadata().Name, Version: session.Version, Provider: session.provider,
		Encoder: s.encoder(), Began: func(urn string) { log.urn = urn },
	}
	answer, err := session.engine.Construct(ctx, engine.ConstructRequest{
		Ref: engine.Ref{Type: name, Name: req.GetName()}, Inputs: inputs, Preview: req.GetDryRun(),
		Parallel: int(req.GetParallel()), Log: log, Registrar: registrar,
	})
	switch {
	case err != nil:
		return nil, operationFailure(ctx, err)
	case answer.Failures != nil:
		return nil, inputsFailure(name, inputs, answer.Failures)
	}
	return constructResponse(s.encoder(), answer.URN, registrar.Outputs(answer.Outputs))
}

// componentName returns the name of a token in the spec.
func (s *session) componentName(token string) (string, error) {
	name, err := s.member(token)
	if err != nil {
		return "", err
	}
	if known := s.Program.Components(); !slices.Contains(known, name) {
		return "", s.unknown("component", name, known)
	}
	return name, nil
}

// constructInputs returns the inputs of a component with their dependencies, which
// are in the values and beside them.
func constructInputs(req *pulumirpc.ConstructRequest) (property.Map, error) {
	inputs, err := wire.Decode(req.GetInputs())
	if err != nil {
		return property.Map{}, err
	}
	for name, on := range req.GetInputDependencies() {
		v, ok := inputs.GetOk(name)
		if !ok {
			continue
		}
		all := slices.Clone(v.Dependencies())
		for _, text := range on.GetUrns() {
			all = append(all, urn.URN(text))
		}
		inputs = inputs.Set(name, v.WithDependencies(all))
	}
	return inputs, nil
}

// constructResponse converts a component to the protocol.
func constructResponse(e wire.Encoder, component urn.URN, outputs property.Map) (*pulumirpc.ConstructResponse, error) {
	state, err := e.Encode(outputs)
	if err != nil {
		return nil, failure(err)
	}
	on := map[string]*pulumirpc.ConstructResponse_PropertyDependencies{}
	for name, v := range outputs.All {
		by := &pulumirpc.ConstructResponse_PropertyDependencies{}
		for _, u := range v.Dependencies() {
			by.Urns = append(by.Urns, string(u))
		}
		on[name] = by
	}
	return &pulumirpc.ConstructResponse{Urn: string(component), State: state, StateDependencies: on}, nil
}

// inputsFailure returns the error for invalid inputs of a component. For each path in
// the details, Pulumi's engine shows the value, even if it is secret (errorToMessage in
// pkg/resource/deploy/source_eval.go of Pulumi). So failures of values that may
// contain secrets are only in the message.
func inputsFailure(component string, inputs property.Map, found []engine.Failure) error {
	detail := &pulumirpc.InputPropertiesError{}
	var hidden []engine.Failure
	for _, f := range found {
		if f.Path == "" || inputs.Get(value.TopLevel(f.Path)).HasSecrets() {
			hidden = append(hidden, f)
			continue
		}
		detail.Errors = append(detail.Errors, &pulumirpc.InputPropertiesError_PropertyError{
			PropertyPath: screen.Exact(f.Path), Reason: screen.Show(f.Reason, nil).String(),
		})
	}
	text := fmt.Sprintf("invalid inputs of %s", component)
	if len(hidden) > 0 {
		text += ": " + sentence(hidden)
	}
	plain := status.New(codes.InvalidArgument, text)
	with, err := plain.WithDetails(detail)
	if err != nil {
		return status.Error(codes.InvalidArgument, fmt.Sprintf("invalid inputs of %s: %s", component, sentence(found)))
	}
	return with.Err()
}
