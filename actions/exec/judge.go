package exec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sys/process"
)

const (
	defaultGrace = 5 * time.Second
	mostKept     = 1 << 30
	// A message shows at most so much of the end of a command's output.
	messageBytes, messageLines = 2 << 10, 12
)

// judge determines the outcome of a command, by its exit and its output.
type judge struct {
	call    *actions.Call
	process *process.Command
	out     *output
	// title is the name of the command in messages: the program, without its arguments.
	title string
	opts  *outputOptions
	quiet bool // the command changes nothing
}

// outputOptions are the arguments about outcomes and output.
type outputOptions struct {
	Stdout    string           `arg:"stdout"`
	Returns   bool             `arg:"returns"`
	Effect    string           `arg:"effect"`
	Error     actions.LateExpr `arg:"error"`
	Log       string           `arg:"log"`
	MaxBytes  declare.Bytes    `arg:"maxBytes"`
	ExitCodes exitCodes        `arg:"exitCodes"`
}

// captureOutput connects the command's output to j.out.
func (j *judge) captureOutput() {
	kept := int(min(max(int64(j.opts.MaxBytes), tailSize), mostKept))
	j.out = &output{call: j.call}
	j.out.stdout = stream{out: j.out, limit: tailSize, last: true}
	if j.opts.Stdout != "none" && (j.call.Asks("stdout") || j.opts.Error != nil) {
		j.out.stdout = stream{out: j.out, limit: kept}
	}
	j.out.stderr = stream{out: j.out, limit: tailSize, last: true}
	if j.call.Asks("stderr") {
		j.out.stderr.limit = kept
	}
	j.selectShown()
	j.process.Stdout, j.process.Stderr = &j.out.stdout, &j.out.stderr
}

// selectShown decides which output is shown. By default, data is not shown, and neither is
// output that may contain a secret that is not known yet.
func (j *judge) selectShown() {
	log, given := j.opts.Log, j.opts.Log != ""
	data := j.opts.Stdout == "json" || j.opts.Stdout == "bytes" || len(j.call.Secrets) > 0
	if !given {
		if log = "both"; data || j.quiet {
			log = "stderr"
		}
	}
	stdout, stderr := &j.out.stdout, &j.out.stderr
	stdout.show, stderr.show = log == "both" || log == "stdout", log == "both" || log == "stderr"
	stdout.hidden, stderr.hidden = !stdout.show && (given || data), !stderr.show && given
}

// errorOutcome returns the outcome of a command that did not start, or whose end is not known.
func (j *judge) errorOutcome(err error) actions.Outcome {
	var start *process.StartError
	if !errors.As(err, &start) {
		return j.unknown("", fmt.Errorf("%s: %w", j.title, err))
	}
	switch {
	case errors.Is(err, syscall.E2BIG):
		err = errors.New("its arguments and environment are too long for this system: pass long values by stdin")
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s does not exist, or the interpreter in its first line does not", j.process.Path)
	case errors.Is(err, fs.ErrPermission) && j.process.Box != nil:
		err = fmt.Errorf("%s is not executable for this user, or its interpreter or loader is not granted: outside of the system's folders, "+
			"permissions.run must name its interpreter or loader, and permissions.read its libraries", j.process.Path)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%s is not executable for this user", j.process.Path)
	case errors.Is(err, syscall.ENOEXEC):
		err = fmt.Errorf("%s is not a program for this system; a script must begin with a line like #!/bin/sh", j.process.Path)
	}
	return actions.Refuse(fmt.Errorf("%s did not start: %w", j.title, err))
}

// trace reports the command, with its arguments, which others can see, too.
func (c *command) trace(ctx context.Context, began time.Time, exit process.Exit, err error) {
	if actions.TraceOf(ctx) == nil {
		return
	}
	const most = 200
	words := make([]string, len(c.process.Args))
	for i, word := range c.process.Args {
		if words[i] = actions.Clip(word, most); strings.ContainsAny(word, " \t\n\"'") || word == "" {
			words[i] = strconv.Quote(words[i])
		}
	}
	what, how := strings.Join(words, " "), fmt.Sprintf("exit code %d", exit.Code)
	if c.target != nil {
		what = "ssh " + c.args.SSH.Host + " " + what
	}
	switch {
	case err != nil:
		how = err.Error()
	case exit.Ended != nil:
		how = exit.Ended.Error()
	case exit.Signal != "":
		how = exit.Signal
	}
	actions.Trace(ctx, began, what, how)
}

// outcome returns the outcome of a command that was started and ended.
func (j *judge) outcome(exit process.Exit) actions.Outcome {
	switch {
	case exit.Ended != nil:
		return j.endedOutcome(exit)
	case exit.Signal != "":
		return j.unknown("", fmt.Errorf("%s was ended by %s%s", j.title, exit.Signal, j.message(exit)))
	}
	switch means := j.opts.ExitCodes.of(exit.Code); means {
	case meansGone:
		return j.missingOutcome(exit)
	case meansFailed, meansRefused:
		out := j.failed(strconv.Itoa(exit.Code), fmt.Errorf("%s ended with exit code %d%s%s", j.title, exit.Code, j.message(exit), j.sandboxHint(exit)))
		if means == meansRefused {
			out.Status = actions.Refused
		}
		if result, err := j.result(exit.Code); err == nil {
			out.Result = result // for `retry.if`
		}
		return out
	}
	result, err := j.result(exit.Code)
	if err != nil {
		return j.unknown("", fmt.Errorf("%s: %w", j.title, err)) // it ran, but its result cannot be read
	}
	return actions.Succeed(result)
}

// endedOutcome returns the outcome of a command that was ended early.
func (j *judge) endedOutcome(exit process.Exit) actions.Outcome {
	stuck := ""
	if exit.Stuck > 0 {
		stuck = fmt.Sprintf(", except for %d processes that could not be ended", exit.Stuck)
	}
	if errors.Is(exit.Ended, process.ErrTimeout) {
		return j.unknown("timeout", fmt.Errorf("%s took longer than its timeout of %s, and was ended%s%s", j.title, j.process.Timeout, stuck, j.message(exit)))
	}
	return j.unknown("timeout", fmt.Errorf("%s was ended%s: %w%s", j.title, stuck, exit.Ended, j.message(exit)))
}

// failed returns the outcome of a command that ran, and whose effect is incomplete.
func (j *judge) failed(class string, err error) actions.Outcome {
	return j.refuseIfQuiet(actions.Outcome{Status: actions.Failed, Class: class, Err: err})
}

// unknown returns the outcome of a command that was started, and whose effect is not known.
func (j *judge) unknown(class string, err error) actions.Outcome {
	return j.refuseIfQuiet(actions.Outcome{Status: actions.Unknown, Class: class, Err: err})
}

// refuseIfQuiet sets the status of a failed command that changes nothing to Refused.
func (j *judge) refuseIfQuiet(out actions.Outcome) actions.Outcome {
	if j.quiet {
		out.Status = actions.Refused
	}
	return out
}

// missingOutcome returns the outcome of an exit code that means that the object does not
// exist.
func (j *judge) missingOutcome(exit process.Exit) actions.Outcome {
	out := actions.Missing(fmt.Errorf("%s ended with exit code %d%s", j.title, exit.Code, j.message(exit)))
	out.Class = strconv.Itoa(exit.Code)
	return out
}

// message returns the end of an error message: the value of `error`, or else the end of the
// command's output.
func (j *judge) message(exit process.Exit) string {
	if late := j.opts.Error; late != nil {
		if v, err := late(j.lateValues(exit)); err == nil && v != nil {
			if text := j.masked(actions.MessageOf(v)); text != "" {
				return ": " + text
			}
		}
	}
	text := j.masked(j.out.stderr.end())
	if text == "" && !j.out.stdout.hidden {
		text = j.masked(j.out.stdout.end())
	}
	if text == "" {
		return ", without any output"
	}
	return ": " + text
}

// lateValues returns the values that a late expression may refer to; see lateScope.
func (j *judge) lateValues(exit process.Exit) map[string]any {
	stdout, err := j.decoded()
	if err != nil {
		stdout = strings.ToValidUTF8(string(j.out.stdout.bytes()), "\uFFFD")
	}
	if j.call.Adapt != nil {
		stdout = j.call.Adapt(stdout, actions.Data)
	}
	result := map[string]any{"exitCode": int64(exit.Code), "stdout": stdout, "stderr": j.stderr()}
	return map[string]any{"result": result, "exitCode": result["exitCode"], "stdout": stdout, "stderr": result["stderr"]}
}

// masked returns the last lines of a text for a message. Secrets are masked before anything
// is cut off, since half of a secret would not be recognized.
func (j *judge) masked(text string) string {
	text = strings.TrimSpace(j.out.visible(text))
	if len(text) > messageBytes {
		cut := len(text) - messageBytes
		for !utf8.RuneStart(text[cut]) {
			cut++
		}
		text = "…" + text[cut:]
	}
	if lines := strings.Split(text, "\n"); len(lines) > messageLines {
		text = "…\n" + strings.Join(lines[len(lines)-messageLines:], "\n")
	}
	return text
}
