package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
)

// Update updates a resource, or previews that. Pulumi does not accept a new id here;
// if it changes, the new id is kept in the private part of the state.
func (s *Server) Update(
	ctx context.Context, req *pulumirpc.UpdateRequest,
) (*pulumirpc.UpdateResponse, error) {
	session, ref, err := s.sessions.forResource(ctx, req)
	if err != nil {
		return nil, err
	}
	state, err := readState(&s.decoder, req.GetId(), req.GetOldInputs(), req.GetOlds())
	if err != nil {
		return nil, failure(err)
	}
	inputs, err := s.decoder.Decode(req.GetNews())
	if err != nil {
		return nil, failure(err)
	}
	timeout := duration(req.GetTimeout())
	ctx, log, end := s.begin(ctx, req.GetUrn(), timeout)
	defer end()
	result := session.engine.Update(ctx, engine.UpdateRequest{
		Ref: ref, State: state, Inputs: inputs, Ignore: req.GetIgnoreChanges(),
		Timeout: timeout, Preview: req.GetPreview(), Log: log,
	})
	r, err := newReply(ctx, s.encoder(), result, req.GetPreview())
	if err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateResponse{Properties: r.properties}, nil
}
