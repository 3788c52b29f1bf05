package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// confine puts a command into the kernel's sandbox, where the step, the spec and
// the kernel say so. Leave is called when the command has ended.
func (r *runner) confine(ctx context.Context, c *command) (leave func(worked bool), err error) {
	mode, err := demanded(c.args.Sandbox)
	if err != nil {
		return nil, err
	}
	if mode == sandbox.Off || mode == sandbox.Auto && !c.call.Env.Declared {
		return func(bool) {}, nil
	}
	kernel := sandbox.Here()
	if mode == sandbox.Required {
		if err := kernel.Required(); err != nil {
			return nil, err
		}
	}
	r.warn(c.call, kernel)
	if !kernel.Confines() {
		return func(bool) {}, nil
	}
	env := c.call.Env
	box, err := sandbox.Prepare(ctx, sandbox.Command{
		Files: env.Files, Network: env.Network, Programs: append(env.Processes.Paths(), c.process.Path), Own: c.process.Scratch, Changes: !c.quiet,
		Capabilities: env.Capabilities,
	})
	if err != nil {
		return nil, err
	}
	c.process.Box, c.process.Env = box, box.Environ(c.process.Env, func(name string) bool {
		return overrides(c.args.Env, name) || env.Processes.Inherits(name)
	})
	return func(worked bool) {
		if err := box.Close(worked); err != nil {
			c.log(fmt.Sprintf("the command's temporary files stay in %s: %v", box.Scratch, err))
		}
	}, nil
}

// Demand is the environment variable by which whoever runs a provider demands the
// sandbox for every command, whatever its spec says.
const Demand = "DECLPROV_SANDBOX"

// demanded returns the mode of a command for which its spec says another. The
// error says what is wrong with the variable, or that the spec refuses.
func demanded(mode sandbox.Mode) (sandbox.Mode, error) {
	switch demand := process.Variable(Demand); {
	case demand == "":
		return mode, nil
	case demand != string(sandbox.Required):
		return "", fmt.Errorf("invalid %s %q: it takes %q, or nothing", Demand, demand, sandbox.Required)
	case mode == sandbox.Off:
		return "", fmt.Errorf(`the spec turns the sandbox off for this command (sandbox: "off"), and %s=%s does not allow that`, Demand, demand)
	default:
		return sandbox.Required, nil
	}
}

// confinement is the mode for who reviews a spec: it is the author's alone, and so known
// before anything runs. What runs on another machine is of no sandbox here.
func confinement(s actions.Static) string {
	if s.Given("ssh") {
		return ""
	}
	if mode, given := s.Literals["sandbox"].(string); given {
		return mode
	}
	return string(sandbox.Auto)
}

// warn says once an engine, where the user sees it, what the kernel cannot do.
func (r *runner) warn(call *actions.Call, kernel sandbox.Kernel) {
	text := kernel.Partial()
	if !kernel.Confines() {
		text = kernel.Unavailable().Error()
	}
	if text != "" && call.Log != nil {
		r.warned.Do(func() {
			call.Log("commands are not confined as far as they could be: "+text+". Set "+Demand+"=required to run none like this", false)
		})
	}
}

func (c *command) log(text string) {
	if c.call.Log != nil {
		c.call.Log(text, true)
	}
}

// refused are what programs say of system calls that a sandbox has refused: of
// most EACCES, of signals and tracing EPERM, of links and names out of a folder
// EXDEV.
func refused() []string {
	return []string{"permission denied", "operation not permitted", "invalid cross-device link"}
}

// suspect says, of a command that failed in a sandbox and complains like one that
// was refused something, what it was granted.
func (j *judge) suspect(exit process.Exit) string {
	if j.process.Box == nil {
		return ""
	}
	said := strings.ToLower(j.out.stderr.end() + j.out.stdout.end())
	if exit.Code != 126 && !slices.ContainsFunc(refused(), func(text string) bool { return strings.Contains(said, text) }) {
		return ""
	}
	return "\nIt ran in the kernel's sandbox, which grants a command what `permissions` grants, and the system's programs: " +
		"add what it lacks there, or set sandbox: \"off\" to run it outside"
}
