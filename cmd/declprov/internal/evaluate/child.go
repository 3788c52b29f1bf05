// Package evaluate implements the child process that package build starts: it evaluates
// and compiles one spec, within limits, and writes a response. It is the only package
// here that imports CUE, which would slow the start of serving processes.
package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
)

// stackLimit is the maximum size of a goroutine's stack in the child, so that an endlessly
// nested spec fails before it exceeds the memory limit.
const stackLimit = 256 << 20

// gcPercent is the GOGC value of the child, which lives for milliseconds. Evaluating 300
// resources takes half the processor time of the default value, and twice the memory.
// Near the memory limit, the collector runs more often.
const gcPercent = 800

// Child runs the child process: it reads a request, sets its limits, evaluates and
// compiles the spec, and writes a response. Mistakes in the spec are part of the response,
// not an error. allowed returns an error for versions of declprov that it must not
// evaluate for.
func Child(ctx context.Context, allowed func(tool string) error, in io.Reader, out io.Writer) error {
	var req build.Request
	if err := json.NewDecoder(in).Decode(&req); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if err := allowed(req.Tool); err != nil {
		return (&build.Response{Failure: err.Error()}).Write(out)
	}
	if req.Linked {
		go exitAtEnd(in)
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMaxStack(stackLimit)
	if err := confine(req.Limits); err != nil {
		return err
	}
	return evaluate(ctx, req.Spec, req.Tool).Write(out)
}

// exitOrphaned is the exit code of a child whose parent is gone. Nobody reads it.
const exitOrphaned = 3

// exitAtEnd ends this process at the end of its input, because the process that waits for the
// response is gone. Nothing else can: an evaluation cannot be cancelled, and only the parent limits
// its time.
func exitAtEnd(in io.Reader) {
	_, _ = io.Copy(io.Discard, in) // an error means the same as the end
	os.Exit(exitOrphaned)
}
