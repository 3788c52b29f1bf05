package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Handshake is an engine's first call. A process that engines attach to gets one
// from each of them, the latest of which counts.
//
// The root and program directories of the request are where the provider's own
// binary lies (filepath.Dir of it), not where the user's program is; engines
// that attach send none. They are of no use to a provider whose spec is loaded.
func (s *Server) Handshake(
	ctx context.Context, req *pulumirpc.ProviderHandshakeRequest,
) (*pulumirpc.ProviderHandshakeResponse, error) {
	s.calls.renew(ctx)
	s.attach(req.GetEngineAddress())
	s.bytes.Store(req.GetAcceptsByteString())
	return &pulumirpc.ProviderHandshakeResponse{
		AcceptSecrets:                   true,
		AcceptResources:                 true,
		AcceptOutputs:                   true,
		SupportsAutonamingConfiguration: true,
		AcceptsByteString:               true,
	}, nil
}
