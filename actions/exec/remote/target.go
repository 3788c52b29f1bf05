// Package remote runs commands on other machines over SSH, and puts files there.
// A machine is known by its host key, always: there is no way to skip that.
package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
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
	// file, as in known_hosts, or as a fingerprint ("SHA256:…").
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

// config is how the SSH library logs in at the target. Errors are the author's or
// the user's to mend, and nothing was sent.
func (t *Target) config(ctx context.Context) (*ssh.ClientConfig, func(), error) {
	hosts, err := parseHostKeys(t.HostKey)
	if err != nil {
		return nil, nil, err
	}
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

// hostKeys are those that a machine may have.
type hostKeys struct {
	keys         []ssh.PublicKey
	fingerprints []string
}

func parseHostKeys(text string) (*hostKeys, error) {
	h := &hostKeys{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "SHA256:") && !strings.ContainsAny(line, " \t"):
			h.fingerprints = append(h.fingerprints, strings.TrimRight(line, "="))
			continue
		}
		key, err := parseHostKey(line)
		if err != nil {
			return nil, err
		}
		h.keys = append(h.keys, key)
	}
	if h.keys == nil && h.fingerprints == nil {
		return nil, errors.New("hostKey is empty; ask somebody you trust for the machine's, or read it there with `ssh-keyscan localhost`")
	}
	return h, nil
}

// parseHostKey reads a line of a .pub file, or one of known_hosts, which has the
// names of hosts before the same.
func parseHostKey(line string) (ssh.PublicKey, error) {
	fields := strings.Fields(line)
	for start := range min(len(fields), 3) {
		rest := strings.Join(fields[start:], " ")
		if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(rest)); err == nil && strings.HasPrefix(fields[start], key.Type()) {
			return key, nil
		}
	}
	return nil, errors.New("hostKey is no public key; write a line like `ssh-ed25519 AAAA…`, or a fingerprint like `SHA256:…`")
}

// algorithms are those of the keys, so that a machine with several shows one that
// is known; nil, any, where only a fingerprint is.
func (h *hostKeys) algorithms() []string {
	if h.fingerprints != nil {
		return nil
	}
	var out []string
	for _, k := range h.keys {
		if k.Type() == ssh.KeyAlgoRSA {
			out = append(out, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
			continue
		}
		out = append(out, k.Type())
	}
	return out
}

// check refuses a machine that is another than is meant.
func (h *hostKeys) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	if slices.ContainsFunc(h.keys, func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), key.Marshal()) }) ||
		slices.Contains(h.fingerprints, ssh.FingerprintSHA256(key)) {
		return nil
	}
	return &HostKeyError{Fingerprint: ssh.FingerprintSHA256(key)}
}

// HostKeyError is the error of a machine whose key is not the one that is given:
// it was set up anew, or it is another machine that poses as it.
type HostKeyError struct {
	// Fingerprint is that of the key that it has shown.
	Fingerprint string
}

func (e *HostKeyError) Error() string {
	return fmt.Sprintf("the machine shows the host key %s, which is not the one in hostKey; "+
		"if it was set up anew, find out its key from somebody you trust and change hostKey; nothing was sent to it", e.Fingerprint)
}
