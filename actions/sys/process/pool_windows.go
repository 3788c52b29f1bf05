package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"golang.org/x/sys/windows"
)

// Pool runs commands, each in its own job object. The kernel ends all processes in a job when
// the last handle to it closes, so no supervisor is needed. A process that a command starts
// before the command is assigned to its job is not in it. Windows has no SIGTERM, so a
// command is ended without a grace period.
type Pool struct{}

// Run runs a command to its end. It returns a *StartError if the command did not start, and
// another error if it is not known how it ended.
func (*Pool) Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{}, &StartError{Err: context.Cause(ctx)}
	}
	job, err := newJob()
	if err != nil {
		return Exit{}, notStarted("create a job object for the command: %w", err)
	}
	defer windows.CloseHandle(job)
	cmd := &exec.Cmd{
		Path: c.Path, Args: c.Args, Env: c.Env, Dir: c.Dir,
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, WaitDelay: outputDelay,
	}
	if err := cmd.Start(); err != nil {
		return Exit{}, &StartError{Err: err}
	}
	if err := assign(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return Exit{}, fmt.Errorf("the command was ended, because it could not be assigned to a job object: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	exit := Exit{}
	limited, stop := c.WithTimeout(ctx)
	defer stop()
	select {
	case err = <-ended:
		// Processes that it left running in the background keep running.
		_ = limit(job, 0)
	case <-limited.Done():
		exit.Ended = context.Cause(limited)
	}
	if exit.Ended != nil {
		_ = windows.TerminateJobObject(job, 1)
		err = <-ended
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, exec.ErrWaitDelay) {
		return exit, err
	}
	exit.Code = cmd.ProcessState.ExitCode()
	return exit, nil
}
