// Package exec is the family of actions on commands: one program with its
// arguments, or a script of a shell, on the machine that the provider runs on.
//
// Nothing goes through a shell unless the author writes one, a value never becomes
// an option unless the author says so, and what a command has started ends with
// it where its time is up: see package process.
package exec

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/ssh"
	"github.com/declprov/declprov/actions/sys/process"
)

// Family is the declaration of the exec action.
func Family() *actions.Family {
	return &actions.Family{
		Name: "exec",
		Summary: "Commands on the machine that the provider runs on: the programs that the permissions grant, " +
			"with the variables that they grant.",
		Defaults: defaults(),
		Kinds:    []*actions.Kind{kind()},
		Open:     open,
		Grants:   func(s actions.Static) []actions.Grant { return sshGrants(s.Nodes["ssh"]) },
	}
}

// open returns what runs commands for one engine.
func open() actions.Runner {
	return (&runner{local: &process.Pool{}, remote: ssh.NewPool()}).run
}

// runner is what all commands of an engine share.
type runner struct {
	local  *process.Pool
	remote *ssh.Pool
	// warned keeps what the kernel cannot do from being said more than once.
	warned sync.Once
}

func kind() *actions.Kind {
	return &actions.Kind{
		Summary:   "Runs a command to its end, and yields what it wrote.",
		Doc:       doc,
		Args:      append(arguments(), defaults()...),
		OneOf:     [][]string{{"command", "shell"}},
		Analyze:   analyze,
		Ambiguous: ambiguous,
		Sees:      sees,
		Examples:  examples(),
	}
}

const doc = `A ` + "`command`" + ` is a list: the program, and one argument each. No shell reads it, so no character of a value means
anything. An item that is a list stands for its items, and one that is null for none. The program is looked up once, on the
provider's ` + "`PATH`" + `; one with a slash is a path, from the folder of the user's program on.

A value that begins with ` + "`-`" + ` could become an option: it is refused, unless it comes after the author's ` + "`--`" + `, behind text of the author's
in the same item (` + "`\"--name=${inputs.name}\"`" + `), or the step says ` + "`dashes: true`" + `. Other users of the machine can see a command line while it
runs, so no secret may go in: pass it by ` + "`env` or `stdin`" + `.

The text of a ` + "`shell`" + ` script is the author's alone. Values reach it by ` + "`env`" + ` (` + "`\"$NAME\"`" + ` in the script) or ` + "`stdin`" + `. It is the last argument of
the ` + "`interpreter`" + `, which needs a permission like any other program.

A command sees ` + "`PATH`, `HOME`" + `, what ` + "`permissions.env`" + ` names, and its ` + "`env`" + `; it has no terminal, and so cannot ask.

On timeout, on cancellation, and when the provider itself is killed, the command and all that it has started receive TERM and, after ` + "`grace`" + `, KILL.
A cancelled command that has an effect is first given 10s to end by itself (` + "`DECLPROV_CANCEL_GRACE`" + `); a second cancellation ends it at once. (On Linux that is every process below it, elsewhere its process group.) What a command leaves running in the background
when it ends by itself runs on; it should write to a file of its own, for nobody reads what it writes.

On Linux the commands of a spec with a ` + "`permissions`" + ` block run in a sandbox of the kernel's, which refuses them, and all that they start, what the
spec is not granted: see [language.md](language.md#commands-in-the-kernels-sandbox). ` + "`sandbox`" + ` says so otherwise.

An exit code that is not in ` + "`ok`, `gone` or `refused`" + ` is an error, with the end of what the command wrote to its standard error, or what
` + "`error`" + ` makes of it: the command ran, and what it did is not complete. ` + "`exitCodes: refused: [9]`" + ` lists those that say that nothing was done ("the user
exists already"). ` + "`retry: on: [75]`" + ` is about an exit code, ` + "`\"timeout\"`" + ` about one that took too long. A command that did not start has done nothing; of one that was ended by
a signal or a timeout nobody knows what it did.

With ` + "`ssh`" + ` it runs on another machine, as what its user may do there: the permissions grant the machine (` + "`hosts: [\"ssh://build.example.com\"]`" + `),
and no programs; there it is not confined. It sees the environment of that log-in, and its ` + "`env`" + `; a relative ` + "`dir`" + ` starts at the user's home. The machine is asked to end the command's process group
where its time is up; what has left the group runs on. A connection that breaks while it runs leaves an outcome that nobody knows.

One line end at the end of a ` + "`text`" + ` is not part of it.`

func (r *runner) run(ctx context.Context, _ *actions.Kind, call *actions.Call) actions.Outcome {
	c, err := prepare(call)
	if err != nil {
		return actions.Refuse(err)
	}
	stdin, err := c.input(ctx)
	if err != nil {
		return actions.Refuse(err)
	}
	defer stdin.Close()
	if c.target != nil {
		return r.elsewhere(ctx, c)
	}
	remove, err := c.place(ctx)
	if err != nil {
		return actions.Refuse(err)
	}
	defer remove()
	leave, err := r.confine(ctx, c)
	if err != nil {
		return actions.Refuse(fmt.Errorf("%s did not start: %w", c.title, err))
	}
	out := r.end(ctx, c)
	leave(out.Status == actions.Done)
	return out
}

// end runs the command, and says what its end means.
func (r *runner) end(ctx context.Context, c *command) actions.Outcome {
	exit, err := r.local.Run(ctx, *c.process)
	c.out.finish()
	if err != nil {
		return c.broken(err)
	}
	return c.outcome(exit)
}

// analyze returns what is known of a command before it runs.
func analyze(s actions.Static) actions.Facts {
	return actions.Facts{
		Result: resultType(s), Yields: yields(s), Effect: effect(s), Certainty: certainty(s), Grants: needs(s), Sandbox: confinement(s), Faults: check(s),
	}
}

// effect is a write, unless the step says that it only looks.
func effect(s actions.Static) actions.Effect {
	if s.Literals["effect"] == "none" {
		return actions.None
	}
	return actions.Write
}

// certainty is what is known of a command of which nobody saw the end.
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

// ambiguous reports whether a failure of that class may leave it unknown what a
// command did. An exit code is the command's own word.
func ambiguous(class string) bool {
	_, err := strconv.Atoi(class)
	return err != nil
}

// yields is what a command says of itself, where it says it in JSON.
func yields(s actions.Static) string {
	if s.Literals["stdout"] == "json" {
		return "stdout"
	}
	return ""
}
