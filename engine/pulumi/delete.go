package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/declprov/declprov/engine"
)

// Delete deletes a resource.
func (s *Server) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	session, ref, err := s.sessions.forRecorded(ctx, req)
	if err != nil {
		return nil, err
	}
	state, err := readState(&s.decoder, req.GetId(), req.GetOldInputs(), req.GetProperties())
	if err != nil {
		return nil, failure(err)
	}
	timeout := duration(req.GetTimeout())
	ctx, log, end := s.begin(ctx, req.GetUrn(), timeout)
	defer end()
	if err := session.engine.Delete(ctx, engine.DeleteRequest{
		Ref: ref, State: state, Timeout: timeout, Log: log,
	}); err != nil {
		return nil, operationFailure(ctx, err)
	}
	return &emptypb.Empty{}, nil
}
