// Package build compiles specs. Both vet and every process that serves a provider use
// it, so every spec that is served has passed vet.
//
// A spec is untrusted code, and evaluating CUE may take unlimited time and memory. So it
// is evaluated in a separate process with the limits of the operating system: the same
// binary, started with a hidden argument (package evaluate), in an empty environment
// (isolate.go). The result is cached, so that a process that serves an unchanged spec
// does not evaluate it again.
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

// Builder compiles specs.
type Builder struct {
	// Executable is the binary of the child process; "" is this one.
	Executable string
	// Tool identifies this version of declprov. A spec that another version compiled is
	// compiled again.
	Tool string
	// Cache stores compiled specs; its zero value stores none.
	Cache  container.Cache
	Limits Limits
	Log    *slog.Logger
}

// Built is the result of compiling a spec.
type Built struct {
	Findings diag.List
	Sources  diag.Sources
	// Unchecked are notes about accesses to untyped responses.
	Unchecked diag.List
	// Container is the compiled spec, nil if the findings have errors.
	Container []byte
}

// Mistakes reports that a spec does not pass vet.
type Mistakes struct {
	Findings diag.List
	Sources  diag.Sources
}

func (m *Mistakes) Error() string { return m.Findings.Tally() }

// Evaluate compiles a spec, even if it is in the cache, and stores the result there.
// Mistakes in the spec are findings, not an error.
func (b *Builder) Evaluate(ctx context.Context, s Spec) (*Built, error) {
	executable := b.Executable
	if executable == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("cannot find this binary, which evaluates specs: %w", err)
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
	if a.Container != nil && len(s.Replaced) == 0 {
		b.store(s, a.Container, begun)
	}
	return &Built{Findings: a.Findings, Sources: a.Sources, Unchecked: a.Unchecked, Container: a.Container}, nil
}

func (b *Builder) logEvaluation(s Spec, a *Response, err error, took time.Duration) {
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

// Open returns the compiled form of a spec, from the cache or by evaluating it. If the
// spec has mistakes, it returns *Mistakes. The caller closes the container.
func (b *Builder) Open(ctx context.Context, s Spec) (*container.Container, error) {
	if c := b.lookup(s); c != nil {
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
