// Package ssh runs commands and writes files on other machines over SSH. It always verifies
// the host key of a machine; this cannot be disabled.
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

// Target is a machine, and the user that logs in.
type Target struct {
	Host string
	// Port is the port; 0 means 22.
	Port int
	User string
	// Key is a private key in PEM. Passphrase decrypts it.
	Key, Passphrase string
	Password        string
	// AgentSocket is the socket of an ssh-agent that provides keys; "" is none.
	AgentSocket string
	// HostKey are the accepted host keys, one per line: as in a .pub file, as in known_hosts
	// (only lines that name the machine count, and markers apply), or as a fingerprint
	// ("SHA256:…").
	HostKey string
	// Jump is the jump host, or nil.
	Jump *Target
	// ConnectTimeout limits one attempt to connect and log in; 0 means 15 seconds.
	ConnectTimeout time.Duration
	// RetryFor is how long to retry if a machine does not respond or does not accept the key
	// yet, because it may be booting. 0 means one attempt.
	RetryFor time.Duration
}

const defaultConnectTimeout = 15 * time.Second

// Address returns "host:port".
func (t *Target) Address() string {
	port := t.Port
	if port == 0 {
		port = 22
	}
	return net.JoinHostPort(t.Host, strconv.Itoa(port))
}

// String names the target in messages: "ssh://user@host:22".
func (t *Target) String() string { return "ssh://" + t.User + "@" + t.Address() }

// fingerprint returns a text that identifies the target with all its settings.
func (t *Target) fingerprint() string {
	h := sha256.New()
	for at := t; at != nil; at = at.Jump {
		fmt.Fprintf(h, "%q %q %q %q %q %q %q\n", at.Address(), at.User, at.Key, at.Passphrase, at.Password, at.AgentSocket, at.HostKey)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// clientConfig returns the configuration for the SSH library. Its errors are mistakes in the
// arguments, and nothing was sent.
func (t *Target) clientConfig(ctx context.Context, hosts *hostKeys) (*ssh.ClientConfig, func(), error) {
	methods, release, err := t.authMethods(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &ssh.ClientConfig{
		User: t.User, Auth: methods, HostKeyCallback: hosts.check, HostKeyAlgorithms: hosts.algorithms(),
		ClientVersion: "SSH-2.0-declprov",
	}, release, nil
}

// authMethods returns the authentication methods.
func (t *Target) authMethods(ctx context.Context) (_ []ssh.AuthMethod, release func(), err error) {
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
			return nil, nil, fmt.Errorf("the ssh-agent does not respond: %w; start one, and set SSH_AUTH_SOCK", err)
		}
		release = func() { conn.Close() }
		methods = append(methods, ssh.PublicKeysCallback(agent.NewClient(conn).Signers))
	}
	if t.Password != "" {
		methods = append(methods, ssh.Password(t.Password), ssh.KeyboardInteractive(t.answerQuestions))
	}
	if methods == nil {
		return nil, nil, errors.New("nothing to log in with; set key, password or agent: true")
	}
	return methods, release, nil
}

// answerQuestions answers questions of the server whose answers are not echoed with the
// password, and others with "".
func (t *Target) answerQuestions(_, _ string, questions []string, echos []bool) ([]string, error) {
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
		return nil, errors.New("the key is encrypted; set its passphrase")
	case err != nil && passphrase != "":
		return nil, fmt.Errorf("the key is invalid, or cannot be decrypted with the passphrase: %w", err)
	case err != nil:
		return nil, fmt.Errorf("the key is not a private key in PEM, as written by ssh-keygen: %w", err)
	}
	return signer, nil
}
