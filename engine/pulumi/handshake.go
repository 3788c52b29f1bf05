package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Handshake is the first call of an engine. If several engines of Pulumi attach to a process,
// the latest Handshake counts.
//
// The root and program directories in the request are the folder of the provider's
// binary, not that of the user's program, and are ignored. Engines that attach send
// none.
func (s *Server) Handshake(
	ctx context.Context, req *pulumirpc.ProviderHandshakeRequest,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	s.calls.renew(ctx)
	s.hosts.attach(req.GetEngineAddress())
	s.bytes.Store(req.GetAcceptsByteString())
	return &pulumirpc.ProviderHandshakeResponse{
		AcceptSecrets:                   true,
		AcceptResources:                 true,
		AcceptOutputs:                   true,
		SupportsAutonamingConfiguration: true,
		AcceptsByteString:               true,
	}, nil
}
