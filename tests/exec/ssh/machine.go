// Package ssh tests commands on another machine against a real sshd: on loopback,
// as the user who runs the test, with a key, a port and a folder of its own.
package ssh

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// machine is where an sshd runs, or will.
type machine struct {
	port          int
	user, hostKey string
	key           string // of the only one who may log in
	// dir is a folder on it that is gone after the test; home is elsewhere.
	dir, conf string
	program   string
}

// newMachine prepares one that has not booted yet.
func newMachine(t testing.TB) *machine {
	t.Helper()
	program := tools.Need(t, tools.SSHD)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if me.Uid == "0" {
		// What its package's service makes: sshd starts without it as nobody but
		// root.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m := &machine{port: daemon.FreePort(t), user: me.Username, dir: t.TempDir(), conf: t.TempDir(), program: program}
	hostPrivate, hostPublic := keyPair(t)
	private, public := keyPair(t)
	m.hostKey, m.key = hostPublic, private
	m.write(t, "host_key", hostPrivate)
	m.write(t, "authorized_keys", public)
	m.write(t, "sshd_config", strings.Join([]string{
		"Port " + strconv.Itoa(m.port), "ListenAddress 127.0.0.1", "HostKey " + m.at("host_key"),
		"AuthorizedKeysFile " + m.at("authorized_keys"), "PidFile none", "StrictModes no", "UsePAM no",
		"PasswordAuthentication no", "PermitRootLogin prohibit-password", "Subsystem sftp internal-sftp", "LogLevel VERBOSE",
	}, "\n")+"\n")
	return m
}

// boot starts it.
func (m *machine) boot(t testing.TB) *machine {
	t.Helper()
	daemon.Start(t, m.conf, m.port, m.program, "-D", "-e", "-f", m.at("sshd_config"))
	return m
}

func (m *machine) at(name string) string { return filepath.Join(m.conf, name) }

func (m *machine) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(m.at(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// env is the configuration of examples/remote.cue.
func (m *machine) env() []string {
	return []string{
		"REMOTE_HOST=127.0.0.1", "REMOTE_PORT=" + strconv.Itoa(m.port), "REMOTE_USER=" + m.user,
		"REMOTE_KEY=" + m.key, "REMOTE_HOST_KEY=" + m.hostKey,
	}
}

// logIns is how often somebody has logged in.
func (m *machine) logIns(t testing.TB) int {
	t.Helper()
	log, err := os.ReadFile(m.at("server.log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(log), "Accepted publickey")
}

// keyPair is a private key, and its public half as a line.
func keyPair(t testing.TB) (private, public string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block)), string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
}
