//go:build unix

package ssh

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// signers returns keys of three types, by name.
func signers(t *testing.T) map[string]ssh.Signer {
	t.Helper()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]ssh.Signer{}
	for name, private := range map[string]any{"ed": ed, "ec": ec, "rsa": rs} {
		signer, err := ssh.NewSignerFromKey(private)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = signer
	}
	return all
}

func authorizedLine(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// newCertificate returns a key with a certificate of an authority for a host, or for any if
// host is "".
func newCertificate(t *testing.T, key, authority ssh.Signer, host string) ssh.Signer {
	t.Helper()
	cert := &ssh.Certificate{
		Key: key.PublicKey(), CertType: ssh.HostCert, KeyId: "host",
		ValidAfter: uint64(time.Now().Add(-time.Hour).Unix()), ValidBefore: uint64(time.Now().Add(time.Hour).Unix()),
	}
	if host != "" {
		cert.ValidPrincipals = []string{host}
	}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewCertSigner(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// TestHostKeys logs in to machines with keys of several types, for different values of
// hostKey. HOST is the machine in known_hosts.
func TestHostKeys(t *testing.T) {
	own, other := signers(t), signers(t)
	pub := func(s ssh.Signer) string { return authorizedLine(s.PublicKey()) }
	print := func(s ssh.Signer) string { return ssh.FingerprintSHA256(s.PublicKey()) }
	all := []ssh.Signer{own["ed"], own["ec"], own["rsa"]}
	const wrong, revoked, noLine = "which is not the one in hostKey", "marks @revoked", "has no line of known_hosts"
	for _, tc := range []struct {
		name    string
		shows   []ssh.Signer
		hostKey string
		err     string
	}{
		{"a fingerprint of the first kind", all, print(own["ed"]), ""},
		{"a fingerprint of the second kind", all, print(own["ec"]), ""},
		{"a fingerprint of RSA", all, print(own["rsa"]), ""},
		{"a fingerprint of RSA, the only key", all[2:], print(own["rsa"]), ""},
		{"another's fingerprint", all, print(other["ed"]), wrong},
		{"another's fingerprint and its own", all, print(other["ed"]) + "\n" + print(own["rsa"]), ""},
		{"another's fingerprint and its own key", all, print(other["rsa"]) + "\n" + pub(own["ec"]), ""},
		{"its key of each kind", all, pub(own["rsa"]), ""},
		{"another's key of that kind", all, pub(other["rsa"]), wrong},
		{"another's key and its own of one kind", all, pub(other["ed"]) + "\n" + pub(own["ed"]), ""},
		{"its line of known_hosts", all, "HOST " + pub(own["ec"]), ""},
		{"its line under a name of the author's", all, "build.example,HOST " + pub(own["ec"]) + " root@build", ""},
		{"two lines of one kind", all, "HOST " + pub(other["ed"]) + "\nHOST " + pub(own["ed"]), ""},
		{"a line of hashed names", all, "HASHED " + pub(own["ed"]), ""},
		{"a line of another host", all, "other.example " + pub(own["ed"]), noLine},
		{"a line of another port", all, "[127.0.0.1]:1 " + pub(own["ed"]), noLine},
		{"a line that excludes the host", all, "*,!HOST " + pub(own["ed"]), noLine},
		{"a line of all hosts", all, "* " + pub(own["ed"]), ""},
		{"lines of another host and its own", all, "other.example " + pub(other["ed"]) + "\nHOST " + pub(own["ed"]), ""},
		{"its own key in a line of another host", all[:1], "other.example " + pub(own["ed"]) + "\nHOST " + pub(other["ed"]), wrong},
		{"a revoked key", all[:1], "HOST " + pub(own["ed"]) + "\n@revoked * " + pub(own["ed"]), revoked},
		{"a revoked key that is given alone", all[:1], pub(own["ed"]) + "\n@revoked other.example " + pub(own["ed"]), revoked},
		{"a revoked key by its fingerprint", all[:1], print(own["ed"]) + "\n@revoked * " + pub(own["ed"]), revoked},
		{"only a revoked key", all[:1], "@revoked * " + pub(own["ed"]), noLine},
		{"another key revoked", all[:1], "HOST " + pub(own["ed"]) + "\n@revoked * " + pub(other["ed"]), ""},
		{"a certificate", []ssh.Signer{newCertificate(t, own["ed"], own["ec"], "127.0.0.1")}, "@cert-authority HOST " + pub(own["ec"]), ""},
		{"a certificate of another authority", []ssh.Signer{newCertificate(t, own["ed"], other["ec"], "127.0.0.1")}, "@cert-authority HOST " + pub(own["ec"]), wrong},
		{"a certificate for another host", []ssh.Signer{newCertificate(t, own["ed"], own["ec"], "other.example")}, "@cert-authority HOST " + pub(own["ec"]), wrong},
		{"an authority of other hosts", []ssh.Signer{newCertificate(t, own["ed"], own["ec"], "127.0.0.1")}, "@cert-authority *.example " + pub(own["ec"]), noLine},
		{"the authority's own key as a host's", []ssh.Signer{own["ec"]}, "@cert-authority HOST " + pub(own["ec"]), "no common algorithm"},
		{"a revoked authority", []ssh.Signer{newCertificate(t, own["ed"], own["ec"], "127.0.0.1")}, "@cert-authority HOST " + pub(own["ec"]) + "\n@revoked * " + pub(own["ec"]), revoked},
		{"a certificate and the plain key", []ssh.Signer{newCertificate(t, own["ed"], own["ec"], "127.0.0.1"), own["ed"]}, pub(own["ed"]), ""},
		{"a certificate and the fingerprint", []ssh.Signer{newCertificate(t, own["ed"], own["ec"], "127.0.0.1"), own["ed"]}, print(own["ed"]), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			config := passwordConfig("sw0rdfish", false)
			for _, key := range tc.shows {
				config.AddHostKey(key)
			}
			m := newMachineWithKeys(t, config)
			to := m.target()
			to.HostKey = strings.NewReplacer("HOST", knownhosts.Normalize(m.address), "HASHED", knownhosts.HashHostname(knownhosts.Normalize(m.address))).Replace(tc.hostKey)
			c, err := Connect(t.Context(), dial, to, func(error) {})
			if err == nil {
				c.Close()
			}
			var key *HostKeyError
			switch {
			case tc.err == "" && err != nil:
				t.Error(err)
			case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
				t.Errorf("got %v, want %q", err, tc.err)
			case (tc.err == wrong || tc.err == revoked) && !errors.As(err, &key):
				t.Errorf("%v is not a *HostKeyError", err)
			}
		})
	}
}

// newMachineWithKeys returns a machine with the host keys in the configuration.
func newMachineWithKeys(t *testing.T, config *ssh.ServerConfig) *machine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, config, listener)
}
