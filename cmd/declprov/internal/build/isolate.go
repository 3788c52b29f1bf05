package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/declprov/declprov/spec/diag"
)

// codeTooCostly: evaluating the spec takes more time or memory than any should.
const codeTooCostly = "spec-too-costly"

// stderrLimit is how much of what the child says on its standard error is kept:
// it speaks there only when it crashes.
const stderrLimit = 64 << 10

// inherited are the variables that the child gets from this process's
// environment; nothing else of it is the spec's business.
var inherited = []string{
	"SystemRoot", // without it, Windows starts no process
	"GOCOVERDIR", // where tests collect coverage
}

// isolate evaluates a spec in a process of its own, under limits that hold
// whatever the spec does: CUE's evaluator cannot be cancelled from within
// (cue-lang/cue issue 2489).
func isolate(ctx context.Context, executable string, req Request) (*Answer, error) {
	spec, limits := req.Spec, req.Limits
	input, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	timed, cancel := context.WithTimeout(ctx, limits.Wall)
	defer cancel()
	stdout := &capped{limit: limits.Output, full: cancel}
	stderr := &capped{limit: stderrLimit}
	cmd := exec.CommandContext(timed, executable, ChildCommand)
	cmd.Args[0] = "declprov" // whatever name this process goes by
	cmd.Dir, cmd.Env = spec.Dir, childEnv()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), stdout, stderr
	cmd.WaitDelay = time.Second
	detach(cmd)

	// The child dies with the thread that started it, so that thread is kept.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case stdout.over:
		return tooCostly(spec, tooMuchOutput(limits)), nil
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return tooCostly(spec, tooLong(limits)), nil
	case err == nil:
		return parseAnswer(stdout.kept.Bytes())
	}
	return explain(spec, limits, cmd, err, stderr.kept.String())
}

func childEnv() []string {
	env := []string{"GOTRACEBACK=single"}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// noMemory matches what Go's runtime says when the system gives it none: for
// the heap, for a thread, for its own tables; and for a stack past its limit.
var noMemory = regexp.MustCompile(`out of memory|cannot allocate memory|failed to create new OS thread|stack exceeds \d+-byte limit|cannot map pages|errno=12\b`)

// explain says why a child ended without an answer.
func explain(spec Spec, limits Limits, cmd *exec.Cmd, err error, stderr string) (*Answer, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, fmt.Errorf("starting %s to evaluate %s: %w", cmd.Path, spec, err)
	}
	switch {
	case noMemory.MatchString(stderr):
		return tooCostly(spec, tooMuchMemory(limits)), nil
	case killedForCPU(exit.ProcessState, limits):
		return tooCostly(spec, tooMuchCPU(limits)), nil
	case killed(exit.ProcessState):
		return tooCostly(spec, "more memory or processor time than this machine allows"), nil
	}
	return nil, &CrashError{Spec: spec, Exit: exit.ProcessState.String(), Output: stderr}
}

// CrashError says that evaluation ended in a way that no spec should bring
// about: a bug of declprov's, or of a library's.
type CrashError struct {
	Spec Spec
	// Exit is how the process ended, Output what it said last.
	Exit, Output string
}

func (e *CrashError) Error() string {
	first, _, _ := strings.Cut(strings.TrimSpace(e.Output), "\n")
	return fmt.Sprintf("evaluating %s crashed (%s): %s\nThis is a bug in declprov, not in your spec: please report it, with the spec. "+
		"DECLPROV_LOG=debug shows the trace.", e.Spec, e.Exit, first)
}

func tooCostly(spec Spec, limit exceeded) *Answer {
	return &Answer{Findings: diag.List{{
		Severity: diag.Error,
		Code:     codeTooCostly,
		Summary:  fmt.Sprintf("evaluating the spec took %s, and was stopped", limit),
		Detail: "A spec is evaluated once, when it changes, and should take milliseconds. Usually a comprehension or list.Repeat multiplies lists, " +
			"strings.Repeat builds a huge text, or definitions refer to each other so that each doubles the one before.\n" +
			"Take out half of the spec, run vet again, and so narrow it down.",
		Subject: diag.Range{File: spec.Name()},
	}}}
}
