package pulumi

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
)

// CheckConfig checks the provider's configuration, and sets defaults. Secrets are not
// marked in this request; the engine marks them again in the response. Objects may be
// JSON text, which is parsed by the type of the setting.
func (s *Server) CheckConfig(
	ctx context.Context, req *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	session, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	settings, hosts, err := readConfig(session.Program, req.GetNews())
	if err != nil {
		return nil, failure(err)
	}
	checked := session.Program.CheckConfig(ctx, settings)
	inputs := checked.Inputs
	for k, v := range hosts.All {
		inputs = inputs.Set(k, v)
	}
	sent, err := s.encoder().Encode(inputs)
	if err != nil {
		return nil, failure(err)
	}
	return &pulumirpc.CheckResponse{Inputs: sent, Failures: inputFailures(withRemedies(session.Program, settings, checked.Failures), settings)}, nil
}

// failures converts failures to the protocol; see screenReply.
func failures(found []engine.Failure) []*pulumirpc.CheckFailure {
	sent := make([]*pulumirpc.CheckFailure, 0, len(found))
	for _, f := range found {
		sent = append(sent, &pulumirpc.CheckFailure{Property: f.Path, Reason: f.Reason})
	}
	return sent
}

// inputFailures converts the failures of a check. Pulumi shows the value of the property of a
// failure; if it finds none under that name, because it is missing or nested, it shows "{<nil>}".
// Such a property is part of the reason instead.
func inputFailures(found []engine.Failure, given property.Map) []*pulumirpc.CheckFailure {
	sent := failures(found)
	for _, f := range sent {
		if v, ok := given.GetOk(f.Property); f.Property != "" && (!ok || v.IsNull()) {
			f.Property, f.Reason = "", f.Property+": "+f.Reason
		}
	}
	return sent
}
