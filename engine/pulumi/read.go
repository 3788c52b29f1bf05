package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/proto"

	"github.com/declprov/declprov/engine"
)

// Read reads a resource. A response without id means that it no longer exists.
func (s *Server) Read(
	ctx context.Context, req *pulumirpc.ReadRequest,
) (*pulumirpc.ReadResponse, error) {
	reason, find := readReason(req), s.sessions.forResource
	if reason == engine.Refresh {
		find = s.sessions.forRecorded
	}
	session, ref, err := find(ctx, req)
	if err != nil {
		return nil, err
	}
	state, err := readState(&s.decoder, req.GetId(), req.GetInputs(), req.GetProperties())
	if err != nil {
		return nil, failure(err)
	}
	timeout := duration(req.GetTimeout())
	ctx, log, end := s.begin(ctx, req.GetUrn(), timeout)
	defer end()
	result := session.engine.Read(ctx, engine.ReadRequest{Ref: ref, Reason: reason, State: state, Timeout: timeout, Log: log})
	if result.Gone && result.Err == nil {
		return &pulumirpc.ReadResponse{}, nil
	}
	if reason != engine.Lookup && result.State != nil {
		*result.State = session.engine.WithPlaceholders(ref.Type, *result.State)
	}
	r, err := recordedReply(ctx, s.encoder(), result, true)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.ReadResponse{Id: r.id, Properties: r.properties, Inputs: r.inputs}, nil
}

// readReason returns why Pulumi's engine reads a resource (pkg/resource/deploy/step.go).
// An import has no inputs, not even an empty struct. The `.get` of a program sends
// the user's values both as inputs and as outputs, and therefore without our private
// part. A refresh sends the recorded state.
func readReason(req *pulumirpc.ReadRequest) engine.ReadReason {
	_, ours := req.GetProperties().GetFields()[privateKey]
	switch {
	case req.GetInputs() == nil && len(req.GetProperties().GetFields()) == 0:
		return engine.Import
	case !ours && proto.Equal(req.GetInputs(), req.GetProperties()):
		return engine.Lookup
	default:
		return engine.Refresh
	}
}
