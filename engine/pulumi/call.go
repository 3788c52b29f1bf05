package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Call runs a method of a resource.
func (s *Server) Call(
	ctx context.Context, req *pulumirpc.CallRequest,
) (*pulumirpc.CallResponse, error) {
	return nil, s.unserved(ctx, req.GetTok(), "methods")
}
