// Package process has the programs that an action may run, and runs commands on this
// machine, each below a supervisor (see
// package supervisor) that ends all that it has started: when its time is up, when the
// caller no longer wants it, and when this process dies, however it does.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// Command is what to run. Nothing of it is looked up, and nothing inherited.
type Command struct {
	// Path is the program, absolute. Args are its arguments, from its own name
	// on, Env its whole environment, Dir the folder where it starts.
	Path, Dir string
	Args, Env []string
	// Stdin is read to its end, or until the command reads no more; nil is empty.
	Stdin io.Reader
	// Stdout and Stderr get what it writes, as it comes, each from a goroutine of
	// its own; nil is nobody. What they return is not looked at.
	Stdout, Stderr io.Writer
	// Timeout is how long it may take; 0 is as long as the context.
	Timeout time.Duration
	// Grace is how long it has from TERM to KILL, when it is ended.
	Grace time.Duration
	// Box is the sandbox that it runs in, or nil.
	Box *sandbox.Box
	// Scratch are folders that were made for it. They are the caller's to remove,
	// and on Unix its supervisor's where this process dies before.
	Scratch []string
}

// Exit is how a command ended that was started.
type Exit struct {
	// Code is its exit code, -1 where a signal ended it.
	Code int
	// Signal is the name of that signal, such as "SIGKILL", or "".
	Signal string
	// Ended is why it was ended before it was done, or nil: ErrTimeout, or the
	// cause of the context's end.
	Ended error
	// Stuck is how many of its processes could not be ended.
	Stuck int
}

// ErrTimeout is the reason of a command that took longer than its Timeout.
var ErrTimeout = errors.New("it took too long")

// StartError is the error of a command that did not start: nothing was done.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap is the reason.
func (e *StartError) Unwrap() error { return e.Err }

func notStarted(format string, args ...any) error {
	return &StartError{Err: fmt.Errorf(format, args...)}
}

// outputDelay is how long a command's output is read after its end, for what it
// has left running may hold it open.
const outputDelay = time.Second

// CancelGrace bounds Grace where the context ends: a host that cancels does not
// wait for long. A supervisor keeps to Grace without this process.
const CancelGrace = 3 * time.Second

// Limited is the context that ends with the command's time, too: its cause is then
// ErrTimeout. Stop lets go of it.
func (c *Command) Limited(ctx context.Context) (limited context.Context, stop func()) {
	if c.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.Timeout, ErrTimeout)
}
