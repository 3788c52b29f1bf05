package main

import (
	"context"
	"errors"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/spec/container"
)

// loadCompiled returns the compiled form of the spec that an argument names. It prints
// the mistakes of the spec.
func (a *app) loadCompiled(ctx context.Context, path string) (*container.Container, error) {
	spec, err := a.spec(path, "cue")
	if err != nil {
		return nil, err
	}
	stop := a.showEvaluation(spec)
	c, err := a.builder().Open(ctx, spec)
	stop()
	var mistakes *build.Mistakes
	if errors.As(err, &mistakes) {
		if err := serving.WriteMistakes(a.err, mistakes, terminal.Colors(a.err, a.color)); err != nil {
			return nil, err
		}
		return nil, reportedError{exitFindings}
	}
	return c, err
}
