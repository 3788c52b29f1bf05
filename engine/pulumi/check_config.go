package pulumi

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/value"
)

// CheckConfig checks the provider's configuration, and sets defaults. Secrets are not
// marked in this request; Pulumi's engine marks them again in the response. Objects may be
// JSON text, which is parsed by the type of the setting.
func (s *Server) CheckConfig(
	ctx context.Context, req *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	session, err := s.sessions.current(ctx)
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
	return &pulumirpc.CheckResponse{Inputs: sent, Failures: inputFailures(withRemedies(session.Program, settings, checked.Failures), settings, session.Program.ConfigType)}, nil
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
// failure, so a failure only names a property that is declared, holds no secret, and has a value:
// a property that is not declared may be a secret whose name is misspelt, and for one without a
// value Pulumi shows "{<nil>}". Other names are part of the reason.
func inputFailures(found []engine.Failure, given property.Map, declared *value.Type) []*pulumirpc.CheckFailure {
	sent := failures(found)
	for _, f := range sent {
		v, m := given.Get(f.Property), declared.ByName[f.Property]
		if f.Property != "" && (m == nil || m.IsSecret() || value.HoldsSecret(m.Check) || v.HasSecrets() || v.IsNull()) {
			f.Property, f.Reason = "", f.Property+": "+f.Reason
		}
	}
	return sent
}
