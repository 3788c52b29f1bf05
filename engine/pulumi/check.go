package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
)

// Check checks a resource's inputs, and sets defaults.
func (s *Server) Check(
	ctx context.Context, req *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	session, ref, err := s.sessions.forResource(ctx, req)
	if err != nil {
		return nil, err
	}
	olds, err := s.decoder.Decode(req.GetOlds())
	if err != nil {
		return nil, failure(err)
	}
	news, err := s.decoder.Decode(req.GetNews())
	if err != nil {
		return nil, failure(err)
	}
	checked, err := session.engine.Check(ctx, engine.CheckRequest{
		Ref:      ref,
		Old:      olds,
		HasOld:   olds.Len() > 0, // without old inputs, Pulumi's engine sends an empty map
		New:      news,
		Autoname: autoname(req.GetAutonaming()),
		Seed:     req.GetRandomSeed(),
	})
	if err != nil {
		return nil, operationFailure(ctx, err)
	}
	inputs, err := s.encoder().Encode(checked.Inputs)
	if err != nil {
		return nil, failure(err)
	}
	if len(checked.Failures) == 0 {
		return &pulumirpc.CheckResponse{Inputs: inputs}, nil
	}
	res, err := session.Program.Resource(ref.Type)
	if err != nil {
		return nil, failure(err)
	}
	return &pulumirpc.CheckResponse{Inputs: inputs, Failures: inputFailures(checked.Failures, news, res.Inputs)}, nil
}

func autoname(options *pulumirpc.CheckRequest_AutonamingOptions) engine.Autoname {
	if options == nil {
		return engine.Autoname{Mode: engine.Derive}
	}
	named := engine.Autoname{Name: options.GetProposedName()}
	switch options.GetMode() {
	case pulumirpc.CheckRequest_AutonamingOptions_ENFORCE:
		named.Mode = engine.Enforce
	case pulumirpc.CheckRequest_AutonamingOptions_DISABLE:
		named.Mode = engine.Disabled
	default:
		named.Mode = engine.Propose
	}
	return named
}
