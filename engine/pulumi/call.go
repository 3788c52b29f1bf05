package pulumi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/monitor"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/diag"
)

// selfKey is the argument with the resource of a method.
const selfKey = "__self__"

// Call runs a method of a resource. The method sees the state that Pulumi's engine has
// recorded.
func (s *Server) Call(
	ctx context.Context, req *pulumirpc.CallRequest,
) (*pulumirpc.CallResponse, error) {
	session, err := s.sessions.ready(ctx)
	if err != nil {
		return nil, err
	}
	typ, method, err := session.method(req.GetTok())
	if err != nil {
		return nil, err
	}
	args, err := wire.Decode(req.GetArgs())
	if err != nil {
		return nil, failure(err)
	}
	self, err := session.self(args, typ)
	if err != nil {
		return nil, err
	}
	ctx, log, end := s.begin(ctx, self.Key, 0)
	defer end()
	recorded, err := recordedState(ctx, req.GetMonitorEndpoint(), s.sessions.maxValues(), self.Key)
	if err != nil {
		return nil, operationFailure(ctx, err)
	}
	answer, err := session.engine.CallMethod(ctx, engine.MethodRequest{
		Ref: self, Method: method, State: recorded.state, Args: args.Delete(selfKey),
		Preview: req.GetDryRun(), Pending: recorded.pending, Log: log,
	})
	if err != nil {
		return nil, operationFailure(ctx, err)
	}
	if answer.Failures != nil {
		return &pulumirpc.CallResponse{Failures: failures(answer.Failures)}, nil
	}
	out, err := s.encoder().Encode(answer.Return)
	if err != nil {
		return nil, failure(err)
	}
	return &pulumirpc.CallResponse{Return: out, ReturnDependencies: returnDependencies(req, args, self.Key, out)}, nil
}

// method returns the resource and the method of a token `NAME:index:Type/method`.
func (s *session) method(token string) (typ, method string, err error) {
	member, err := s.member(token)
	if err != nil {
		return "", "", err
	}
	typ, method, ok := strings.Cut(member, "/")
	if !ok || !s.Program.HasResource(typ) {
		return "", "", status.Errorf(codes.NotFound, "provider %q has no method %q: a method is called on a resource. %s",
			s.Program.Metadata().Name, member, diag.Remedy(typ, s.Program.ResourceNames()))
	}
	known, err := s.Program.Methods(typ)
	if err != nil {
		return "", "", failure(err)
	}
	if !slices.Contains(known, method) {
		return "", "", status.Error(codes.NotFound, strings.TrimSpace(fmt.Sprintf("%s of provider %q has no method %q. %s",
			typ, s.Program.Metadata().Name, method, diag.Remedy(method, known))))
	}
	return typ, method, nil
}

// self returns the resource on which a method is called.
func (s *session) self(args property.Map, typ string) (engine.Ref, error) {
	v := args.Get(selfKey)
	if !v.IsResourceReference() {
		return engine.Ref{}, status.Errorf(codes.InvalidArgument, "a method of %s requires a resource, but %s is not one", typ, selfKey)
	}
	urn := string(v.AsResourceReference().URN)
	ref, err := s.ref(urn, "", "")
	if err != nil {
		return engine.Ref{}, err
	}
	if ref.Type != typ {
		return engine.Ref{}, status.Errorf(codes.InvalidArgument, "the method belongs to %s, but %s is a %s", typ, urn, ref.Type)
	}
	return ref, nil
}

// recorded is the recorded state of a resource in this run.
type recorded struct {
	state engine.State
	// pending is true if the resource has yet to be created or updated.
	pending bool
}

// recordedState returns the state of a resource that the engine of Pulumi at endpoint has recorded.
func recordedState(ctx context.Context, endpoint string, maxValues int, urn string) (recorded, error) {
	m, err := monitor.Dial(endpoint, maxValues)
	if err != nil {
		return recorded{}, err
	}
	defer m.Close()
	found, err := m.Resource(ctx, urn)
	if err != nil {
		return recorded{}, err
	}
	pending := found.ID == "" || isPreviewed(found.Outputs)
	state, err := readState(&wire.Decoder{}, found.ID, nil, found.Outputs)
	return recorded{state: state, pending: pending}, err
}

// returnDependencies returns the dependencies of each value that a method returns:
// its resource, and the dependencies of its arguments.
func returnDependencies(
	req *pulumirpc.CallRequest, args property.Map, self string, out *structpb.Struct,
) map[string]*pulumirpc.CallResponse_ReturnDependencies {
	on := []string{self}
	for _, d := range req.GetArgDependencies() {
		on = append(on, d.GetUrns()...)
	}
	for path := range dependencies(property.New(args)) {
		on = append(on, path)
	}
	slices.Sort(on)
	on = slices.Compact(on)
	all := make(map[string]*pulumirpc.CallResponse_ReturnDependencies, len(out.GetFields()))
	for name := range out.GetFields() {
		all[name] = &pulumirpc.CallResponse_ReturnDependencies{Urns: on}
	}
	return all
}

// dependencies returns the dependencies of a value and of all values in it.
func dependencies(v property.Value) map[string]bool {
	all := map[string]bool{}
	var visit func(v property.Value)
	visit = func(v property.Value) {
		for _, on := range v.Dependencies() {
			all[string(on)] = true
		}
		switch {
		case v.IsMap():
			for _, item := range v.AsMap().All {
				visit(item)
			}
		case v.IsArray():
			for _, item := range v.AsArray().All {
				visit(item)
			}
		}
	}
	visit(v)
	return all
}
