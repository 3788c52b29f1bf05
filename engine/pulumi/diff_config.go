package pulumi

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// DiffConfig says what a change of configuration means. A change of what is
// Pulumi's own, the package's version above all, is an update and never a
// replacement; it has to be told, for where nothing changes the engine goes on
// with the old version.
func (s *Server) DiffConfig(
	ctx context.Context, req *pulumirpc.DiffRequest,
) (*pulumirpc.DiffResponse, error) {
	now, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	recorded := req.GetOldInputs()
	if recorded == nil { // engines that send no old inputs
		recorded = req.GetOlds()
	}
	olds, oldHosts, err := readConfig(now.Program, recorded)
	if err != nil {
		return nil, failure(err)
	}
	news, newHosts, err := readConfig(now.Program, req.GetNews())
	if err != nil {
		return nil, failure(err)
	}
	diff := now.Program.DiffConfig(olds, news, req.GetIgnoreChanges())
	diff.Changes = append(hostChanges(oldHosts, newHosts), diff.Changes...)
	return diffResponse(diff), nil
}

// hostChanges are those of the keys that are Pulumi's.
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
