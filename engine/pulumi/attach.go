package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Attach connects the process to an engine of Pulumi that did not start it
// (PULUMI_DEBUG_PROVIDERS).
func (s *Server) Attach(_ context.Context, req *pulumirpc.PluginAttach) (*emptypb.Empty, error) {
	s.hosts.attach(req.GetAddress())
	return &emptypb.Empty{}, nil
}
