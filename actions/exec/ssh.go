package exec

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/ssh"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/template"
)

// sshArg returns the argument that names the machine where a command runs.
func sshArg() actions.Arg {
	machine := func(more ...*spec.Property) *spec.Type {
		return declare.Object(append([]*spec.Property{
			declare.Member("host", declare.NonEmpty(), "Name or address of the machine."),
			declare.Field("port", declare.Int(), "Default: 22."),
			declare.Member("user", declare.NonEmpty(), "User to log in as."),
			declare.Field("key", declare.Text(), "Private key, in PEM."),
			declare.Field("passphrase", declare.Text(), "Passphrase of the key."),
			declare.Field("password", declare.Text(), "Password, also for keyboard-interactive authentication."),
			declare.Field("agent", declare.Bool(), "Use the keys of the ssh-agent at SSH_AUTH_SOCK. Requires `permissions: agent: true`."),
			declare.Member("hostKey", declare.NonEmpty(), "Accepted host keys, one per line: in the format of a .pub file, of known_hosts (lines that name the machine; @revoked and @cert-authority are supported), or as a SHA256:… fingerprint. The check cannot be turned off."),
		}, more...)...)
	}
	a := declare.Arg("ssh", machine(
		declare.Field("jump", machine(), "Jump host through which to connect."),
		declare.Field("connectTimeout", declare.Text(), "Time limit of one attempt to connect and log in. Default: 15s."),
		declare.Field("retryFor", declare.Text(), "How long to retry if the machine does not respond, or does not know the key yet, for example because it is booting. Default: no retry."),
	), "Run the command on another machine, which must have a POSIX shell.")
	a.Merged, a.Locates = true, true
	return a
}

// sshGrants returns the grants for the machines that a call connects to, as far as they are
// written in the spec.
func sshGrants(n *spec.Node) []actions.Grant {
	if n == nil || n.Kind != spec.MapNode {
		return nil
	}
	out := sshGrants(n.Get("jump"))
	if agent := n.Get("agent"); agent != nil && (agent.Kind != spec.BoolNode || agent.Text != "false") {
		out = append(out, actions.Grant{Access: grant.Agent, Pattern: &spec.Node{Kind: spec.StringNode, Text: spec.AgentVariable, Range: agent.Range}})
	}
	host := n.Get("host")
	if host == nil || host.Kind != spec.StringNode || host.Text == "" {
		return out
	}
	pattern := *host
	pattern.Marks = nil
	if strings.Contains(host.Text, ":") && !template.IsTemplate(host.Text) {
		pattern.Text = "[" + host.Text + "]"
	}
	pattern.Text = "ssh://" + pattern.Text
	if port := n.Get("port"); port != nil && (port.Kind == spec.NumberNode || port.Kind == spec.StringNode) {
		pattern.Text += ":" + port.Text
	}
	return append(out, actions.Grant{Access: grant.Connect, Pattern: &pattern})
}

// machine is the value of the argument ssh.
type machine struct {
	Host           string        `arg:"host"`
	Port           *int          `arg:"port"`
	User           string        `arg:"user"`
	Key            string        `arg:"key"`
	Passphrase     string        `arg:"passphrase"`
	Password       string        `arg:"password"`
	Agent          bool          `arg:"agent"`
	HostKey        string        `arg:"hostKey"`
	Jump           *machine      `arg:"jump"`
	ConnectTimeout time.Duration `arg:"connectTimeout"`
	RetryFor       time.Duration `arg:"retryFor"`
}

// target returns the machine that a command connects to, after checking the permissions.
func (m *machine) target(env *actions.Env) (*ssh.Target, error) {
	t := &ssh.Target{
		Host: m.Host, User: m.User, Key: m.Key, Passphrase: m.Passphrase, Password: m.Password, HostKey: m.HostKey,
		ConnectTimeout: m.ConnectTimeout, RetryFor: m.RetryFor,
	}
	if m.Port != nil {
		if t.Port = *m.Port; t.Port < 1 || t.Port > 65535 {
			return nil, fmt.Errorf("ssh.port: invalid port %d", t.Port)
		}
	}
	if t.Host == "" || t.User == "" {
		return nil, errors.New("ssh requires host and user")
	}
	var err error
	if m.Agent {
		if env.Processes == nil {
			return nil, errors.New("ssh.agent is not available here")
		}
		if t.AgentSocket, err = env.Processes.AgentSocket(); err != nil {
			return nil, fmt.Errorf("ssh.agent: %w", err)
		}
	}
	if m.Jump != nil {
		if t.Jump, err = m.Jump.target(env); err != nil {
			return nil, fmt.Errorf("jump: %w", err)
		}
		t.Jump.ConnectTimeout = t.ConnectTimeout
	}
	return t, checkGranted(env, t)
}

// checkGranted refuses a machine that the permissions do not grant. A machine behind a jump
// host is checked only here, since the jump host connects to it.
func checkGranted(env *actions.Env, t *ssh.Target) error {
	if env.Network == nil {
		return errors.New("the network is not available here")
	}
	origin, err := grant.ParseOrigin("ssh://" + t.Address())
	if err != nil {
		return fmt.Errorf("ssh.host: %w", err)
	}
	return env.Network.Check(origin)
}

// runRemote runs a command on another machine, and returns its outcome.
func (r *runner) runRemote(ctx context.Context, c *command) actions.Outcome {
	waiting, waited := actions.CancelOnStop(ctx)
	client, release, err := r.remote.Get(waiting, c.dial, c.target, func(err error) {
		c.call.Progress("waiting for " + c.target.Address() + ": " + c.masked(err.Error()))
	})
	waited()
	if err != nil {
		return c.loginFailed(err)
	}
	defer release()
	if len(c.args.Upload) > 0 {
		if put, err := c.upload(ctx, client); err != nil {
			err = fmt.Errorf("upload to %s: %w", c.target.Address(), err)
			if put == 0 {
				return actions.Refuse(err)
			}
			return c.failed("", err)
		}
	}
	began := time.Now()
	exit, err := client.Run(ctx, c.process)
	c.trace(ctx, began, exit, err)
	c.out.finish()
	return c.remoteOutcome(exit, err)
}

// remoteOutcome returns the outcome of a command on another machine.
func (c *command) remoteOutcome(exit process.Exit, err error) actions.Outcome {
	var start *process.StartError
	switch {
	case errors.As(err, &start):
		err = fmt.Errorf("%s did not start on %s: %w%s", c.title, c.target.Address(), err, c.notStarted(err))
		out := actions.Refuse(err)
		if len(c.args.Upload) > 0 {
			out = c.failed("", fmt.Errorf("%w; the files of `upload` were written", err))
		}
		if errors.Is(err, ssh.ErrNoSession) {
			out.Class = "connection"
		}
		return out
	case errors.Is(err, ssh.ErrLost) && !c.quiet:
		return actions.Outcome{
			Status: actions.Unknown, Class: "connection", Again: true,
			Err: fmt.Errorf("%s on %s: %w%s", c.title, c.target.Address(), err, c.message(process.Exit{Code: -1})),
		}
	case err != nil:
		return c.unknown("connection", fmt.Errorf("%s on %s: %w", c.title, c.target.Address(), err))
	}
	return c.outcome(exit)
}

// notStarted returns what the machine printed instead of running the command, for a message.
func (c *command) notStarted(err error) string {
	said := c.out.stderr.end()
	var other *ssh.OtherProgramError
	if errors.As(err, &other) {
		said = other.Said
	}
	if said = c.masked(said); said == "" {
		return ""
	}
	return ": " + said
}

// dial connects within the permissions.
func (c *command) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return c.call.Env.Network.Dial(ctx, network, address)
}

// loginFailed returns the outcome if the log-in failed: the command had no effect. It is not
// marked for a retry, since a machine may lock an account after several failures.
func (c *command) loginFailed(err error) actions.Outcome {
	out := actions.Refuse(err)
	var network *net.OpError
	if errors.As(err, &network) {
		out.Class = "connection"
	}
	return out
}
