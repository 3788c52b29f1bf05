// Package process finds the programs that an action may run, and runs commands on this
// machine. Each command runs under a supervisor (see package supervisor), which ends the
// command and all its descendants on timeout, on cancellation, and when this process dies.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// Command is a command to run. Its program is not looked up, and it inherits no variables.
type Command struct {
	// Path is the absolute path of the program. Args are its arguments, beginning with its
	// name. Env is its whole environment, Dir its working directory.
	Path, Dir string
	Args, Env []string
	// Stdin is read to its end, or until the command stops reading; nil means empty.
	Stdin io.Reader
	// Stdout and Stderr receive the output as it arrives, each in its own goroutine; nil
	// discards it. Errors of Write are ignored.
	Stdout, Stderr io.Writer
	// Timeout is the maximum duration; 0 means no limit but the context.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL.
	Grace time.Duration
	// Box is the sandbox that it runs in, or nil.
	Box *sandbox.Box
	// Scratch are folders that were made for the command. The caller removes them; on Unix,
	// the supervisor removes them if this process dies first.
	Scratch []string
}

// Exit is the end of a command that was started.
type Exit struct {
	// Code is the exit code, or -1 if a signal ended the command.
	Code int
	// Signal is the name of that signal, such as "SIGKILL", or "".
	Signal string
	// Ended is the reason why the command was ended early, or nil: ErrTimeout, or the cause
	// of the context.
	Ended error
	// Stuck is the number of its processes that could not be ended.
	Stuck int
}

// ErrTimeout says that a command took longer than its Timeout.
var ErrTimeout = errors.New("timed out")

// StartError reports that a command did not start, so it had no effect.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

func notStarted(format string, args ...any) error {
	return &StartError{Err: fmt.Errorf(format, args...)}
}

// outputDelay is how long the output is read after the end of a command. Processes that it
// left running may hold the output open.
const outputDelay = time.Second

// CancelGrace is the maximum Grace after a cancellation, since a host that cancels does not
// wait for long. A supervisor whose provider died uses Grace.
const CancelGrace = 3 * time.Second

// WithTimeout returns a context that also ends after the command's Timeout, with the cause
// ErrTimeout. The caller calls stop to release it.
func (c *Command) WithTimeout(ctx context.Context) (limited context.Context, stop func()) {
	if c.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.Timeout, ErrTimeout)
}
