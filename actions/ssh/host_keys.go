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

// hostKeys are the accepted host keys of a machine.
type hostKeys struct {
	// address is the address of the machine, "host:port".
	address string
	// keys and fingerprints are accepted under any host name.
	keys         []ssh.PublicKey
	fingerprints []string
	// known are the lines of known_hosts that name the machine, without marker; authorities are
	// those with the marker @cert-authority.
	known, authorities []knownHost
	// revoked are keys that are never accepted.
	revoked []ssh.PublicKey
	// shownKinds are the types of the keys that the machine has shown and that do not match a
	// fingerprint. A fingerprint does not tell the type of its key, so the next connection asks
	// for a key of another type.
	shownKinds []string
}

// knownHost is one line of known_hosts, with the check of the library.
type knownHost struct {
	key   ssh.PublicKey
	check ssh.HostKeyCallback
}

// parseHostKeys parses the argument hostKey for the machine at an address.
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
		return nil, fmt.Errorf("hostKey has no line of known_hosts for %s; add that line, or use only the key, as in a .pub file", knownhosts.Normalize(address))
	default:
		return nil, fmt.Errorf("hostKey is empty; get the host key from somebody you trust, or run `%s` on the machine", keyscan(address))
	}
}

// keyscan returns the command that prints the host keys on the machine itself.
func keyscan(address string) string {
	if _, port, err := net.SplitHostPort(address); err == nil && port != "22" {
		return "ssh-keyscan -p " + port + " localhost"
	}
	return "ssh-keyscan localhost"
}

// publicKey parses a line of a .pub file.
func publicKey(line string) (ssh.PublicKey, bool) {
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	return key, err == nil && options == nil && strings.HasPrefix(line, key.Type())
}

// addKnown adds a line of known_hosts, and reports whether it applies to the machine.
func (h *hostKeys) addKnown(line string) (bool, error) {
	marker, hosts, key, _, _, err := ssh.ParseKnownHosts([]byte(line + "\n"))
	if err != nil {
		return false, errors.New("hostKey is not a public key; expected a line like `ssh-ed25519 AAAA…`, a line of known_hosts, or a fingerprint like `SHA256:…`")
	}
	if marker == "revoked" { // for all machines: somebody else has that key
		h.revoked = append(h.revoked, key)
		return true, nil
	}
	if slices.Equal(hosts, []string{"*"}) { // matches every port in ssh(1), but only 22 in the library
		line = strings.Replace(line, "*", knownhosts.Normalize(h.address), 1)
	}
	check, err := knownHosts(line)
	if err != nil {
		return false, fmt.Errorf("hostKey: %w", err)
	}
	// Check a key that no machine has: the library then lists the keys that it knows for the
	// machine.
	var wrong *knownhosts.KeyError
	if err := check(h.address, &net.TCPAddr{}, unknownKey{}); !errors.As(err, &wrong) || len(wrong.Want) == 0 {
		return false, nil
	}
	if marker == "cert-authority" {
		h.authorities = append(h.authorities, knownHost{key, check})
	} else {
		h.known = append(h.known, knownHost{key, check})
	}
	return true, nil
}

// knownHosts parses one line with the library. The library reads files, and uses the first of
// several keys of one type, so each line gets its own file.
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

// unknownKey is a key that no machine has.
type unknownKey struct{}

func (unknownKey) Type() string                        { return "none" }
func (unknownKey) Marshal() []byte                     { return nil }
func (unknownKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// algorithms returns the host key algorithms to negotiate, so that a machine with several
// keys shows an accepted one. The type of a fingerprint is unknown, so these are all types
// that the machine has not shown yet.
func (h *hostKeys) algorithms() []string {
	var out []string
	if h.fingerprints != nil {
		for _, algorithm := range ssh.SupportedAlgorithms().HostKeys {
			if !strings.Contains(algorithm, "-cert-") && !slices.Contains(h.shownKinds, kindOf(algorithm)) {
				out = append(out, algorithm)
			}
		}
		return append(h.certificateAlgorithms(), out...)
	}
	out = h.certificateAlgorithms()
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

// certificateAlgorithms returns the algorithms for certificates, if there is an authority.
func (h *hostKeys) certificateAlgorithms() []string {
	if h.authorities == nil {
		return nil
	}
	return slices.DeleteFunc(ssh.SupportedAlgorithms().HostKeys, func(algorithm string) bool { return !strings.Contains(algorithm, "-cert-") })
}

// kindOf returns the key type of an algorithm.
func kindOf(algorithm string) string {
	if algorithm == ssh.KeyAlgoRSASHA256 || algorithm == ssh.KeyAlgoRSASHA512 {
		return ssh.KeyAlgoRSA
	}
	return algorithm
}

// check returns an error if the key is not accepted.
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

// tryAnotherKind reports whether to connect again for a key of another type, since the
// machine has shown a key that does not match a fingerprint.
func (h *hostKeys) tryAnotherKind(err error) bool {
	var wrong *HostKeyError
	if h.fingerprints == nil || !errors.As(err, &wrong) || wrong.Revoked || slices.Contains(h.shownKinds, wrong.kind) {
		return false
	}
	h.shownKinds = append(h.shownKinds, wrong.kind)
	return len(h.algorithms()) > 0
}

// HostKeyError is the error of a machine with a host key that is not accepted. The machine
// was reinstalled, or another machine impersonates it.
type HostKeyError struct {
	// Fingerprint is the fingerprint of the key.
	Fingerprint string
	// Revoked says that the key is marked @revoked.
	Revoked bool
	// kind is the type of the key.
	kind string
}

func (e *HostKeyError) Error() string {
	if e.Revoked {
		return fmt.Sprintf("the machine has the host key %s, which hostKey marks @revoked: somebody else may have it; nothing was sent to it", e.Fingerprint)
	}
	return fmt.Sprintf("the machine has the host key %s, which is not the one in hostKey; "+
		"if the machine was reinstalled, get its key from somebody you trust and change hostKey; nothing was sent to it", e.Fingerprint)
}
