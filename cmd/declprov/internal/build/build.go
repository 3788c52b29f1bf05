// Package build is the one way from a spec to its compiled form. vet, and
// every process that serves, go it; so what is served has passed vet.
//
// A spec is somebody else's code, and CUE can be made to compute for ever or to
// ask for all memory there is. It is therefore evaluated in a process of its
// own, which the limits of the operating system hold: this same binary, started
// with a hidden argument (package evaluate), in an empty environment (isolate.go). What
// comes out is kept by content, so that a process that serves an unchanged spec
// evaluates nothing.
package build

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// Builder builds specs.
type Builder struct {
	// Executable is the binary that becomes the child; "" is this one.
	Executable string
	// Tool names this version of declprov. A compiled spec of another version
	// is built again.
	Tool string
	// Cache keeps compiled specs; its zero value keeps none.
	Cache  container.Cache
	Limits Limits
	Log    *slog.Logger
}

// Built is what became of a spec.
type Built struct {
	Findings diag.List
	Sources  diag.Sources
	// Unchecked are notes of the accesses to untyped answers.
	Unchecked diag.List
	// Container is the compiled spec, nil where the findings have errors.
	Container []byte
}

// Mistakes is the error of a spec that does not pass vet.
type Mistakes struct {
	Findings diag.List
	Sources  diag.Sources
}

func (m *Mistakes) Error() string { return m.Findings.Tally() }

// Evaluate builds a spec whatever the cache has, and keeps the result there.
// The mistakes of the spec are findings; the error is the world's.
func (b *Builder) Evaluate(ctx context.Context, s Spec) (*Built, error) {
	executable := b.Executable
	if executable == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("this binary, which evaluates specs, is not to be found: %w", err)
		}
		executable = self
	}
	begun := time.Now()
	a, err := isolate(ctx, executable, Request{Spec: s, Tool: b.Tool, Limits: b.Limits})
	b.logEvaluation(s, a, err, time.Since(begun))
	if err != nil {
		return nil, err
	}
	if a.Failure != "" {
		return nil, fmt.Errorf("evaluating %s: %s", s, a.Failure)
	}
	if a.Container != nil {
		b.keep(s, a.Container, begun)
	}
	return &Built{Findings: a.Findings, Sources: a.Sources, Unchecked: a.Unchecked, Container: a.Container}, nil
}

func (b *Builder) logEvaluation(s Spec, a *Answer, err error, took time.Duration) {
	attrs := []any{"spec", s.Name(), "took", took.Round(time.Microsecond)}
	var crash *CrashError
	switch {
	case errors.As(err, &crash):
		attrs = append(attrs, "exit", crash.Exit, "output", crash.Output)
	case err != nil:
		attrs = append(attrs, "error", err)
	default:
		attrs = append(attrs, "findings", len(a.Findings), "bytes", len(a.Container))
	}
	b.Log.Debug("evaluated a spec", attrs...)
}

// Open gives the compiled form of a spec: from the cache, else by evaluating
// it. A spec with mistakes is the error *Mistakes. The caller closes it.
func (b *Builder) Open(ctx context.Context, s Spec) (*container.Container, error) {
	if c := b.recall(s); c != nil {
		return c, nil
	}
	built, err := b.Evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	if built.Container == nil {
		return nil, &Mistakes{Findings: built.Findings, Sources: built.Sources}
	}
	return container.OpenBytes(built.Container)
}
