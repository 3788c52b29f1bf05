package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
)

// Create creates a resource, or previews that.
func (s *Server) Create(
	ctx context.Context, req *pulumirpc.CreateRequest,
) (*pulumirpc.CreateResponse, error) {
	session, ref, err := s.sessions.forResource(ctx, req)
	if err != nil {
		return nil, err
	}
	inputs, err := s.decoder.Decode(req.GetProperties())
	if err != nil {
		return nil, failure(err)
	}
	timeout := duration(req.GetTimeout())
	ctx, log, end := s.begin(ctx, req.GetUrn(), timeout)
	defer end()
	if !req.GetPreview() {
		s.notices.creating(log, ref.Type, session.engine)
	}
	result := session.engine.Create(ctx, engine.CreateRequest{
		Ref: ref, Inputs: inputs, Timeout: timeout, Preview: req.GetPreview(), Log: log,
	})
	r, err := newReply(ctx, s.encoder(), result, req.GetPreview())
	if err != nil {
		return nil, err
	}
	return &pulumirpc.CreateResponse{Id: r.id, Properties: r.properties}, nil
}
