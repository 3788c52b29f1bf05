package run

import (
	"context"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/arguments"
	"github.com/declprov/declprov/engine/run/permit"
)

// call returns the call of a step's action.
func (r *Run) call(ctx context.Context, s *plan.Step, attempt int) (*actions.Call, error) {
	env, err := permit.WithNamed(s, r.env, r.Vars)
	if err != nil {
		return nil, err
	}
	key := ""
	if r.sending != nil {
		key = r.sending.intent.Key
	}
	call := &actions.Call{
		Env:        env,
		Written:    func(name string) bool { return s.Args[name].Node != nil },
		Key:        key,
		Mark:       r.markOf(s),
		ETag:       r.ETag,
		Attempt:    attempt,
		Limit:      r.Limit,
		Values:     r.rt.program.MaxValues(),
		Wants:      s.Needs,
		Secret:     func(text string) { r.Secrets.Values = append(r.Secrets.Values, text) },
		Mask:       func(text string) string { return r.Mask().Text(text) },
		Unfinished: func(text string) int { return r.Mask().Unfinished(text) },
		Secrets:    slices.Concat(r.SecretNames, s.SecretNames),
		Progress: func(text string) {
			if ctx.Err() == nil {
				r.Log.Status(text)
			}
		},
		Log: func(text string, detail bool) {
			severity := Info
			if detail {
				severity = Debug
			}
			r.Log.Message(severity, text)
		},
	}
	if s.Returns {
		call.Receive = func(v any, form actions.Form) (any, error) { return s.ResultNaming.Receive(v, s.Yield, form) }
		call.Adapt = s.ResultNaming.Adapt
	}
	return call, arguments.Evaluate(&r.Scope, s, call)
}

// noteETag keeps the ETag of a response about the resource; `ifMatch: true` sends it with the
// next change (RFC 9110, 8.8.3). A change without an ETag in its response drops the old one.
func (r *Run) noteETag(s *plan.Step, etag string) {
	if r.res == nil || !r.res.Conditional {
		return // no step uses it
	}
	switch {
	case etag != "" && r.Verb != plan.List:
		r.ETag = etag
	case s.Effect == actions.Write:
		r.ETag = ""
	}
}

// markEchoes marks result members that echo a secret argument (Kind.Echoes) as
// secret.
func (r *Run) markEchoes(s *plan.Step, result any) {
	members, _ := result.(map[string]any)
	for _, name := range s.Kind.Echoes {
		if v := members[name]; v != nil {
			r.Secrets.AddPlain(v)
		}
	}
}
