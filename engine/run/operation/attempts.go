package operation

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/arguments"
	"github.com/declprov/declprov/engine/run/permit"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/expr"
)

// The defaults of `every` and `timeout`.
const (
	defaultEvery       = 5 * time.Second
	defaultPollTimeout = 20 * time.Minute
	DefaultListTimeout = 20 * time.Minute
)

// attempts are the attempts at a step.
type attempts struct {
	*Run
	step *plan.Step
	// doubt is true if an attempt, or an earlier run, may have done the step.
	doubt bool
	// half is true if an attempt failed: what it did stays, also if a later one is refused.
	half bool
	// failures counts the consecutive attempts that were not done.
	failures int
}

// Attempts runs a step's action until it is done: it retries a failed attempt if that is safe
// and `retry` allows it, and polls until `until` is true. doubt is true if an earlier run may
// have done the step already.
func (r *Run) Attempts(ctx context.Context, s *plan.Step, doubt bool) (any, error) {
	a := &attempts{Run: r, step: s, doubt: doubt}
	for attempt := 1; ; attempt++ {
		if err := stop.Err(ctx); err != nil {
			return nil, r.Stop(s, attempt, a.judge().WithDoubt(actions.Refused, a.doubt), err)
		}
		r.Log.live.Attempt(attempt)
		v, err := a.send(ctx, attempt)
		if errors.Is(err, scope.ErrNotKnown) && r.Preview {
			return expr.Unknown{}, nil
		}
		if err != nil {
			return nil, r.Stop(s, attempt, a.judge().WithDoubt(actions.Refused, a.doubt), err)
		}
		r.Effect(s, v)
		switch {
		case v.Status == actions.Done && !v.Pending:
			a.noteDoubts(s, attempt, v)
			return v.Value, nil
		case v.Status == actions.Done:
			a.failures, a.doubt = 0, false
			if err := a.pause(ctx, v.After); err != nil {
				return nil, r.Stop(s, attempt, actions.Failed, err)
			}
			continue
		}
		found, err := a.repeat(ctx, attempt, &v)
		if found != nil || err != nil {
			return found, err
		}
	}
}

// noteDoubts keeps what speaks against an attempt that succeeded.
func (a *attempts) noteDoubts(s *plan.Step, attempt int, v verdict.Verdict) {
	if v.Idle != nil && !a.Undoing {
		if a.Idle == nil {
			a.Idle = map[int]error{}
		}
		a.Idle[s.Index] = a.Stop(s, attempt, actions.Refused, v.Idle)
	}
	if a.unfit = nil; v.Unfit != nil {
		a.unfit = a.Stop(s, attempt, actions.Failed, &verdict.UnfitError{Err: v.Unfit})
	}
}

// repeat decides whether the step is sent again after an attempt that was not done. It returns
// nil if it is, the result of the step if an earlier attempt turned out to have done it, and else
// the error of the step.
func (a *attempts) repeat(ctx context.Context, attempt int, v *verdict.Verdict) (found any, err error) {
	s := a.step
	a.doubt = a.doubt || v.Status == actions.Unknown
	// If an earlier attempt failed, a refusal of this one does not undo what that did.
	a.half = a.half || v.Status == actions.Failed
	if a.half && (v.Status == actions.Refused || v.Status == actions.Gone && a.Verb != plan.Delete && !a.Undoing) {
		v.Status = actions.Failed
	}
	a.failures++
	again, err := a.judge().Again(ctx, s, *v, a.failures, a.Owner.Certainty(s), a.Owner.CanLook(s))
	if again {
		var next Repeat
		next, err = a.Owner.BeforeRepeat(ctx, s, v.Status, a.doubt)
		if err == nil && next.Found != nil {
			return next.Found, nil
		}
		if err == nil && next.Gone {
			v.Status, v.Err = actions.Gone, verdict.ErrNotFound
		}
		again, a.doubt = next.Send, a.doubt && !next.Undone
	}
	if err == nil && again {
		return nil, nil
	}
	return nil, &StepError{
		Verb: string(a.Verb), Step: s.Name, Action: s.Action, Attempt: attempt, Place: a.Place(s.Model.Range),
		Err: errors.Join(v.Err, err), Status: a.judge().WithDoubt(v.Status, a.doubt), class: v.Class,
		Refused: v.Status == actions.Refused || v.Status == actions.Gone, Fails: v.Fails,
	}
}

// judge returns the judge of the run's attempts.
func (r *Run) judge() verdict.Judge {
	return verdict.Judge{Scope: &r.Scope, Deletes: r.Verb == plan.Delete || r.Undoing, Show: r.Log.Status}
}

// send runs the action of the step once, and judges the attempt.
func (a *attempts) send(ctx context.Context, attempt int) (verdict.Verdict, error) {
	s, known := a.step, len(a.Secrets.Values)
	call, err := a.call(ctx, attempt)
	if err != nil {
		return verdict.Verdict{}, err
	}
	secretSent := len(a.Secrets.Values) > known // a secret is among the arguments
	defer a.SetContext(a.SetContext(ctx))       // the response is evaluated even after a stop
	// Later templates may return as many values as this step may read.
	a.Vars.MaxValues = max(a.Vars.MaxValues, call.MaxValues())
	sendCtx, sent := stop.Sending(ctx, a.Log.To.Status, s.Effect)
	sendCtx, traced := a.traced(sendCtx, call)
	out := a.rt.runners.Run(sendCtx, s.Family, s.Kind, call)
	sent()
	if s.Effect == actions.Write {
		out = actions.Deliver(ctx, out)
	}
	v := a.judge().Of(s, out)
	traced(v)
	if out.Status == actions.Done {
		a.noteETag(out.ETag, out.ETagOf)
	}
	a.notePartial(s, out.Partial)
	a.noteTitle(s, out.Title)
	if secretSent && v.Status == actions.Done {
		a.markEchoes(v.Value)
	}
	return v, nil
}

// call returns the call of the step's action.
func (a *attempts) call(ctx context.Context, attempt int) (*actions.Call, error) {
	s := a.step
	env, err := permit.WithNamed(s, a.Env, a.Vars)
	if err != nil {
		return nil, err
	}
	call := &actions.Call{
		Env:        env,
		Written:    func(name string) bool { return s.Args[name].Node != nil },
		ETags:      a.knownETags(),
		Attempt:    attempt,
		Limit:      a.Limit,
		Values:     a.rt.Program.MaxValues(),
		Wants:      s.Needs,
		Secret:     func(text string) { a.Secrets.Values = append(a.Secrets.Values, text) },
		Mask:       func(text string) string { return a.Mask().Text(text) },
		Resembles:  func(text string) bool { return a.Mask().Resembles(text) },
		Unfinished: func(text string) int { return a.Mask().Unfinished(text) },
		Secrets:    slices.Concat(a.SecretNames, s.SecretNames),
		Progress: func(text string) {
			if ctx.Err() == nil {
				a.Log.Status(text)
			}
		},
		Log: func(text string, detail bool) {
			severity := Info
			if detail {
				severity = Debug
			}
			a.Log.Message(severity, text)
		},
	}
	if s.Streams {
		call.Until = s.Until != nil
		call.Event = func(out actions.Outcome) bool {
			v := a.judge().Of(s, out)
			return v.Status == actions.Done && v.Unfit == nil && (v.Pending || s.Until == nil)
		}
	}
	a.Owner.Sign(call, s)
	if s.Returns {
		call.Receive = func(v any, form actions.Form) (any, error) { return s.ResultNaming.Receive(v, s.Yield, form) }
		call.Adapt, call.WithDictionaries = s.ResultNaming.Adapt, s.ResultNaming.WithDictionaries
	}
	return call, arguments.Evaluate(&a.Scope, s, call)
}

// noteETag keeps the ETag of a response; `ifMatch: true` sends it with the next change of what has that address. What a
// read has requested is the resource. A change requests other objects, too, before it sends anything.
func (a *attempts) noteETag(etag, of string) {
	if a.Resource == nil || !a.Resource.Conditional {
		return // no step uses it
	}
	switch {
	case a.step.Effect == actions.Write:
		a.ETags, a.Untagged = a.ETags.With(of, etag), a.Untagged || etag == ""
	case etag == "" || a.Verb == plan.List:
	case a.Verb == plan.Read || a.ETags.Has(of) || a.Verb == plan.Create && a.step == plan.Last(a.Operation.Steps): // of the object that was made
		a.ETags = a.ETags.With(of, etag)
	default:
		a.others = a.others.With(of, etag)
	}
}

// knownETags returns the ETags that a change may send. Those of other objects only count for these, unless there is no
// other.
func (a *attempts) knownETags() actions.ETags {
	if a.others == "" || a.ETags == "" {
		return a.ETags + a.others
	}
	return a.others + "\n" + a.ETags
}

// markEchoes marks result members that echo a secret argument (Kind.Echoes) as secret.
func (a *attempts) markEchoes(result any) {
	members, _ := result.(map[string]any)
	for _, name := range a.step.Kind.Echoes {
		if v := members[name]; v != nil {
			a.Secrets.AddPlain(v)
		}
	}
}

// pause waits before the next attempt of a poll: for `every`, or for as long as the server
// asked, whichever is longer.
func (a *attempts) pause(ctx context.Context, asked time.Duration) error {
	every, err := a.Duration(a.step.Every, defaultEvery)
	if err != nil {
		return err
	}
	return stop.Wait(ctx, max(every, asked))
}
