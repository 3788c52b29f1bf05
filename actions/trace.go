package actions

import (
	"context"
	"time"
)

// Event is something that a run of an action has done: a request, a command, an operation on a
// file. It contains no secret that the engine knows of.
type Event struct {
	// Step names the operation and the step. The engine sets it.
	Step string
	// What was done ("GET https://…"), and how it ended ("200 OK").
	What, How string
	Took      time.Duration
}

// traceKey is the key of the function that receives the events of a context.
type traceKey struct{}

// WithTrace returns a context whose events f receives. It must be safe for concurrent use.
func WithTrace(ctx context.Context, f func(Event)) context.Context {
	return context.WithValue(ctx, traceKey{}, f)
}

// TraceOf returns the function that receives the events of a context, or nil.
func TraceOf(ctx context.Context) func(Event) {
	f, _ := ctx.Value(traceKey{}).(func(Event))
	return f
}

// Trace reports what a run did since it began. A family whose runs consist of several parts,
// such as requests, reports each of them; the engine reports the runs of others.
func Trace(ctx context.Context, began time.Time, what, how string) {
	if f := TraceOf(ctx); f != nil {
		f(Event{What: what, How: how, Took: time.Since(began)})
	}
}
