package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Invoke runs a function of the provider.
func (s *Server) Invoke(
	_ context.Context, req *pulumirpc.InvokeRequest,
) (*pulumirpc.InvokeResponse, error) {
	return nil, s.unserved(req.GetTok(), "functions")
}

// unserved says that a token names something of a kind that this version of the
// engine does not serve yet.
func (s *Server) unserved(token, kind string) error {
	now, err := s.ready()
	if err != nil {
		return err
	}
	name, err := now.member(token)
	if err != nil {
		return err
	}
	return status.Errorf(codes.Unimplemented, "%q cannot be called: this version of declprov does not serve %s yet",
		name, kind)
}
