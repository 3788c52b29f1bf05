package engine

import (
	"context"
	"fmt"

	"github.com/declprov/declprov/engine/run"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/screen"
)

// moved returns the settings that say where the object of a state is, and have other values than when it was recorded. The object of a
// `.get` is not managed: it may be another one at any time.
func (l stateLoader) moved(s recorded.State) []string {
	if s.Private.Location == "" || s.Private.Lookup {
		return nil
	}
	return recorded.Moved(s.Private.Location, l.resources.Location(l.res))
}

// checkLocation returns an error if the object of a state may be elsewhere than where a call would change or delete it.
func (l stateLoader) checkLocation(s recorded.State) error {
	if settings := l.moved(s); settings != nil {
		return recorded.MovedError(l.res, s, l.ref.Key, settings)
	}
	return nil
}

// withMove adds to a diff that the object may be elsewhere, and returns an error if it would be changed or replaced.
func (l stateLoader) withMove(out DiffResponse, s recorded.State) (DiffResponse, error) {
	if out.Moved = l.moved(s); out.Moved != nil && (len(out.Changes) > 0 || out.Force) {
		return DiffResponse{}, l.checkLocation(s)
	}
	return out, nil
}

// MovedWarning returns what a user must know of a resource of which nothing changes, while its object may be elsewhere.
func MovedWarning(settings []string) string {
	return fmt.Sprintf("the provider's configuration has another value of %s than when this was made or last read. It is not changed or deleted before a refresh has looked at it there: `pulumi refresh --run-program`", diag.And(settings))
}

// locate makes the state of a result record where its object is.
func (l stateLoader) locate(out run.Result) run.Result {
	if out.State != nil && !out.State.Private.Lookup {
		out.State.Private.Location = l.resources.Location(l.res)
	}
	return out
}

// warnOfOther warns of an update whose response shows other values of what never changes: somebody has replaced the object under the id.
func (l stateLoader) warnOfOther(before recorded.State, out run.Result, req run.UpdateRequest) {
	if out.State == nil || req.Preview || req.Log == nil {
		return
	}
	if names := recorded.OtherStable(l.res, before, *out.State); names != nil {
		req.Log.Message(operation.Warning, screen.Show(fmt.Sprintf("after the update, it has another value of %s, which never changes. So what was changed under the id %q may be another object: "+
			"if it is somebody else's, run `pulumi state delete '%s'`, and restore it", diag.And(names), recorded.CurrentID(*out.State), req.Key), nil))
	}
}

// read reads a resource. After a move, a refresh takes what it finds for the object, unless something says that it is another one, or
// an operation has stopped halfway, which has to be completed where the object was.
func (l stateLoader) read(ctx context.Context, s recorded.State, req run.ReadRequest) run.Result {
	if req.Moved = l.moved(s); req.Moved == nil {
		return l.locate(l.resources.Read(ctx, l.res, s, req))
	}
	if l.res.Read == nil || s.Private.Failed != nil {
		return run.Result{Err: l.checkLocation(s)}
	}
	out := l.resources.Read(ctx, l.res, s, req)
	what := fmt.Sprintf("the provider's configuration has another value of %s than when it was last read", diag.And(req.Moved))
	switch {
	case out.Err != nil:
		return out // a state that it has is of the former place
	case out.Gone:
		what += fmt.Sprintf(", and nothing has its id %q there. It is removed from the state: if it still exists where it was, nobody manages it any more", recorded.CurrentID(s))
	default:
		what += fmt.Sprintf(": what has the id %q there is taken for it. If that is somebody else's, run `pulumi state delete '%s'` before `pulumi up`", recorded.CurrentID(s), req.Key)
	}
	if req.Log != nil {
		req.Log.Message(operation.Warning, screen.Show(what, nil))
	}
	return l.locate(out)
}
