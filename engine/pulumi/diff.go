package pulumi

import (
	"context"
	"slices"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

// Diff says what a change of inputs means. In a refresh the engine asks it too:
// the recorded inputs are then the new ones, and what Read found the old state.
func (s *Server) Diff(
	ctx context.Context, req *pulumirpc.DiffRequest,
) (*pulumirpc.DiffResponse, error) {
	now, ref, err := s.about(ctx, req)
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
	diff, err := now.engine.Diff(ctx, engine.DiffRequest{
		Ref: ref, State: state, New: news, Ignore: req.GetIgnoreChanges(),
	})
	if err != nil {
		return nil, operationFailure(ctx, err)
	}
	if diff.Force && len(diff.Changes) == 0 {
		log := s.log(req.GetUrn())
		log.Message(engine.Info, screen.Show(unfinished(state.Private.Failed), now.engine.Mask()))
		log.done()
	}
	return diffResponse(diff), nil
}

// unfinished explains an update for which no input differs, as the CLI has
// nothing to show for it.
func unfinished(failed *engine.Failed) string {
	const due = "this update is due though no input differs, because "
	if failed == nil {
		return due + "the resource is not as it was last asked to be"
	}
	text := due + "an earlier " + failed.Op + " stopped halfway"
	if failed.Error != "" {
		text += ": " + failed.Error
	}
	return text
}

// diffResponse is a diff as it travels. Every path of the details has its
// top-level property among the diffs, and, where it replaces, the replaces.
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
		// A forced update: with details that name nothing, the engine would
		// show a change of nothing; without, it shows an update.
		res.HasDetailedDiff = !diff.Force
		return res
	}
	res.DetailedDiff = make(map[string]*pulumirpc.PropertyDiff, len(diff.Changes))
	for _, c := range diff.Changes {
		res.DetailedDiff[c.Path] = &pulumirpc.PropertyDiff{Kind: diffKind(c), InputDiff: !c.Output}
		top := topLevel(c.Path)
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

// topLevel is the property that a path begins with: `a` of `a.b[0]`, `x.y` of
// `["x.y"].z`. As in the engine's own parser (resource.ParsePropertyPath), a
// backslash means something before a quote only.
func topLevel(path string) string {
	quoted, ok := strings.CutPrefix(path, `["`)
	if !ok {
		if end := strings.IndexAny(path, ".["); end > 0 {
			return path[:end]
		}
		return path
	}
	var key strings.Builder
	for i := 0; i < len(quoted); i++ {
		switch {
		case quoted[i] == '"':
			return key.String()
		case strings.HasPrefix(quoted[i:], `\"`):
			i++
		}
		key.WriteByte(quoted[i])
	}
	return path
}
