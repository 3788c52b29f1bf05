package exec

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
	// said is how much of what a command wrote a message shows: the last lines.
	saidBytes, saidLines = 2 << 10, 12
)

// judge says what comes of a command, by its end and by what it wrote.
type judge struct {
	call    *actions.Call
	process *process.Command
	out     *output
	// title is how messages name the command: the program, without what is in its
	// arguments.
	title string
	// given is what the arguments say of outcomes and output.
	given *judging
	quiet bool // it changes nothing
}

// judging are the arguments that say what comes of a command, and what its output is.
type judging struct {
	Stdout    string           `arg:"stdout"`
	Returns   bool             `arg:"returns"`
	Effect    string           `arg:"effect"`
	Error     actions.LateExpr `arg:"error"`
	Log       string           `arg:"log"`
	MaxBytes  declare.Bytes    `arg:"maxBytes"`
	ExitCodes struct {
		OK      []int `arg:"ok"`
		Gone    []int `arg:"gone"`
		Refused []int `arg:"refused"`
	} `arg:"exitCodes"`
}

// listen makes what takes the command's output.
func (j *judge) listen() {
	kept := int(min(max(int64(j.given.MaxBytes), tailSize), mostKept))
	j.out = &output{call: j.call}
	j.out.stdout = stream{out: j.out, limit: tailSize, last: true}
	if j.given.Stdout != "none" && (j.call.Asks("stdout") || j.given.Error != nil) {
		j.out.stdout = stream{out: j.out, limit: kept}
	}
	j.out.stderr = stream{out: j.out, limit: tailSize, last: true}
	if j.call.Asks("stderr") {
		j.out.stderr.limit = kept
	}
	j.shown()
	j.process.Stdout, j.process.Stderr = &j.out.stdout, &j.out.stderr
}

// shown says which of the output is shown. Where the author does not say: what may
// hold a secret that nobody knows yet, and data, is not.
func (j *judge) shown() {
	log, given := j.given.Log, j.given.Log != ""
	data := j.given.Stdout == "json" || j.given.Stdout == "bytes" || len(j.call.Secrets) > 0
	if !given {
		if log = "both"; data || j.quiet {
			log = "stderr"
		}
	}
	stdout, stderr := &j.out.stdout, &j.out.stderr
	stdout.show, stderr.show = log == "both" || log == "stdout", log == "both" || log == "stderr"
	stdout.hidden, stderr.hidden = !stdout.show && (given || data), !stderr.show && given
}

// broken is the outcome of a command that did not start, or of which nobody knows
// how it ended.
func (j *judge) broken(err error) actions.Outcome {
	var start *process.StartError
	if !errors.As(err, &start) {
		return j.unknown("", fmt.Errorf("%s: %w", j.title, err))
	}
	switch {
	case errors.Is(err, syscall.E2BIG):
		err = errors.New("its arguments and environment are longer than this system takes: pass what is long by stdin")
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("there is no %s, or not the interpreter that it names in its first line", j.process.Path)
	case errors.Is(err, fs.ErrPermission) && j.process.Box != nil:
		err = fmt.Errorf("%s is not executable for this user, or what loads it is not granted: outside of the system's folders, "+
			"permissions.run has to name its interpreter or loader, and permissions.read its libraries", j.process.Path)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%s is not executable for this user", j.process.Path)
	case errors.Is(err, syscall.ENOEXEC):
		err = fmt.Errorf("%s is no program of this system: a script begins with a line like #!/bin/sh", j.process.Path)
	}
	return actions.Refuse(fmt.Errorf("%s did not start: %w", j.title, err))
}

// outcome says what the command's end means.
func (j *judge) outcome(exit process.Exit) actions.Outcome {
	switch {
	case exit.Ended != nil:
		return j.ended(exit)
	case exit.Signal != "":
		return j.unknown("", fmt.Errorf("%s was ended by %s%s", j.title, exit.Signal, j.said(exit)))
	case slices.Contains(j.given.ExitCodes.Gone, exit.Code):
		return j.missing(exit)
	case !slices.Contains(j.given.ExitCodes.OK, exit.Code):
		out := j.failed(strconv.Itoa(exit.Code), fmt.Errorf("%s ended with exit code %d%s%s", j.title, exit.Code, j.said(exit), j.suspect(exit)))
		if slices.Contains(j.given.ExitCodes.Refused, exit.Code) {
			out.Status = actions.Refused
		}
		if result, err := j.result(exit.Code); err == nil {
			out.Result = result // for `retry.if`
		}
		return out
	}
	result, err := j.result(exit.Code)
	if err != nil {
		return j.unknown("", fmt.Errorf("%s: %w", j.title, err)) // it ran, and what it made cannot be told
	}
	return actions.Succeed(result)
}

// ended is the outcome of a command that was ended before it was done.
func (j *judge) ended(exit process.Exit) actions.Outcome {
	stuck := ""
	if exit.Stuck > 0 {
		stuck = fmt.Sprintf(", but for %d processes that cannot be ended", exit.Stuck)
	}
	if errors.Is(exit.Ended, process.ErrTimeout) {
		return j.unknown("timeout", fmt.Errorf("%s took longer than its timeout of %s, and was ended%s%s", j.title, j.process.Timeout, stuck, j.said(exit)))
	}
	return j.unknown("timeout", fmt.Errorf("%s was ended%s: %w%s", j.title, stuck, exit.Ended, j.said(exit)))
}

// failed is the outcome of a command that ran, and did not do what it should.
func (j *judge) failed(class string, err error) actions.Outcome {
	return j.settled(actions.Outcome{Status: actions.Failed, Class: class, Err: err})
}

// unknown is the outcome of a command that was started, and of which nobody
// knows what it did. Another attempt may succeed, where it may be made.
func (j *judge) unknown(class string, err error) actions.Outcome {
	return j.settled(actions.Outcome{Status: actions.Unknown, Class: class, Err: err})
}

// settled makes a failure of what changes nothing one that changed nothing.
func (j *judge) settled(out actions.Outcome) actions.Outcome {
	if j.quiet {
		out.Status = actions.Refused
	}
	return out
}

func (j *judge) missing(exit process.Exit) actions.Outcome {
	out := actions.Missing(fmt.Errorf("%s ended with exit code %d%s", j.title, exit.Code, j.said(exit)))
	out.Class = strconv.Itoa(exit.Code)
	return out
}

// said is the command's own message: what `error` finds, else the end of what it
// wrote.
func (j *judge) said(exit process.Exit) string {
	if late := j.given.Error; late != nil {
		if v, err := late(j.known(exit)); err == nil && v != nil {
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
		return ", and said nothing"
	}
	return ": " + text
}

// known are the names that a late expression sees.
func (j *judge) known(exit process.Exit) map[string]any {
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

// masked is text for a message: its last lines. Secrets go before anything is cut
// off, for no half of a secret is known as one.
func (j *judge) masked(text string) string {
	text = strings.TrimSpace(j.out.visible(text))
	if len(text) > saidBytes {
		cut := len(text) - saidBytes
		for !utf8.RuneStart(text[cut]) {
			cut++
		}
		text = "…" + text[cut:]
	}
	if lines := strings.Split(text, "\n"); len(lines) > saidLines {
		text = "…\n" + strings.Join(lines[len(lines)-saidLines:], "\n")
	}
	return text
}
