package run

import (
	"context"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/stop"
)

// Create creates a resource. The result has a state without an error if that succeeded, an error
// without a state if nothing is left of the attempt, and both if something was made that is not
// complete: the next run continues there.
func (rs *Resources) Create(ctx context.Context, res *plan.Resource, req CreateRequest) Result {
	r := rs.resource(res, req.Ref, req.Log).beginWith(ctx, res.Create, plan.Create, req.Inputs)
	r.Preview = req.Preview
	ctx, cancel := stop.After(ctx, req.Timeout)
	defer cancel()
	err := recorded.RefuseMasks(req.Inputs, res.Create)
	if err == nil {
		err = r.Open()
	}
	if err != nil {
		return Result{Err: err}
	}
	if err := operation.PrecheckID(r.Run); err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	if req.Preview {
		return r.previewState(ctx, recorded.State{Inputs: req.Inputs})
	}
	if res.MayStopHalfMade() {
		if _, err := rs.journal.Key(); err != nil {
			return Result{Err: fmt.Errorf("nothing was sent: %w", err)}
		}
	}
	ctx, release, err := operation.LockNames(ctx, r.Run, req.Inputs)
	if err != nil {
		return Result{Err: r.Mask().Error(err)}
	}
	defer release()
	r.Token = rs.Tokens.Next()
	defer func() {
		if bug := recover(); bug != nil {
			rs.Tokens.Release(r.Token)
			panic(bug)
		}
	}()
	defer func() { r.warn(r.book().Conclude()) }()
	defer halfMade{r}.openOnPanic()
	out, settled := earlier{r}.settle(ctx)
	if !settled {
		out = r.finishCreate(ctx)
		if out.Err == nil {
			r.warn(earlier{r}.forgetSuperseded())
		}
	}
	if out = keepObject(r, out); out.State != nil {
		if limit, err := r.Duration(res.Consistency, 0); err == nil && limit > 0 {
			out.State.Private.VisibleBy = time.Now().Add(limit).UTC()
		}
	}
	halfMade{r}.end(&out)
	r.recordHandover(out)
	return out
}

// finishCreate runs the steps of a create that are still to be done, and returns the state that
// they leave.
func (r *run) finishCreate(ctx context.Context) Result {
	ctx, release, err := r.Lock(ctx) // also for undo
	if err != nil {
		return r.afterFailure(ctx, err)
	}
	defer release()
	if err := r.Steps(ctx); err != nil {
		return r.afterFailure(ctx, err)
	}
	halfMade{r}.done()
	if r.ID == "" {
		r.Failed = len(r.Operation.Steps)
		return r.afterFailure(ctx, outputs.MissingIDError(r.Run))
	}
	made, err := r.buildOutputs(ctx, nil)
	if err == nil {
		err = checkMade(ctx, r)
	}
	state := r.newState(made)
	state.Private.Unmade = operation.UnmadeSteps(r.Run, r.resumed, nil)
	if err != nil {
		state.Private.Failed = operation.Stopped(r.Run, r.Given, len(r.Operation.Steps), err)
	} else {
		state.Private.Written = recorded.NewWritten(r.Resource, r.Given, r.server)
		outputs.WarnLost(r.Run, state.Outputs, r.res.Ref.Key)
	}
	return Result{State: state, Err: r.Mask().Error(err)}
}

// checkMade returns an error if the response to a create does not tell that it made the object, and what read finds
// under the id that the inputs give is not what was sent.
func checkMade(ctx context.Context, r *run) error {
	maker := r.Resource.Maker
	if maker == nil || !r.isUnseen() || !r.Misfits[maker.Index] && r.Idle[maker.Index] == nil || r.Resource.IDFromResponses() || r.Resource.FindFirst {
		return nil
	}
	why, err := r.Contradiction(ctx, maker, &recorded.State{ID: r.ID, Inputs: r.Given}, nil, []property.Map{r.Given})
	if err == nil && why != "" {
		err = fmt.Errorf("the response does not tell that the create made it, and %s: if somebody else has it, run `pulumi state delete` and choose another name; else import it", why)
	}
	return err
}
