package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
)

// Read looks at a resource: in a refresh with all that is recorded, in a
// program's `.get` with what the user says of it, both as inputs and as outputs,
// and in an import with the id alone. An answer without id means that it is
// gone.
func (s *Server) Read(
	ctx context.Context, req *pulumirpc.ReadRequest,
) (*pulumirpc.ReadResponse, error) {
	now, ref, err := s.about(ctx, req)
	if err != nil {
		return nil, err
	}
	state, err := readState(&s.decoder, req.GetId(), req.GetInputs(), req.GetProperties())
	if err != nil {
		return nil, failure(err)
	}
	timeout := duration(req.GetTimeout())
	ctx, end := s.calls.begin(ctx, timeout)
	defer end()
	log := s.log(req.GetUrn())
	defer log.done()
	result := now.engine.Read(ctx, engine.ReadRequest{Ref: ref, State: state, Timeout: timeout, Log: log})
	if result.Gone && result.Err == nil {
		return &pulumirpc.ReadResponse{}, nil
	}
	r, err := s.settle(ctx, result, true)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.ReadResponse{Id: r.id, Properties: r.properties, Inputs: r.inputs}, nil
}
