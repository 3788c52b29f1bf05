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
	"github.com/declprov/declprov/spec/lists"
)

// command is a command that is ready to run.
type command struct {
	judge
	args commandArgs
	// target is the machine where it runs, or nil for this machine.
	target *ssh.Target
}

// commandArgs are the arguments of a call.
type commandArgs struct {
	outputOptions
	Command     []spec.Part    `arg:"command"`
	Shell       *string        `arg:"shell"`
	Interpreter []spec.Part    `arg:"interpreter"`
	Dashes      bool           `arg:"dashes"`
	Stdin       any            `arg:"stdin"`
	Files       []fileArg      `arg:"files"`
	Upload      []fileArg      `arg:"upload"`
	Env         map[string]any `arg:"env"`
	Dir         string         `arg:"dir"`
	Sandbox     sandbox.Mode   `arg:"sandbox"`
	SSH         *machine       `arg:"ssh"`
	Timeout     time.Duration  `arg:"timeout"`
	Grace       time.Duration  `arg:"grace"`
}

// prepare makes the command of a call.
func prepare(call *actions.Call) (*command, error) {
	if call.Env == nil || call.Env.Processes == nil {
		return nil, errors.New("running programs is not available here")
	}
	c := &command{args: commandArgs{Sandbox: sandbox.Auto, Grace: defaultGrace}}
	c.args.Stdout, c.args.ExitCodes.OK.listed = "text", []int{0}
	if err := call.Decode(&c.args); err != nil {
		return nil, err
	}
	c.judge = judge{call: call, process: &process.Command{Timeout: c.args.Timeout, Grace: c.args.Grace}, opts: &c.args.outputOptions, quiet: c.args.Effect == "none"}
	words, err := c.args.argv()
	if err != nil {
		return nil, err
	}
	c.title, c.process.Args = words[0], words
	if c.args.SSH != nil {
		err = c.prepareRemote()
	} else {
		err = c.prepareLocal()
	}
	if err != nil {
		return nil, err
	}
	c.captureOutput()
	return c, nil
}

// prepareLocal prepares a command that runs on this machine.
func (c *command) prepareLocal() (err error) {
	if c.process.Path, err = c.call.Env.Processes.Program(c.title); err != nil {
		return err
	}
	if c.process.Env, err = environment(c.args.Env, c.call.Env.Processes.Environ()); err != nil {
		return err
	}
	c.process.Dir, err = checkDir(c.call.Env.Processes.AbsPath(c.args.Dir))
	return err
}

// prepareRemote prepares a command that runs on another machine.
func (c *command) prepareRemote() (err error) {
	if c.target, err = c.args.SSH.target(c.call.Env); err != nil {
		return err
	}
	c.process.Dir = c.args.Dir
	c.process.Env, err = environment(c.args.Env, nil)
	return err
}

// argv returns the program and its arguments.
func (r *commandArgs) argv() ([]string, error) {
	if r.Shell != nil {
		words := texts(r.Interpreter)
		if r.Interpreter == nil {
			words = defaultInterpreter
		}
		if len(words) == 0 {
			return nil, errors.New("interpreter has no program: write it as the first item")
		}
		return checkNUL(append(slices.Clip(words), *r.Shell))
	}
	if len(r.Command) == 0 {
		return nil, errors.New("command is empty: write the program as the first item")
	}
	if !r.Dashes {
		if err := checkOptions(r.Command); err != nil {
			return nil, err
		}
	}
	return checkNUL(texts(r.Command))
}

func texts(parts []spec.Part) []string {
	return lists.Map(parts, func(p spec.Part) string { return p.Text })
}

// checkOptions refuses values that a program could take as options.
func checkOptions(parts []spec.Part) error {
	for i, p := range parts {
		switch {
		case p.Literal && p.Text == "--":
			return nil
		case !p.Literal && i > 0 && strings.HasPrefix(p.Text, "-"):
			return fmt.Errorf("argument %d of the command is a value that begins with \"-\", which the program may take as an option: "+
				"put \"--\" before it if the program supports that, put literal text in front of it, or set `dashes: true`", i)
		}
	}
	return nil
}

func checkNUL(argv []string) ([]string, error) {
	for i, word := range argv {
		if strings.ContainsRune(word, 0) {
			return nil, fmt.Errorf("argument %d of the command contains a NUL character, which is not valid in arguments: pass it by stdin", i)
		}
	}
	return argv, nil
}

// environment returns the environment of a command: the inherited variables, overridden by
// its own.
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
			return nil, fmt.Errorf("env.%s: %w; use jsonencode(…) to pass it as JSON", name, err)
		case strings.ContainsRune(value, 0):
			return nil, fmt.Errorf("env.%s contains a NUL character, which is not valid in environment variables: pass it by stdin", name)
		}
		out = append(out, name+"="+value)
	}
	return out, nil
}

// overrides reports whether a command's own variables include the name. Windows ignores case.
func overrides(own map[string]any, name string) bool {
	if runtime.GOOS != "windows" {
		_, ok := own[name]
		return ok
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(own)), func(other string) bool { return strings.EqualFold(other, name) })
}

func variableName(name string) error {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return fmt.Errorf("env: invalid variable name %q", name)
	}
	return nil
}

// checkDir checks the working directory of a command, since the error of the system does not
// say that the directory is wrong.
func checkDir(dir string) (string, error) {
	if strings.ContainsRune(dir, 0) {
		return "", errors.New("dir contains a NUL character, which is not valid in a path")
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return "", fmt.Errorf("dir: the command cannot start in %q: %w", dir, errors.Unwrap(err))
	case !info.IsDir():
		return "", fmt.Errorf("dir: the command cannot start in %q: it is not a folder", dir)
	}
	return dir, nil
}
