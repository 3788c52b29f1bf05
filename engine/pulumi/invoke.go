package pulumi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/diag"
)

// Invoke calls a function of the provider, also in previews, because functions have
// no effects. Pulumi omits unknown arguments, and does not call the function if one
// is required.
func (s *Server) Invoke(
	ctx context.Context, req *pulumirpc.InvokeRequest,
) (*pulumirpc.InvokeResponse, error) {
	session, err := s.ready(ctx)
	if err != nil {
		return nil, err
	}
	name, err := session.member(req.GetTok())
	if err != nil {
		return nil, err
	}
	if known := session.Program.Functions(); !slices.Contains(known, name) {
		return nil, status.Error(codes.NotFound, strings.TrimSpace(fmt.Sprintf("provider %q has no function %q. %s",
			session.Program.Metadata().Name, name, diag.Remedy(name, known))))
	}
	args, err := wire.Decode(req.GetArgs())
	if err != nil {
		return nil, failure(err)
	}
	ctx, end := s.calls.begin(ctx, 0)
	defer end()
	log := s.log("")
	defer log.done()
	answer, err := session.engine.Invoke(ctx, engine.InvokeRequest{Function: name, Args: args, Log: log})
	if err != nil {
		return nil, operationFailure(ctx, err)
	}
	if answer.Failures != nil {
		return &pulumirpc.InvokeResponse{Failures: failures(answer.Failures)}, nil
	}
	out, err := s.encoder().Encode(answer.Return)
	if err != nil {
		return nil, failure(err)
	}
	return &pulumirpc.InvokeResponse{Return: out}, nil
}
