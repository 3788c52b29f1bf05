package exec

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/ssh"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/actions/sys/process/sandbox"
	"github.com/declprov/declprov/spec"
)

// command is one command, ready to run.
type command struct {
	judge
	args running
	// target is the machine where it runs, nil for this one.
	target *ssh.Target
}

// running are the arguments that say what runs, where, and with what.
type running struct {
	judging
	Command     []spec.Part    `arg:"command"`
	Shell       *string        `arg:"shell"`
	Interpreter []spec.Part    `arg:"interpreter"`
	Dashes      bool           `arg:"dashes"`
	Stdin       any            `arg:"stdin"`
	Files       []placedFile   `arg:"files"`
	Upload      []placedFile   `arg:"upload"`
	Env         map[string]any `arg:"env"`
	Dir         string         `arg:"dir"`
	Sandbox     sandbox.Mode   `arg:"sandbox"`
	SSH         *machine       `arg:"ssh"`
	Timeout     time.Duration  `arg:"timeout"`
	Grace       time.Duration  `arg:"grace"`
}

// prepare makes the command of a call, or says why there is none.
func prepare(call *actions.Call) (*command, error) {
	if call.Env == nil || call.Env.Processes == nil {
		return nil, errors.New("there are no programs here")
	}
	c := &command{args: running{Sandbox: sandbox.Auto, Grace: defaultGrace}}
	c.args.Stdout, c.args.ExitCodes.OK = "text", []int{0}
	if err := call.Decode(&c.args); err != nil {
		return nil, err
	}
	c.judge = judge{call: call, process: &process.Command{Timeout: c.args.Timeout, Grace: c.args.Grace}, given: &c.args.judging, quiet: c.args.Effect == "none"}
	words, err := c.args.argv()
	if err != nil {
		return nil, err
	}
	c.title, c.process.Args = words[0], words
	if c.args.SSH != nil {
		err = c.there()
	} else {
		err = c.here()
	}
	if err != nil {
		return nil, err
	}
	c.listen()
	return c, nil
}

// here makes it a command of this machine.
func (c *command) here() (err error) {
	if c.process.Path, err = c.call.Env.Processes.Program(c.title); err != nil {
		return err
	}
	if c.process.Env, err = environment(c.args.Env, c.call.Env.Processes.Environ()); err != nil {
		return err
	}
	c.process.Dir, err = folder(c.call.Env.Processes.Place(c.args.Dir))
	return err
}

// there makes it a command of another machine.
func (c *command) there() (err error) {
	if c.target, err = c.args.SSH.target(c.call.Env); err != nil {
		return err
	}
	c.process.Dir = c.args.Dir
	c.process.Env, err = environment(c.args.Env, nil)
	return err
}

// argv are the program and its arguments.
func (r *running) argv() ([]string, error) {
	if r.Shell != nil {
		words := texts(r.Interpreter)
		if r.Interpreter == nil {
			words = byDefault
		}
		if len(words) == 0 {
			return nil, errors.New("the interpreter names no program")
		}
		return withoutNUL(append(slices.Clip(words), *r.Shell))
	}
	if len(r.Command) == 0 {
		return nil, errors.New("the command is empty: its first item is the program")
	}
	if !r.Dashes {
		if err := noOptions(r.Command); err != nil {
			return nil, err
		}
	}
	return withoutNUL(texts(r.Command))
}

func texts(parts []spec.Part) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.Text
	}
	return out
}

// noOptions refuses values that could be taken for options.
func noOptions(parts []spec.Part) error {
	for i, p := range parts {
		switch {
		case p.Literal && p.Text == "--":
			return nil
		case !p.Literal && i > 0 && strings.HasPrefix(p.Text, "-"):
			return fmt.Errorf("argument %d of the command is a value that begins with \"-\", and could become an option: "+
				"write \"--\" before it, if the program knows that; text of your own in front of it; or `dashes: true`", i)
		}
	}
	return nil
}

func withoutNUL(argv []string) ([]string, error) {
	for i, word := range argv {
		if strings.ContainsRune(word, 0) {
			return nil, fmt.Errorf("argument %d of the command holds a NUL character, which no argument can: pass it by stdin", i)
		}
	}
	return argv, nil
}

// environment is what the command sees: what is inherited, and its own.
func environment(own map[string]any, inherited []string) ([]string, error) {
	var out []string
	for _, variable := range inherited {
		if name, _, _ := strings.Cut(variable, "="); !overrides(own, name) {
			out = append(out, variable)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if own[name] == nil {
			continue
		}
		if err := variableName(name); err != nil {
			return nil, err
		}
		value, err := actions.TextOf(own[name])
		switch {
		case err != nil:
			return nil, fmt.Errorf("env: %s %w; write jsonencode(…) to pass it as JSON", name, err)
		case strings.ContainsRune(value, 0):
			return nil, fmt.Errorf("env: %s holds a NUL character, which no variable can: pass it by stdin", name)
		}
		out = append(out, name+"="+value)
	}
	return out, nil
}

// overrides reports whether a command's own variables have one of that name;
// Windows makes no difference between cases.
func overrides(own map[string]any, name string) bool {
	if runtime.GOOS != "windows" {
		_, ok := own[name]
		return ok
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(own)), func(other string) bool { return strings.EqualFold(other, name) })
}

func variableName(name string) error {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return fmt.Errorf("env: %q is not a valid name of a variable", name)
	}
	return nil
}

// folder is where the command starts. What is wrong with it is told before the
// system says only that something is.
func folder(dir string) (string, error) {
	if strings.ContainsRune(dir, 0) {
		return "", errors.New("dir holds a NUL character, which no path can")
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return "", fmt.Errorf("dir: the command cannot start in %q: %w", dir, errors.Unwrap(err))
	case !info.IsDir():
		return "", fmt.Errorf("dir: the command cannot start in %q: it is no folder", dir)
	}
	return dir, nil
}
