package actions

import (
	"context"
	"errors"
)

// lookKey is the key of the Look of a context.
type lookKey struct{}

// Look is a create that only looks whether its object exists, for trials: before anything is sent, it ends with ErrLooked.
type Look struct {
	// Asked reports whether `find` was asked, and Found whether it found anything.
	Asked, Found bool
}

// ErrLooked is the error of a create that only looks.
var ErrLooked = errors.New("nothing is sent, because this create only looks whether the object exists")

// WithLook returns a context in which a create only looks.
func WithLook(ctx context.Context, l *Look) context.Context {
	return context.WithValue(ctx, lookKey{}, l)
}

// LookOf returns the Look of a context, or nil.
func LookOf(ctx context.Context) *Look {
	l, _ := ctx.Value(lookKey{}).(*Look)
	return l
}
