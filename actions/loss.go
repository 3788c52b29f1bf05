package actions

import (
	"context"
	"errors"
)

// lossKey is the key of the function that decides which responses of a context are lost.
type lossKey struct{}

// WithLoss returns a context in which the engine loses the response of a run that had an effect if
// lose returns true: as if the connection had ended after the effect. It is for trials. lose must be
// safe for concurrent use.
func WithLoss(ctx context.Context, lose func() bool) context.Context {
	return context.WithValue(ctx, lossKey{}, lose)
}

// Deliver returns the outcome of a run with an effect, or the one of a lost response.
func Deliver(ctx context.Context, out Outcome) Outcome {
	lose, _ := ctx.Value(lossKey{}).(func() bool)
	if lose == nil || out.Status != Done || !lose() {
		return out
	}
	return Outcome{Status: Unknown, Class: "connection", Err: errors.New("the response is lost on purpose; it is not known whether the step had an effect")}
}
