package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/declprov/declprov/actions/sys/files"
)

// hostKeys are the keys that a machine may have.
type hostKeys struct {
	// address is the machine's, "host:port".
	address string
	// keys may be shown by the machine under any name; fingerprints are of such.
	keys         []ssh.PublicKey
	fingerprints []string
	// known are the lines of known_hosts that name the machine, authorities those
	// of them that are marked @cert-authority.
	known, authorities []knownHost
	// revoked are the keys that no machine may have, whatever else says so.
	revoked []ssh.PublicKey
	// shown are the kinds of keys that the machine has shown and that have another
	// fingerprint.
	shown []string
}

// knownHost is one line of known_hosts, as the library judges it.
type knownHost struct {
	key   ssh.PublicKey
	check ssh.HostKeyCallback
}

// parseHostKeys reads the keys that the machine at an address may have.
func parseHostKeys(text, address string) (*hostKeys, error) {
	h := &hostKeys{address: address}
	foreign := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "SHA256:") && !strings.ContainsAny(line, " \t"):
			h.fingerprints = append(h.fingerprints, strings.TrimRight(line, "="))
			continue
		}
		if key, ok := publicKey(line); ok {
			h.keys = append(h.keys, key)
			continue
		}
		named, err := h.addKnown(line)
		if err != nil {
			return nil, err
		}
		if !named {
			foreign++
		}
	}
	switch {
	case h.keys != nil || h.fingerprints != nil || h.known != nil || h.authorities != nil:
		return h, nil
	case foreign > 0 || h.revoked != nil:
		return nil, fmt.Errorf("hostKey has no line of known_hosts for %s; add the machine's, or write its key alone, as in a .pub file", knownhosts.Normalize(address))
	default:
		return nil, errors.New("hostKey is empty; ask somebody you trust for the machine's, or read it there with `ssh-keyscan localhost`")
	}
}

// publicKey reads a line of a .pub file.
func publicKey(line string) (ssh.PublicKey, bool) {
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	return key, err == nil && options == nil && strings.HasPrefix(line, key.Type())
}

// addKnown adds a line of known_hosts, and reports whether it is about the
// machine.
func (h *hostKeys) addKnown(line string) (bool, error) {
	marker, hosts, key, _, _, err := ssh.ParseKnownHosts([]byte(line + "\n"))
	if err != nil {
		return false, errors.New("hostKey is no public key; write a line like `ssh-ed25519 AAAA…`, a line of known_hosts, or a fingerprint like `SHA256:…`")
	}
	if marker == "revoked" { // of all machines: that key is in other hands
		h.revoked = append(h.revoked, key)
		return true, nil
	}
	if slices.Equal(hosts, []string{"*"}) { // of every port, for ssh(1); of 22 alone, for the library
		line = strings.Replace(line, "*", knownhosts.Normalize(h.address), 1)
	}
	check, err := knownHosts(line)
	if err != nil {
		return false, fmt.Errorf("hostKey: %w", err)
	}
	// The library compares the keys that it knows of the machine with the one that
	// is shown; one that is none of them makes it list them.
	var wrong *knownhosts.KeyError
	if err := check(h.address, &net.TCPAddr{}, otherKey{}); !errors.As(err, &wrong) || len(wrong.Want) == 0 {
		return false, nil
	}
	if marker == "cert-authority" {
		h.authorities = append(h.authorities, knownHost{key, check})
	} else {
		h.known = append(h.known, knownHost{key, check})
	}
	return true, nil
}

// knownHosts has the library read one line. It reads files, and of several keys
// of one kind it takes the first, so each line is a file.
func knownHosts(line string) (ssh.HostKeyCallback, error) {
	file, err := files.CreateTemp("declprov-known-host-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(line + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return knownhosts.New(file.Name())
}

// otherKey is a key that no machine has.
type otherKey struct{}

func (otherKey) Type() string                        { return "none" }
func (otherKey) Marshal() []byte                     { return nil }
func (otherKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// algorithms are those by which the machine may show its key, so that a machine
// with several shows one that is known. Of a fingerprint nobody knows the kind: all
// that the machine has not shown yet.
func (h *hostKeys) algorithms() []string {
	var out []string
	if h.fingerprints != nil {
		for _, algorithm := range ssh.SupportedAlgorithms().HostKeys {
			if !strings.Contains(algorithm, "-cert-") && !slices.Contains(h.shown, kindOf(algorithm)) {
				out = append(out, algorithm)
			}
		}
		return append(h.certificates(), out...)
	}
	out = h.certificates()
	add := func(kind string) {
		if kind == ssh.KeyAlgoRSA {
			out = append(out, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
			return
		}
		out = append(out, kind)
	}
	for _, k := range h.keys {
		add(k.Type())
	}
	for _, k := range h.known {
		add(k.key.Type())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// certificates are the algorithms of certificates, where an authority is known.
func (h *hostKeys) certificates() []string {
	if h.authorities == nil {
		return nil
	}
	return slices.DeleteFunc(ssh.SupportedAlgorithms().HostKeys, func(algorithm string) bool { return !strings.Contains(algorithm, "-cert-") })
}

// kindOf returns the kind of key that an algorithm signs with.
func kindOf(algorithm string) string {
	if algorithm == ssh.KeyAlgoRSASHA256 || algorithm == ssh.KeyAlgoRSASHA512 {
		return ssh.KeyAlgoRSA
	}
	return algorithm
}

// check refuses a machine that is another than is meant.
func (h *hostKeys) check(_ string, remote net.Addr, key ssh.PublicKey) error {
	same := func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), key.Marshal()) }
	by := key
	cert, certified := key.(*ssh.Certificate)
	if certified {
		by = cert.SignatureKey
	}
	for _, revoked := range h.revoked {
		for _, k := range []ssh.PublicKey{key, by} {
			if bytes.Equal(revoked.Marshal(), k.Marshal()) {
				return &HostKeyError{Fingerprint: ssh.FingerprintSHA256(k), Revoked: true, kind: key.Type()}
			}
		}
	}
	switch {
	case certified:
		if slices.ContainsFunc(h.authorities, func(a knownHost) bool { return a.check(h.address, remote, key) == nil }) {
			return nil
		}
	case slices.ContainsFunc(h.keys, same),
		slices.ContainsFunc(h.known, func(k knownHost) bool { return same(k.key) }),
		slices.Contains(h.fingerprints, ssh.FingerprintSHA256(key)):
		return nil
	}
	return &HostKeyError{Fingerprint: ssh.FingerprintSHA256(by), kind: key.Type()}
}

// another reports whether the machine may have another key that has the
// fingerprint, after it has shown one that has not.
func (h *hostKeys) another(err error) bool {
	var wrong *HostKeyError
	if h.fingerprints == nil || !errors.As(err, &wrong) || wrong.Revoked || slices.Contains(h.shown, wrong.kind) {
		return false
	}
	h.shown = append(h.shown, wrong.kind)
	return len(h.algorithms()) > 0
}

// HostKeyError is the error of a machine whose key is not the one that is given:
// it was set up anew, or it is another machine that poses as it.
type HostKeyError struct {
	// Fingerprint is that of the key that it has shown.
	Fingerprint string
	// Revoked says that the key is marked @revoked.
	Revoked bool
	// kind is the kind of the key.
	kind string
}

func (e *HostKeyError) Error() string {
	if e.Revoked {
		return fmt.Sprintf("the machine shows the host key %s, which hostKey marks @revoked: somebody else may have it; nothing was sent to it", e.Fingerprint)
	}
	return fmt.Sprintf("the machine shows the host key %s, which is not the one in hostKey; "+
		"if it was set up anew, find out its key from somebody you trust and change hostKey; nothing was sent to it", e.Fingerprint)
}
