package pulumi

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// DiffConfig returns the effect of a change of configuration. A change of Pulumi's
// own keys, such as the package version, is an update and never a replacement. It
// must be reported, because otherwise Pulumi's engine would continue with the old version.
func (s *Server) DiffConfig(
	ctx context.Context, req *pulumirpc.DiffRequest,
) (*pulumirpc.DiffResponse, error) {
	session, err := s.sessions.current(ctx)
	if err != nil {
		return nil, err
	}
	recorded := req.GetOldInputs()
	if recorded == nil { // older versions of Pulumi
		recorded = req.GetOlds()
	}
	olds, oldHosts, err := readConfig(session.Program, recorded)
	if err != nil {
		return nil, failure(err)
	}
	news, newHosts, err := readConfig(session.Program, req.GetNews())
	if err != nil {
		return nil, failure(err)
	}
	diff := session.Program.DiffConfig(olds, news, req.GetIgnoreChanges())
	diff.Changes = append(hostChanges(oldHosts, newHosts), diff.Changes...)
	return diffResponse(diff), nil
}

// hostChanges returns the changes of Pulumi's own keys.
func hostChanges(olds, news property.Map) []engine.Change {
	var changes []engine.Change
	for k, old := range olds.AllStable {
		switch v, ok := news.GetOk(k); {
		case !ok:
			changes = append(changes, engine.Change{Path: wire.Segment(k), Kind: engine.Delete})
		case !v.Equals(old):
			changes = append(changes, engine.Change{Path: wire.Segment(k), Kind: engine.Update})
		}
	}
	for k := range news.AllStable {
		if _, ok := olds.GetOk(k); !ok {
			changes = append(changes, engine.Change{Path: wire.Segment(k), Kind: engine.Add})
		}
	}
	return changes
}
