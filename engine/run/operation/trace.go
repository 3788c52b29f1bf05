package operation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/screen"
)

// traced returns the context for a run of the step's action, and a function that reports the run
// unless its family has reported what the run consists of. Without a trace, both do nothing.
func (a *attempts) traced(ctx context.Context, call *actions.Call) (inner context.Context, done func(verdict.Verdict)) {
	trace := actions.TraceOf(ctx)
	if trace == nil {
		return ctx, func(verdict.Verdict) {}
	}
	var reported atomic.Bool
	show := func(e actions.Event) {
		reported.Store(true)
		e.Step = fmt.Sprintf("%s, %s", a.Verb, a.step.Name)
		e.What, e.How = a.line(e.What), a.line(e.How)
		trace(e)
	}
	began := time.Now()
	return actions.WithTrace(ctx, show), func(v verdict.Verdict) {
		if reported.Load() {
			return
		}
		how := v.Status.String()
		if v.Err != nil {
			how += ": " + v.Err.Error()
		}
		show(actions.Event{What: a.step.Action + " " + a.publicArguments(call), How: how, Took: time.Since(began)})
	}
}

// line returns a text as a line without secrets.
func (a *attempts) line(text string) string { return screen.Show(text, a.Mask()).Line().String() }

// publicArguments returns the arguments of a call that may not contain secrets, such as paths.
func (a *attempts) publicArguments(call *actions.Call) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(call.Args)) {
		arg := a.step.Kind.Arg(name)
		if arg == nil || !arg.Exposed || call.Args[name] == nil || call.SourceOf(name) != actions.Own {
			continue
		}
		text, err := actions.TextOf(call.Args[name])
		parts = append(parts, name+"="+cmp.Or(map[bool]string{true: "…"}[err != nil], text))
	}
	return strings.Join(parts, " ")
}
