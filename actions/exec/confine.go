package exec

import (
	"context"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

// confine puts a command into the kernel's sandbox, depending on the step, the spec and the
// kernel. The caller calls leave when the command has ended.
func (r *runner) confine(ctx context.Context, c *command) (leave func(worked bool), err error) {
	mode, err := effectiveMode(c.args.Sandbox)
	if err != nil {
		return nil, err
	}
	if mode == sandbox.Off || mode == sandbox.Auto && !c.call.Env.Declared {
		return func(bool) {}, nil
	}
	kernel := sandbox.CurrentKernel()
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
			c.log(fmt.Sprintf("cannot remove the command's temporary files in %s: %v", box.Scratch, err))
		}
	}, nil
}

// Demand is the environment variable by which the user of a provider requires the sandbox
// for every command, overriding the spec.
const Demand = "DECLPROV_SANDBOX"

// effectiveMode returns the mode that results from the spec's mode and the variable Demand. It
// returns an error if the variable is invalid, or contradicts a spec that sets "off".
func effectiveMode(mode sandbox.Mode) (sandbox.Mode, error) {
	switch demand := process.Variable(Demand); {
	case demand == "":
		return mode, nil
	case demand != string(sandbox.Required):
		return "", fmt.Errorf("invalid %s %q (use %q, or unset it)", Demand, demand, sandbox.Required)
	case mode == sandbox.Off:
		return "", fmt.Errorf(`the spec turns the sandbox off for this command (sandbox: "off"), which %s=%s does not allow`, Demand, demand)
	default:
		return sandbox.Required, nil
	}
}

// confinement returns the sandbox mode as the spec states it, for reviewers, or "" for a
// command on another machine, which has no sandbox.
func confinement(s actions.Static) string {
	if s.Given("ssh") {
		return ""
	}
	if mode, given := s.Literals["sandbox"].(string); given {
		return mode
	}
	return string(sandbox.Auto)
}

// warn logs, once per engine, what the kernel cannot confine.
func (r *runner) warn(call *actions.Call, kernel sandbox.Kernel) {
	text := kernel.DescribeMissing()
	if !kernel.Confines() {
		text = kernel.Unavailable().Error()
	}
	if text != "" && call.Log != nil {
		r.warned.Do(func() {
			call.Log("commands are only partly confined: "+text+". Set "+Demand+"=required to refuse such commands.", false)
		})
	}
}

func (c *command) log(text string) {
	if c.call.Log != nil {
		c.call.Log(text, true)
	}
}

// sandboxHint returns a hint about permissions if a command failed in a sandbox, and its
// output contains an error that a sandbox causes; else "".
func (j *judge) sandboxHint(exit process.Exit) string {
	if j.process.Box == nil {
		return ""
	}
	missing, refused := missingPermission(j.out.stderr.end()+"\n"+j.out.stdout.end(), j.process.Box.Rules, j.call.Env.Files)
	switch {
	case missing != "":
		return "\nThe command ran in the kernel's sandbox: " + missing
	case refused || exit.Code == 126:
		return "\nThe command ran in the kernel's sandbox, which allows only what `permissions` grants, and the system's programs: " +
			"add what is missing to `permissions`, or set sandbox: \"off\""
	}
	return ""
}
