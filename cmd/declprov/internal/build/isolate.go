package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/declprov/declprov/spec/diag"
)

// codeTooCostly: evaluating the spec exceeds the limits of time or memory.
const codeTooCostly = "spec-too-costly"

// stderrLimit is the number of bytes that are kept of the child's standard error, which
// only has output if the child crashes.
const stderrLimit = 64 << 10

// inheritedVariables are the environment variables that the child inherits. A spec must
// not depend on others.
var inheritedVariables = []string{
	"SystemRoot", // Windows cannot start a process without it
	"GOCOVERDIR", // where tests collect coverage
}

// isolate evaluates a spec in a separate process with limits, because CUE's evaluator
// cannot be cancelled (cue-lang/cue issue 2489).
func isolate(ctx context.Context, executable string, req Request) (*Response, error) {
	spec, limits := req.Spec, req.Limits
	req.Linked = true
	input, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	timed, cancel := context.WithTimeout(ctx, limits.Wall)
	defer cancel()
	stdout := &cappedBuffer{limit: limits.Output, full: cancel}
	stderr := &cappedBuffer{limit: stderrLimit}
	cmd := exec.CommandContext(timed, executable, ChildCommand)
	cmd.Args[0] = "declprov" // this process may have the name of a provider
	cmd.Dir, cmd.Env = spec.Dir, childEnv()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	// The pipe stays open after the request. Its end tells the child that this process is gone.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s to evaluate %s: %w", cmd.Path, spec, err)
	}
	defer stdin.Close()
	cmd.WaitDelay = time.Second
	detach(cmd)

	// The kernel kills the child when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err = cmd.Start(); err == nil {
		go stdin.Write(input) // a child that does not read it ends with an error
		err = cmd.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case stdout.over:
		return tooCostly(spec, tooMuchOutput(limits)), nil
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return tooCostly(spec, tooLong(limits)), nil
	case err == nil:
		return parseResponse(stdout.kept.Bytes())
	}
	return explainFailure(spec, limits, cmd, err, stderr.kept.String())
}

func childEnv() []string {
	env := []string{"GOTRACEBACK=single"}
	for _, name := range inheritedVariables {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// noMemory matches the messages of Go's runtime if it cannot allocate memory for the
// heap, a thread or its own tables, and if a stack exceeds its limit.
var noMemory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`out of memory|cannot allocate memory|failed to create new OS thread|stack exceeds \d+-byte limit|cannot map pages|errno=12\b`)
})

// explainFailure returns why a child ended without a response.
func explainFailure(spec Spec, limits Limits, cmd *exec.Cmd, err error, stderr string) (*Response, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, fmt.Errorf("starting %s to evaluate %s: %w", cmd.Path, spec, err)
	}
	switch {
	case noMemory().MatchString(stderr):
		return tooCostly(spec, tooMuchMemory(limits)), nil
	case killedForCPU(exit.ProcessState, limits):
		return tooCostly(spec, tooMuchCPU(limits)), nil
	case killed(exit.ProcessState):
		return tooCostly(spec, "more memory or processor time than this machine allows"), nil
	}
	return nil, &CrashError{Spec: spec, Exit: exit.ProcessState.String(), Output: stderr}
}

// CrashError reports that evaluation crashed, which is a bug in declprov or in a library,
// not in the spec.
type CrashError struct {
	Spec Spec
	// Exit is the exit status of the process, Output the end of its standard error.
	Exit, Output string
}

func (e *CrashError) Error() string {
	first, _, _ := strings.Cut(strings.TrimSpace(e.Output), "\n")
	return fmt.Sprintf("evaluating %s crashed (%s): %s\nThis is a bug in declprov, not in your spec: please report it, with the spec. "+
		"DECLPROV_LOG=debug prints the trace.", e.Spec, e.Exit, first)
}

func tooCostly(spec Spec, limit exceededLimit) *Response {
	return &Response{Findings: diag.List{{
		Severity: diag.Error,
		Code:     codeTooCostly,
		Summary:  fmt.Sprintf("evaluating the spec took %s, and was stopped", limit),
		Detail: "A spec is evaluated once after each change, which should take milliseconds. Usual causes are a comprehension or list.Repeat that multiplies lists, " +
			"strings.Repeat with a huge result, or definitions each of which contains another one twice.\n" +
			"To find the cause, remove half of the spec and run vet again.",
		Subject: diag.Range{File: spec.Name()},
	}}}
}
