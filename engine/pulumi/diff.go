package pulumi

import (
	"context"
	"slices"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// Diff returns the effect of a change of inputs. During a refresh, the recorded
// inputs are the new ones, and the result of Read is the old state.
func (s *Server) Diff(
	ctx context.Context, req *pulumirpc.DiffRequest,
) (*pulumirpc.DiffResponse, error) {
	session, ref, err := s.sessions.forResource(ctx, req)
	if err != nil {
		return nil, err
	}
	state, err := readState(&s.decoder, req.GetId(), req.GetOldInputs(), req.GetOlds())
	if err != nil {
		return nil, failure(err)
	}
	news, err := s.decoder.Decode(req.GetNews())
	if err != nil {
		return nil, failure(err)
	}
	news = value.WithoutPlaceholders(news, state.Private.Unshown) // those of a refresh are the recorded inputs
	diff, err := session.engine.Diff(ctx, engine.DiffRequest{
		Ref: ref, State: state, New: news, Ignore: req.GetIgnoreChanges(),
	})
	if err != nil {
		return nil, operationFailure(ctx, err)
	}
	if diff.Moved != nil {
		log := s.hosts.log(req.GetUrn())
		log.Message(engine.Warning, screen.Show(engine.MovedWarning(diff.Moved), nil))
		log.done()
	}
	if diff.Force && len(diff.Changes) == 0 {
		log := s.hosts.log(req.GetUrn())
		log.Message(engine.Info, screen.Show(unfinished(state.Private.Failed), session.engine.Mask()))
		log.done()
	}
	return diffResponse(diff), nil
}

// unfinished explains an update for which no input differs, because the CLI shows no
// reason for it.
func unfinished(failed *engine.Failed) string {
	const due = "this update is required although no input differs, because "
	if failed == nil {
		return due + "the resource differs from its last inputs"
	}
	text := due + "an earlier " + failed.Op + " stopped halfway"
	if failed.Error != "" {
		text += ": " + failed.Error
	}
	return text
}

// diffResponse converts a diff to the protocol. The top-level property of every path
// in the details must also be among the diffs and, if it requires replacement, among
// the replaces.
func diffResponse(diff engine.DiffResponse) *pulumirpc.DiffResponse {
	res := &pulumirpc.DiffResponse{
		Changes:             pulumirpc.DiffResponse_DIFF_NONE,
		HasDetailedDiff:     true,
		DeleteBeforeReplace: diff.DeleteBeforeReplace,
		Stables:             diff.Stable,
	}
	if diff.Force || len(diff.Changes) > 0 {
		res.Changes = pulumirpc.DiffResponse_DIFF_SOME
	}
	if len(diff.Changes) == 0 {
		// For a forced update with empty details, Pulumi's engine would show no change.
		// Without details, it shows an update.
		res.HasDetailedDiff = !diff.Force
		return res
	}
	res.DetailedDiff = make(map[string]*pulumirpc.PropertyDiff, len(diff.Changes))
	for _, c := range diff.Changes {
		res.DetailedDiff[c.Path] = &pulumirpc.PropertyDiff{Kind: diffKind(c), InputDiff: !c.Output}
		top := value.TopLevel(c.Path)
		if !slices.Contains(res.Diffs, top) {
			res.Diffs = append(res.Diffs, top)
		}
		if c.Replace && !slices.Contains(res.Replaces, top) {
			res.Replaces = append(res.Replaces, top)
		}
	}
	return res
}

func diffKind(c engine.Change) pulumirpc.PropertyDiff_Kind {
	switch {
	case c.Kind == engine.Add && c.Replace:
		return pulumirpc.PropertyDiff_ADD_REPLACE
	case c.Kind == engine.Add:
		return pulumirpc.PropertyDiff_ADD
	case c.Kind == engine.Delete && c.Replace:
		return pulumirpc.PropertyDiff_DELETE_REPLACE
	case c.Kind == engine.Delete:
		return pulumirpc.PropertyDiff_DELETE
	case c.Replace:
		return pulumirpc.PropertyDiff_UPDATE_REPLACE
	default:
		return pulumirpc.PropertyDiff_UPDATE
	}
}
