// Package evaluate is the process that package build starts: it evaluates and
// compiles one spec, under limits, and answers. It alone pulls in CUE, which
// costs a process that only serves some milliseconds.
package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
)

// stackLimit is the most that one goroutine's stack may take in the child, so
// that a spec that nests endlessly ends before it is a matter of memory.
const stackLimit = 256 << 20

// gcPercent is how far the heap of the child may grow between collections. It
// lives for milliseconds, and evaluating 300 resources with it takes half the
// processor time of the default, for twice the memory. Near the limit the
// collector works harder by itself.
const gcPercent = 800

// Child is the whole of the hidden process: it reads a request, confines
// itself, evaluates and compiles the spec, and answers. A spec that is wrong is
// an answer, not an error. Allowed says which versions of declprov it works for.
func Child(ctx context.Context, allowed func(tool string) error, in io.Reader, out io.Writer) error {
	var req build.Request
	if err := json.NewDecoder(in).Decode(&req); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if err := allowed(req.Tool); err != nil {
		return (&build.Answer{Failure: err.Error()}).Write(out)
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMaxStack(stackLimit)
	if err := confine(req.Limits); err != nil {
		return err
	}
	return evaluate(ctx, req.Spec, req.Tool).Write(out)
}
