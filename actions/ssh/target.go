// Package ssh runs commands on other machines over SSH, and puts files there.
// A machine is known by its host key, always: there is no way to skip that.
package ssh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Target is a machine, and who logs in there.
type Target struct {
	Host string
	// Port is 22 where it is 0.
	Port int
	User string
	// Key is a private key in PEM, Passphrase what it is encrypted with.
	Key, Passphrase string
	Password        string
	// AgentSocket is that of a running ssh-agent, to be asked for keys; "" is none.
	AgentSocket string
	// HostKey are the keys that the machine may have, one a line: as in a .pub
	// file, as in known_hosts (only lines that name the machine count, and their
	// markers hold), or as a fingerprint ("SHA256:…").
	HostKey string
	// Jump is the machine through which this one is reached, or nil.
	Jump *Target
	// ConnectTimeout bounds one attempt to connect and log in; 0 is 15 seconds.
	ConnectTimeout time.Duration
	// RetryFor is how long a machine that does not answer, or does not know the
	// key yet, is tried again: it may be booting. 0 is one attempt.
	RetryFor time.Duration
}

const defaultConnectTimeout = 15 * time.Second

// Address is "host:port".
func (t *Target) Address() string {
	port := t.Port
	if port == 0 {
		port = 22
	}
	return net.JoinHostPort(t.Host, strconv.Itoa(port))
}

// String names the target in messages: "ssh://user@host:22".
func (t *Target) String() string { return "ssh://" + t.User + "@" + t.Address() }

// fingerprint is the same for targets that are the same in all.
func (t *Target) fingerprint() string {
	h := sha256.New()
	for at := t; at != nil; at = at.Jump {
		fmt.Fprintf(h, "%q %q %q %q %q %q %q\n", at.Address(), at.User, at.Key, at.Passphrase, at.Password, at.AgentSocket, at.HostKey)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// config is how the SSH library logs in at the target, whose keys are hosts. Errors
// are the author's or the user's to mend, and nothing was sent.
func (t *Target) config(ctx context.Context, hosts *hostKeys) (*ssh.ClientConfig, func(), error) {
	methods, release, err := t.methods(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &ssh.ClientConfig{
		User: t.User, Auth: methods, HostKeyCallback: hosts.check, HostKeyAlgorithms: hosts.algorithms(),
		ClientVersion: "SSH-2.0-declprov",
	}, release, nil
}

// methods are the ways to prove who logs in.
func (t *Target) methods(ctx context.Context) (_ []ssh.AuthMethod, release func(), err error) {
	release = func() {}
	var methods []ssh.AuthMethod
	if t.Key != "" {
		signer, err := parseKey(t.Key, t.Passphrase)
		if err != nil {
			return nil, nil, err
		}
		methods = append(methods, ssh.PublicKeys(signer))
	}
	if t.AgentSocket != "" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", t.AgentSocket)
		if err != nil {
			return nil, nil, fmt.Errorf("the ssh-agent does not answer: %w; start one, and set SSH_AUTH_SOCK", err)
		}
		release = func() { conn.Close() }
		methods = append(methods, ssh.PublicKeysCallback(agent.NewClient(conn).Signers))
	}
	if t.Password != "" {
		methods = append(methods, ssh.Password(t.Password), ssh.KeyboardInteractive(t.answers))
	}
	if methods == nil {
		return nil, nil, errors.New("there is nothing to log in with; give key, password or agent: true")
	}
	return methods, release, nil
}

// answers gives the password to a server that asks for it as a question, and
// nothing to one that asks for more.
func (t *Target) answers(_, _ string, questions []string, echos []bool) ([]string, error) {
	answers := make([]string, len(questions))
	for i := range questions {
		if !echos[i] {
			answers[i] = t.Password
		}
	}
	return answers, nil
}

func parseKey(key, passphrase string) (ssh.Signer, error) {
	if !strings.HasSuffix(key, "\n") {
		key += "\n" // a template may have trimmed it
	}
	var signer ssh.Signer
	var err error
	if passphrase != "" {
		signer, err = ssh.ParsePrivateKeyWithPassphrase([]byte(key), []byte(passphrase))
	} else {
		signer, err = ssh.ParsePrivateKey([]byte(key))
	}
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, errors.New("the key is encrypted; give its passphrase")
	case err != nil && passphrase != "":
		return nil, fmt.Errorf("the key cannot be decrypted with the passphrase, or is none: %w", err)
	case err != nil:
		return nil, fmt.Errorf("the key is no private key that can be read (PEM, as ssh-keygen writes it): %w", err)
	}
	return signer, nil
}
