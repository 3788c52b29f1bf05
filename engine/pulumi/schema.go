package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// GetSchema returns the package schema. A process that serves resources may never be
// asked for it.
func (s *Server) GetSchema(
	ctx context.Context, req *pulumirpc.GetSchemaRequest,
) (*pulumirpc.GetSchemaResponse, error) {
	if req.GetVersion() != 0 {
		return nil, status.Errorf(codes.InvalidArgument,
			"version %d of Pulumi's schema format is not supported (expected 0)", req.GetVersion())
	}
	session, err := s.sessions.current(ctx)
	if err != nil {
		return nil, err
	}
	if name := req.GetSubpackageName(); name != "" && name != session.Program.Metadata().Name {
		return nil, status.Errorf(codes.NotFound, "there is no package %q here; this provider serves %q",
			name, session.Program.Metadata().Name)
	}
	text, err := session.schema()
	if err != nil {
		return nil, failure(err)
	}
	return &pulumirpc.GetSchemaResponse{Schema: text}, nil
}
