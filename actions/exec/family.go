// Package exec is the family of actions that run commands: a program with its arguments, or
// a shell script, on this machine or over SSH.
//
// No shell is involved unless the author uses one. A value never becomes an option unless the
// author allows it. On timeout, a command ends with all its descendants: see package process.
package exec

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/ssh"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/spec"
)

// Family returns the declaration of the exec action.
func Family() *actions.Family {
	return &actions.Family{
		Name: "exec",
		Summary: "Commands on the machine where the provider runs, limited to the programs and environment variables " +
			"that the permissions grant.",
		Declare: func() ([]actions.Arg, []*actions.Kind) {
			shared := defaults()
			return shared, []*actions.Kind{kind(shared)}
		},
		Open:    open,
		Schemes: []string{"ssh"},
		Grants:  func(s actions.Static) []actions.Grant { return sshGrants(s.Nodes["ssh"]) },
	}
}

// open returns the runner of the commands of one engine.
func open() actions.Runner {
	return (&runner{local: &process.Pool{}, remote: ssh.NewPool()}).run
}

// runner is shared by all commands of an engine.
type runner struct {
	local  *process.Pool
	remote *ssh.Pool
	// warned limits the warning about the kernel to one per engine.
	warned sync.Once
}

// kind returns the only kind of the family. It has the arguments of the defaults, too.
func kind(shared []actions.Arg) *actions.Kind {
	return &actions.Kind{
		Summary:   "Runs a command, and returns its output.",
		Doc:       doc,
		Args:      append(arguments(), shared...),
		OneOf:     [][]string{{"command", "shell"}},
		Analyze:   analyze,
		Ambiguous: ambiguous,
		LateScope: lateScope,
		Examples:  examples(),
	}
}

const doc = `A ` + "`command`" + ` is a list of the program and its arguments. No shell interprets it, so no character of a value has a special
meaning. The program is looked up once, in the provider's ` + "`PATH`" + `. A program with a slash in its name is a path, relative to the folder of the
user's program.

A value that begins with ` + "`-`" + ` is refused, because the program may take it as an option. It is allowed after a literal ` + "`--`" + `, after literal text
in the same item (` + "`\"--name=${inputs.name}\"`" + `), or if the step sets ` + "`dashes: true`" + `. Other users of the machine can see a command line while it
runs, so it must not contain secrets: pass them by ` + "`env` or `stdin`" + `.

A ` + "`shell`" + ` script must not contain values. Pass values by ` + "`env`" + ` (` + "`\"$NAME\"`" + ` in the script) or by ` + "`stdin`" + `. The script is the last argument of
the ` + "`interpreter`" + `, by default ` + "`/bin/sh -c`" + `, which requires a permission like any other program: ` + "`permissions: run: [\"/bin/sh\"]`" + `. ` + "`run: [\"sh\"]`" + ` grants
it too, if ` + "`sh`" + ` in the provider's ` + "`PATH`" + ` is ` + "`/bin/sh`" + `.

The environment of a command consists of ` + "`PATH`, `HOME`" + `, the variables in ` + "`permissions.env`" + `, and its ` + "`env`" + `. It has no terminal, so it cannot prompt.

On timeout, on cancellation, and if the provider is killed, the command and all its descendants receive SIGTERM and, after ` + "`grace`" + `, SIGKILL.

- On cancellation, a command that has an effect first gets 10s to end by itself (` + "`DECLPROV_CANCEL_GRACE`" + `); a second cancellation ends it at once.
- On Linux, if the provider and the process that supervises its commands are killed at the same time, all descendants receive SIGKILL, also those in a
  session of their own. On other systems, only the descendants in the command's process group receive signals.
- If a command ends by itself, processes that it left running in the background keep running. They should write to a file, because their output is no
  longer read.

On Linux, the commands of a spec with a ` + "`permissions`" + ` block run in a sandbox of the kernel, which refuses them and their descendants everything that the
spec's permissions do not grant: see [language.md](language.md#commands-in-the-kernels-sandbox). The argument ` + "`sandbox`" + ` changes that.

An exit code that is not in ` + "`ok`, `gone` or `refused`" + ` is an error: the command ran, and its effect is incomplete. ` + "`exitCodes: refused: [9]`" + ` lists
exit codes that mean that the command had no effect ("the user already exists"); with ` + "`refused: \"others\"`" + `, all codes that are not listed mean that.
` + "`retry: on: [75]`" + ` retries after an exit code, ` + "`retry: on: [\"timeout\"]`" + ` after a timeout. A command that did not start had no effect. The effect of a
command that was ended by a signal or a timeout is not known.

With ` + "`ssh`" + `, the command runs on another machine, with the rights of the user there. The permissions must grant the machine (` + "`hosts: [\"ssh://build.example.com\"]`" + `),
not the program, and no sandbox confines it. The environment is that of the log-in, and ` + "`env`" + `. A relative ` + "`dir`" + ` is relative to the user's home. In all else, a command
behaves as on this machine, with these rules:

- What the log-in prints (` + "`.bashrc`" + `, a banner) is not output of the command. If the log-in does not run the command, for example because of a forced command in
  ` + "`authorized_keys`" + ` or a shell that allows no commands, the step fails, and nothing of the command was sent. A forced command that runs ` + "`$SSH_ORIGINAL_COMMAND`" + ` works.
- If the folder or the program does not exist there, the program is not executable, or its arguments are too long, the command did not start, and had no effect.
- On timeout and cancellation, the command's process group is ended; processes that left the group keep running.
- If the connection breaks while the command runs, its outcome is not known. The machine ends the command's process group (SIGTERM and, after ` + "`grace`" + `, SIGKILL) when
  it notices that the connection is gone. Before the same provider process runs another command there, it ends the old one, and waits until it has ended. A later
  ` + "`pulumi up`" + ` cannot do that: the old command runs until the machine notices (` + "`ClientAliveInterval`" + ` of sshd). On a machine that allows only one session per
  connection (` + "`MaxSessions 1`" + `), it runs until another command is run.`

func (r *runner) run(ctx context.Context, _ *actions.Kind, call *actions.Call) actions.Outcome {
	c, err := prepare(call)
	if err != nil {
		return actions.Refuse(err)
	}
	stdin, err := c.openStdin(ctx)
	if err != nil {
		return actions.Refuse(err)
	}
	defer stdin.Close()
	if c.target != nil {
		return r.runRemote(ctx, c)
	}
	remove, err := c.writeFiles(ctx)
	if err != nil {
		return actions.Refuse(err)
	}
	defer remove()
	leave, err := r.confine(ctx, c)
	if err != nil {
		return actions.Refuse(fmt.Errorf("%s did not start: %w", c.title, err))
	}
	out := r.runLocal(ctx, c)
	leave(out.Status == actions.Done)
	return out
}

// runLocal runs a command on this machine, and returns its outcome.
func (r *runner) runLocal(ctx context.Context, c *command) actions.Outcome {
	began := time.Now()
	exit, err := r.local.Run(ctx, *c.process)
	c.out.finish()
	c.trace(ctx, began, exit, err)
	if err != nil {
		return c.errorOutcome(err)
	}
	return c.outcome(exit)
}

// analyze returns what is known about a command before it runs.
func analyze(s actions.Static) actions.Facts {
	gone := ""
	if codes := s.Nodes["exitCodes"]; codes == nil || codes.Kind == spec.MapNode && codes.Get("gone") == nil {
		gone = "List the exit codes that mean it: `exitCodes: gone: [1]`; or, if the command ends with 0, add a condition over its output: `gone: \"${result.stdout == ''}\"`."
	}
	return actions.Facts{
		Result: resultType(s), Yields: yields(s), NullIsNothing: yields(s) != "", Effect: effect(s), Grants: needs(s), Sandbox: confinement(s), Faults: check(s),
		Target: actions.Target{GoneRemedy: gone},
		Loss:   actions.Loss{Certainty: certainty(s), RepeatRemedy: "Add `idempotent: true` if repeating the step does no harm."},
	}
}

// effect returns Write, unless the step sets `effect: "none"`.
func effect(s actions.Static) actions.Effect {
	if s.Literals["effect"] == "none" {
		return actions.None
	}
	return actions.Write
}

// certainty returns the certainty of a command, by its effect and `idempotent`.
func certainty(s actions.Static) actions.Certainty {
	switch {
	case effect(s) != actions.Write:
		return actions.Settled
	case s.Literals["idempotent"] == true:
		return actions.Safe
	default:
		return actions.Uncertain
	}
}

// ambiguous reports whether the outcome of a class may be unknown. It is known after an exit
// code.
func ambiguous(class string) bool {
	_, err := strconv.Atoi(class)
	return err != nil
}

// yields returns the member that an operation yields: the standard output if it is JSON.
func yields(s actions.Static) string {
	if s.Literals["stdout"] == "json" {
		return "stdout"
	}
	return ""
}
