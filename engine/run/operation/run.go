// Package operation runs the steps of an operation: in order, with their conditions, loops,
// locks, time limits, retries and polls. It knows what a step asks of the resource that it
// belongs to (Owner), but not what becomes of that resource.
//
// A Runtime is a configured program, and a Run is one execution of an operation: run.go runs its
// steps, loop.go a step for each element, and attempts.go sends a step until it is done.
package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/run/view"
	"github.com/declprov/declprov/spec/expr"
)

// Run is one execution of an operation.
type Run struct {
	located
	Progress
	// Owner decides about the effects of the steps.
	Owner     Owner
	Operation *plan.Operation
	Verb      plan.Verb
	Log       masked
	// Env is the part of the machine and the network that the run may use: see Open.
	Env *actions.Env
	// Preview is true if nothing may be changed.
	Preview bool
	// Undoing is true while steps are undone.
	Undoing bool
	// Until is the index of the step before which the run pauses, 0 for none.
	Until int
	// Failed is the index of the step that failed.
	Failed int
	// Missed is true if a step of an undo or a delete did not find its object.
	Missed bool
	// Denied is the response by which it did not, if the credentials alone may cause that.
	Denied error
	// Ran is true if a step ran: its `if` did not leave it out.
	Ran bool
	// At is the key of the current element of a forEach, "" outside of one.
	At string
	// Entry is the key of the journal's entry about the step that was sent last, "" if it has none.
	Entry string
	// ETags are those of the resource in the last responses about it. With Untagged, a change had none in its response, so
	// they may be those of before.
	ETags    actions.ETags
	Untagged bool
	// Lost is true if what was found or read takes the place of a response that was lost.
	Lost bool
	// others are those of other objects that a change has requested.
	others actions.ETags
	// Limit is the maximum number of items of a list, 0 for all.
	Limit int
	// SecretNames are the wire names of secret properties.
	SecretNames []string

	rt *Runtime
	// undoes are the steps of an undo that have run.
	undoes []*plan.Step
	// unfit is the error of an attempt that succeeded with a response that does not match
	// its declared type.
	unfit error
}

// Owner is what a run asks of the resource that it changes.
type Owner interface {
	// BeforeWrite is called before a step with an effect. Its error refuses the step.
	BeforeWrite(ctx context.Context, s *plan.Step) error
	// Send runs a step by Run.Attempts, and records what it does as far as that is needed.
	Send(ctx context.Context, s *plan.Step) (any, error)
	// Sign gives the call of a step the key and the mark by which its effect is recognized.
	Sign(call *actions.Call, s *plan.Step)
	// Certainty returns how far a step may be repeated after its response was lost.
	Certainty(s *plan.Step) actions.Certainty
	// CanLook reports whether BeforeRepeat can tell the outcome of a step.
	CanLook(s *plan.Step) bool
	// BeforeRepeat is called before a step is sent again, after an attempt that ended with a
	// status. doubt is true if an attempt may have done the step.
	BeforeRepeat(ctx context.Context, s *plan.Step, status actions.Status, doubt bool) (Repeat, error)
	// Unasked is called in place of a step that requires a member of a lost response, which what stands for the response lacks.
	// It returns nil if something else shows that what the step waits for is done.
	Unasked(ctx context.Context, s *plan.Step, lacks Lacking) error
	// Recorded is called once the result of a step is in scope.
	Recorded(s *plan.Step) error
	// Restarted is called before all steps are run again.
	Restarted()
	// Left is called at the end of a loop with the elements for which an earlier run has done the step, and
	// that are gone.
	Left(s *plan.Step, gone []recorded.Element) error
}

// Repeat says whether a step may be sent again.
type Repeat struct {
	// Send is true if the step may be sent again.
	Send bool
	// Found is the result of the step, if an earlier attempt turned out to have done it.
	Found any
	// Undone is true if the earlier attempts turned out to have done nothing.
	Undone bool
	// Gone is true if what the step removes turned out to be gone.
	Gone bool
}

// New returns a run of an operation of a resource. res is nil if the operation belongs to no
// resource, and log is nil if nothing is to be logged.
func (rt *Runtime) New(ctx context.Context, res *plan.Resource, op *plan.Operation, v plan.Verb, ref recorded.Ref, log Log) *Run {
	r := &Run{rt: rt, Operation: op, Verb: v, located: located{View: view.View{Scope: rt.Scope(ctx, ref), Resource: res}, program: rt.Program}}
	r.Owner = nobody{r}
	if log == nil {
		log = Silent{}
	}
	r.Log = masked{To: log, run: r}
	if res != nil {
		r.Naming, r.SecretNames = res.Naming, res.SecretNames
	}
	return r
}

// Open opens the files, commands and origins that the run may use.
func (r *Run) Open() (err error) {
	r.Env, err = r.rt.Permits.Open(r.Vars)
	return r.Mask().Error(err)
}

// nobody owns the runs that change no resource.
type nobody struct{ run *Run }

func (nobody) BeforeWrite(context.Context, *plan.Step) error      { return nil }
func (nobody) Sign(*actions.Call, *plan.Step)                     {}
func (nobody) Certainty(s *plan.Step) actions.Certainty           { return s.Certainty }
func (nobody) CanLook(*plan.Step) bool                            { return false }
func (nobody) Recorded(*plan.Step) error                          { return nil }
func (nobody) Unasked(context.Context, *plan.Step, Lacking) error { return nil }
func (nobody) Restarted()                                         {}
func (nobody) Left(*plan.Step, []recorded.Element) error          { return nil }

func (n nobody) Send(ctx context.Context, s *plan.Step) (any, error) {
	return n.run.Attempts(ctx, s, false)
}

func (nobody) BeforeRepeat(context.Context, *plan.Step, actions.Status, bool) (Repeat, error) {
	return Repeat{Send: true}, nil
}

// Steps runs the steps of the operation that no earlier run has finished, under the lock of the
// operation. If they fail and the operation's `retry` says so, it runs all steps again.
func (r *Run) Steps(ctx context.Context) error {
	if err := r.refuseAhead(ctx); err != nil {
		return err
	}
	ctx, release, err := r.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	r.Vars.Context = ctx
	for failures := 1; ; failures++ {
		err := r.pass(ctx)
		if !r.Effected {
			r.Vars.Context = scope.BeforeSending(ctx) // nothing was changed that must be recorded
		}
		if err == nil || r.Operation.Retry == nil || r.Preview {
			return err
		}
		var failed *StepError
		if !errors.As(err, &failed) || slices.ContainsFunc(r.Operation.Steps[:min(r.Failed, len(r.Operation.Steps))], plan.MustNotBeRepeated) {
			return err
		}
		v := verdict.Verdict{Status: failed.Status, Err: failed.Err, Class: failed.class}
		again, because := r.judge().AllAgain(ctx, "all steps of "+string(r.Verb), r.Operation.Retry, v, failures)
		if !again {
			return errors.Join(err, because)
		}
		r.Finished, r.Elements = nil, nil
		r.Owner.Restarted()
	}
}

// pass runs the unfinished steps once.
func (r *Run) pass(ctx context.Context) error {
	for i, s := range r.Operation.Steps {
		if r.Finished[i] {
			continue
		}
		if r.Until > 0 && i >= r.Until {
			return nil
		}
		if err := r.Step(ctx, s); err != nil {
			if r.Failed = i; verdict.IsUnfit(err) {
				r.Misfit(i)
				if s.ForEach == nil {
					r.Failed++ // the next run continues after it
				}
				return err
			}
			return r.explainLack(s, err)
		}
		if s.ForEach == nil {
			delete(r.Misfits, i)
		}
	}
	return nil
}

// Step runs a step and records its result.
func (r *Run) Step(ctx context.Context, s *plan.Step) error {
	if r.Preview {
		if err := r.refuseStep(ctx, s); err != nil {
			return err
		}
	}
	if r.Preview && !s.Model.Preview {
		r.Record(s, expr.Unknown{})
		return nil
	}
	if r.isOrphaned(s) {
		r.Record(s, nil)
		return nil
	}
	if s.Effect == actions.Write {
		if err := r.Owner.BeforeWrite(ctx, s); err != nil {
			return err
		}
	}
	if settled, err := standsIn(ctx, r, s); settled || err != nil {
		return err
	}
	value, err := r.Loop(ctx, s)
	if r.Preview && errors.Is(err, scope.ErrNotKnown) {
		value, err = expr.Unknown{}, nil
	}
	if err != nil && (!verdict.IsUnfit(err) || s.ForEach != nil) {
		r.nameDecidingInput(s, err)
		return err
	}
	r.Record(s, value)
	if r.Preview {
		return err
	}
	if failed := r.Owner.Recorded(s); failed != nil && err == nil {
		return failed
	}
	return err
}

// Record keeps the result of a finished step and puts it into scope.
func (r *Run) Record(s *plan.Step, value any) {
	r.keep(s, value)
	r.SetResult(s, value)
}

// once runs a step's action under its `if`, `lock` and `timeout`.
func (r *Run) once(ctx context.Context, s *plan.Step) (any, error) {
	wanted, err := r.Bool(s.When, true)
	if err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	if !wanted {
		return nil, nil
	}
	if err := stop.Err(ctx); err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	r.Ran = true
	defer r.showLive(s.Name + ", " + s.Action)()
	key, err := r.Text(s.Lock)
	if err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	ctx, release, err := r.rt.locks.hold(ctx, key, r.Log)
	if err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	defer release()
	limit := time.Duration(0)
	if s.Until != nil || s.Streams {
		limit = defaultPollTimeout
	}
	if limit, err = r.Duration(s.Timeout, limit); err != nil {
		return nil, r.Stop(s, 1, actions.Refused, err)
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, overtime(limit, s))
		defer cancel()
		defer r.SetContext(r.SetContext(scope.BeforeSending(ctx)))
	}
	r.unfit = nil
	value, err := r.Owner.Send(ctx, s)
	if err == nil && !r.Undoing {
		err = r.unfit // its intent is settled, and the step fails nevertheless
	}
	if (r.Verb == plan.Delete || r.Undoing) && err != nil && StatusOf(err) == actions.Gone {
		if plan.AsksOfEarlier(s, before(r, s)) {
			r.Denied = fmt.Errorf("%w: %w", verdict.ErrUntold, err)
			return nil, nil // what an earlier step has begun is not known, which says nothing about the object
		}
		if r.Missed = true; errors.Is(err, verdict.ErrDenied) {
			r.Denied = err
		}
		return nil, nil // this object is gone already; the next element may not be
	}
	return value, err
}

// overtime returns the error of a step that took longer than its limit.
func overtime(limit time.Duration, s *plan.Step) error {
	what, option := "it", "the step's `timeout`"
	switch {
	case s.Streams:
		what = "the stream"
	case s.Until != nil:
		what = "the poll"
	}
	if s.Timeout == nil {
		option = "the default; give the step a `timeout` to wait longer"
	}
	return fmt.Errorf("%s took longer than %s (%s): %w", what, limit, option, context.DeadlineExceeded)
}

// Fork returns a run of another operation in the scope of r, without the names that belong to
// the operation of r: its steps and their responses.
func (r *Run) Fork(op *plan.Operation, v plan.Verb) *Run {
	f := *r
	f.Owner = nobody{&f}
	f.Operation, f.Verb, f.Progress = op, v, Progress{Effected: r.Effected}
	f.Undoing, f.At, f.Until = false, "", 0
	values := maps.Clone(r.Vars.Values)
	for _, name := range append([]string{"state", "changes", "each"}, plan.NamesOfResponses...) {
		delete(values, name)
	}
	vars := *r.Vars
	vars.Values = values
	f.Vars = &vars
	return &f
}
