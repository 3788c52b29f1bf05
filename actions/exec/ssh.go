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
)

// sshArg is the machine on which a command runs instead of this one.
func sshArg() actions.Arg {
	machine := func(more ...*spec.Property) *spec.Type {
		return declare.Object(append([]*spec.Property{
			declare.Member("host", declare.NonEmpty(), "Its name or address."),
			declare.Field("port", declare.Int(), "Default: 22."),
			declare.Member("user", declare.NonEmpty(), "Who logs in."),
			declare.Field("key", declare.Text(), "Private key, in PEM."),
			declare.Field("passphrase", declare.Text(), "What the key is encrypted with."),
			declare.Field("password", declare.Text(), "Password, also where the machine asks for it as a question."),
			declare.Field("agent", declare.Bool(), "Ask the ssh-agent at SSH_AUTH_SOCK for keys; it needs `permissions: agent: true`."),
			declare.Member("hostKey", declare.NonEmpty(), "Keys that the machine may have, one a line: as in a .pub file, as in known_hosts (lines that name the machine, with @revoked and @cert-authority), or SHA256:… fingerprints. There is no way to do without."),
		}, more...)...)
	}
	a := declare.Arg("ssh", machine(
		declare.Field("jump", machine(), "Machine through which this one is reached."),
		declare.Field("connectTimeout", declare.Text(), "Longest time for one attempt to log in. Default: 15s."),
		declare.Field("retryFor", declare.Text(), "How long a machine that does not answer, or does not know the key yet, is tried again: it may be booting. Default: not at all."),
	), "Run it on another machine, which has a POSIX shell.")
	a.Merged = true
	return a
}

// sshGrants are the machines that a call connects to, as far as it spells them out.
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
	if strings.Contains(host.Text, ":") && !strings.Contains(host.Text, "${") {
		pattern.Text = "[" + host.Text + "]"
	}
	pattern.Text = "ssh://" + pattern.Text
	if port := n.Get("port"); port != nil && (port.Kind == spec.NumberNode || port.Kind == spec.StringNode) {
		pattern.Text += ":" + port.Text
	}
	return append(out, actions.Grant{Access: grant.Connect, Pattern: &pattern})
}

// machine is what an argument says of a machine.
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

// target is the machine that a command connects to.
func (m *machine) target(env *actions.Env) (*ssh.Target, error) {
	t := &ssh.Target{
		Host: m.Host, User: m.User, Key: m.Key, Passphrase: m.Passphrase, Password: m.Password, HostKey: m.HostKey,
		ConnectTimeout: m.ConnectTimeout, RetryFor: m.RetryFor,
	}
	if m.Port != nil {
		if t.Port = *m.Port; t.Port < 1 || t.Port > 65535 {
			return nil, fmt.Errorf("ssh.port: %d is not a port", t.Port)
		}
	}
	if t.Host == "" || t.User == "" {
		return nil, errors.New("ssh: host and user are needed")
	}
	var err error
	if m.Agent {
		if env.Processes == nil {
			return nil, errors.New("ssh.agent: there is none here")
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
	return t, granted(env, t)
}

// granted refuses a machine that the permissions do not name. The one behind a
// jump is checked here only: what it connects to, the jump decides.
func granted(env *actions.Env, t *ssh.Target) error {
	if env.Network == nil {
		return errors.New("there is no network here")
	}
	origin, err := grant.ParseOrigin("ssh://" + t.Address())
	if err != nil {
		return fmt.Errorf("ssh.host: %w", err)
	}
	return env.Network.Check(origin)
}

// elsewhere runs a command on another machine.
func (r *runner) elsewhere(ctx context.Context, c *command) actions.Outcome {
	waiting, waited := actions.Waiting(ctx)
	client, release, err := r.remote.Get(waiting, c.dial, c.target, func(err error) {
		c.call.Progress("waiting for " + c.target.Address() + ": " + c.masked(err.Error()))
	})
	waited()
	if err != nil {
		return c.unreached(err)
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
	exit, err := client.Run(ctx, c.process)
	c.out.finish()
	var start *process.StartError
	switch {
	case errors.As(err, &start) && len(c.args.Upload) == 0:
		return actions.Refuse(fmt.Errorf("%s did not start on %s: %w", c.title, c.target.Address(), err))
	case errors.Is(err, ssh.ErrLost) && !c.quiet:
		return actions.Outcome{
			Status: actions.Unknown, Class: "connection", Again: true,
			Err: fmt.Errorf("%s on %s: %w%s", c.title, c.target.Address(), err, c.said(process.Exit{Code: -1})),
		}
	case err != nil:
		return c.unknown("connection", fmt.Errorf("%s on %s: %w", c.title, c.target.Address(), err))
	}
	return c.outcome(exit)
}

// dial connects within what is granted.
func (c *command) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return c.call.Env.Network.Dial(ctx, network, address)
}

// unreached is the outcome of a machine that cannot be logged in at. Nothing was
// done; to try again is for whoever says so, since machines may lock who guesses.
func (c *command) unreached(err error) actions.Outcome {
	out := actions.Refuse(err)
	var network *net.OpError
	if errors.As(err, &network) {
		out.Class = "connection"
	}
	return out
}
