package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"unsafe"

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

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	if err := limit(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

func limit(job windows.Handle, flags uint32) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}
