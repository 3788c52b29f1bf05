package pulumi

import (
	"context"
	"slices"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// Invoke calls a function of the provider, also in previews, because functions have
// no effects. Pulumi omits unknown arguments, and does not call the function if one
// is required.
func (s *Server) Invoke(
	ctx context.Context, req *pulumirpc.InvokeRequest,
) (*pulumirpc.InvokeResponse, error) {
	session, err := s.sessions.ready(ctx)
	if err != nil {
		return nil, err
	}
	name, err := session.member(req.GetTok())
	if err != nil {
		return nil, err
	}
	if known := session.Program.Functions(); !slices.Contains(known, name) {
		return nil, session.unknown("function", name, known)
	}
	args, err := wire.Decode(req.GetArgs())
	if err != nil {
		return nil, failure(err)
	}
	ctx, log, end := s.begin(ctx, "", 0)
	defer end()
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
