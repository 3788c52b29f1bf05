package exec

import (
	"encoding/json"
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

// listen makes what takes the command's output.
func (c *command) listen() error {
	var err error
	if c.limit, err = declare.MaxBytesOf(c.call.Args["maxBytes"]); err != nil {
		return err
	}
	c.values = c.call.MaxValues()
	kept := int(min(max(c.limit, tailSize), mostKept))
	c.out = &output{call: c.call}
	c.out.stdout = stream{out: c.out, limit: tailSize, last: true}
	if c.form != "none" && (c.wants("stdout") || c.call.Late["error"] != nil) {
		c.out.stdout = stream{out: c.out, limit: kept}
	}
	c.out.stderr = stream{out: c.out, limit: tailSize, last: true}
	if c.wants("stderr") {
		c.out.stderr.limit = kept
	}
	c.shown()
	c.process.Stdout, c.process.Stderr = &c.out.stdout, &c.out.stderr
	return nil
}

// shown says which of the output is shown. Where the author does not say: what may
// hold a secret that nobody knows yet, and data, is not.
func (c *command) shown() {
	log, given := c.call.Args["log"].(string)
	data := c.form == "json" || c.form == "bytes" || len(c.call.Secrets) > 0
	if !given {
		if log = "both"; data || c.quiet {
			log = "stderr"
		}
	}
	stdout, stderr := &c.out.stdout, &c.out.stderr
	stdout.show, stderr.show = log == "both" || log == "stdout", log == "both" || log == "stderr"
	stdout.hidden, stderr.hidden = !stdout.show && (given || data), !stderr.show && given
}

// broken is the outcome of a command that did not start, or of which nobody knows
// how it ended.
func (c *command) broken(err error) actions.Outcome {
	var start *process.StartError
	if !errors.As(err, &start) {
		return c.unknown("", fmt.Errorf("%s: %w", c.title, err))
	}
	switch {
	case errors.Is(err, syscall.E2BIG):
		err = errors.New("its arguments and environment are longer than this system takes: pass what is long by stdin")
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("there is no %s, or not the interpreter that it names in its first line", c.process.Path)
	case errors.Is(err, fs.ErrPermission) && c.process.Box != nil:
		err = fmt.Errorf("%s is not executable for this user, or what loads it is not granted: outside of the system's folders, "+
			"permissions.run has to name its interpreter or loader, and permissions.read its libraries", c.process.Path)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%s is not executable for this user", c.process.Path)
	case errors.Is(err, syscall.ENOEXEC):
		err = fmt.Errorf("%s is no program of this system: a script begins with a line like #!/bin/sh", c.process.Path)
	}
	return actions.Refuse(fmt.Errorf("%s did not start: %w", c.title, err))
}

// judge says what the command's end means.
func (c *command) judge(exit process.Exit) actions.Outcome {
	switch {
	case exit.Ended != nil:
		return c.ended(exit)
	case exit.Signal != "":
		return c.unknown("", fmt.Errorf("%s was ended by %s%s", c.title, exit.Signal, c.said(exit)))
	case slices.Contains(c.gone, exit.Code):
		return c.missing(exit)
	case !slices.Contains(c.ok, exit.Code):
		out := c.failed(strconv.Itoa(exit.Code), fmt.Errorf("%s ended with exit code %d%s%s", c.title, exit.Code, c.said(exit), c.suspect(exit)))
		if slices.Contains(c.refused, exit.Code) {
			out.Status = actions.Refused
		}
		if result, err := c.result(exit.Code); err == nil {
			out.Result = result // for `retry.if`
		}
		return out
	}
	result, err := c.result(exit.Code)
	if err != nil {
		return c.unknown("", fmt.Errorf("%s: %w", c.title, err)) // it ran, and what it made cannot be told
	}
	return actions.Succeed(result)
}

// ended is the outcome of a command that was ended before it was done.
func (c *command) ended(exit process.Exit) actions.Outcome {
	stuck := ""
	if exit.Stuck > 0 {
		stuck = fmt.Sprintf(", but for %d processes that cannot be ended", exit.Stuck)
	}
	if errors.Is(exit.Ended, process.ErrTimeout) {
		return c.unknown("timeout", fmt.Errorf("%s took longer than its timeout of %s, and was ended%s%s", c.title, c.process.Timeout, stuck, c.said(exit)))
	}
	return c.unknown("timeout", fmt.Errorf("%s was ended%s: %w%s", c.title, stuck, exit.Ended, c.said(exit)))
}

// failed is the outcome of a command that ran, and did not do what it should.
func (c *command) failed(class string, err error) actions.Outcome {
	return c.settled(actions.Outcome{Status: actions.Failed, Class: class, Err: err})
}

// unknown is the outcome of a command that was started, and of which nobody
// knows what it did. Another attempt may succeed, where it may be made.
func (c *command) unknown(class string, err error) actions.Outcome {
	return c.settled(actions.Outcome{Status: actions.Unknown, Class: class, Err: err})
}

// settled makes a failure of what changes nothing one that changed nothing.
func (c *command) settled(out actions.Outcome) actions.Outcome {
	if c.quiet {
		out.Status = actions.Refused
	}
	return out
}

func (c *command) missing(exit process.Exit) actions.Outcome {
	out := actions.Missing(fmt.Errorf("%s ended with exit code %d%s", c.title, exit.Code, c.said(exit)))
	out.Class = strconv.Itoa(exit.Code)
	return out
}

// said is the command's own message: what `error` finds, else the end of what it
// wrote.
func (c *command) said(exit process.Exit) string {
	if late := c.call.Late["error"]; late != nil {
		if v, err := late(c.known(exit)); err == nil && v != nil {
			if text := c.message(v); text != "" {
				return ": " + text
			}
		}
	}
	text := c.masked(c.out.stderr.end())
	if text == "" && !c.out.stdout.hidden {
		text = c.masked(c.out.stdout.end())
	}
	if text == "" {
		return ", and said nothing"
	}
	return ": " + text
}

// known are the names that a late expression sees.
func (c *command) known(exit process.Exit) map[string]any {
	stdout, err := c.decoded()
	if err != nil {
		stdout = strings.ToValidUTF8(string(c.out.stdout.bytes()), "\uFFFD")
	}
	if c.call.Adapt != nil {
		stdout = c.call.Adapt(stdout, actions.Data)
	}
	result := map[string]any{"exitCode": int64(exit.Code), "stdout": stdout, "stderr": c.stderr()}
	return map[string]any{"result": result, "exitCode": result["exitCode"], "stdout": stdout, "stderr": result["stderr"]}
}

// message is a message that may be an object.
func (c *command) message(v any) string {
	text, err := actions.TextOf(v)
	if err != nil {
		data, _ := json.Marshal(v)
		text = string(data)
	}
	return c.masked(text)
}

// masked is text for a message: its last lines. Secrets go before anything is cut
// off, for no half of a secret is known as one.
func (c *command) masked(text string) string {
	text = strings.TrimSpace(c.out.visible(text))
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
