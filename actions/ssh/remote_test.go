//go:build unix

package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions/sys/process"
)

func itoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// passwordConfig accepts a password, either directly or by a question.
func passwordConfig(password string, asQuestion bool) *ssh.ServerConfig {
	wrong := errors.New("wrong")
	if asQuestion {
		return &ssh.ServerConfig{KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			got, err := ask("", "", []string{"Password: "}, []bool{false})
			if err != nil || got[0] != password {
				return nil, wrong
			}
			return nil, nil
		}}
	}
	return &ssh.ServerConfig{PasswordCallback: func(_ ssh.ConnMetadata, got []byte) (*ssh.Permissions, error) {
		if string(got) != password {
			return nil, wrong
		}
		return nil, nil
	}}
}

func keyConfig(allowed ssh.PublicKey) *ssh.ServerConfig {
	return &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if !bytes.Equal(key.Marshal(), allowed.Marshal()) {
			return nil, errors.New("unknown")
		}
		return nil, nil
	}}
}

// target returns a target for the machine with a password.
func (m *machine) target() *Target {
	host, port, _ := net.SplitHostPort(m.address)
	n, _ := strconv.Atoi(port)
	return &Target{Host: host, Port: n, User: "me", Password: "sw0rdfish", HostKey: m.hostKey}
}

func mustConnect(t *testing.T, to *Target) *Client {
	t.Helper()
	c, err := Connect(t.Context(), dial, to, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// runCommand runs a command and returns its output.
func runCommand(t *testing.T, c *Client, cmd process.Command) (stdout, stderr string, exit process.Exit) {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	exit, fault := c.Run(t.Context(), &cmd)
	if fault != nil {
		t.Fatal(fault)
	}
	return out.String(), err.String(), exit
}

func TestLogIn(t *testing.T) {
	t.Parallel()
	signer, plain := keyPair(t, "")
	locked, encrypted := keyPair(t, "open sesame")
	socket := filepath.Join(t.TempDir(), "agent")
	serveAgent(t, socket, plain)
	m := newMachine(t, passwordConfig("sw0rdfish", false))
	fingerprint := func(key string) string {
		parsed, _ := publicKey(key)
		return ssh.FingerprintSHA256(parsed)
	}
	_, otherHost := keyPair(t, "")
	other, _ := ssh.ParsePrivateKey([]byte(otherHost))
	for _, tt := range []struct {
		name    string
		machine *ssh.ServerConfig
		with    func(*Target)
		err     string
	}{
		{"a password", passwordConfig("sw0rdfish", false), func(*Target) {}, ""},
		{"a password by a question", passwordConfig("sw0rdfish", true), func(*Target) {}, ""},
		{"a key", keyConfig(signer.PublicKey()), func(to *Target) { to.Password, to.Key = "", strings.TrimSpace(plain) }, ""},
		{"an encrypted key", keyConfig(locked.PublicKey()), func(to *Target) { to.Password, to.Key, to.Passphrase = "", encrypted, "open sesame" }, ""},
		{"an agent", keyConfig(signer.PublicKey()), func(to *Target) { to.Password, to.AgentSocket = "", socket }, ""},
		{"a line of known_hosts", passwordConfig("sw0rdfish", false), func(to *Target) {
			to.HostKey = fmt.Sprintf("# the machine\n[127.0.0.1]:%d,host %s root@host\n", to.Port, to.HostKey)
		}, ""},
		{"by its fingerprint", passwordConfig("sw0rdfish", false), func(to *Target) { to.HostKey = fingerprint(to.HostKey) }, ""},
		{"via a jump host", passwordConfig("sw0rdfish", false), func(to *Target) { to.Jump = m.target() }, ""},
		{"the wrong password", passwordConfig("other", false), func(*Target) {}, "refused the login"},
		{"the wrong key", keyConfig(locked.PublicKey()), func(to *Target) { to.Password, to.Key = "", plain }, "authorized_keys"},
		{"no passphrase", keyConfig(locked.PublicKey()), func(to *Target) { to.Key = encrypted }, "set its passphrase"},
		{"a wrong passphrase", keyConfig(locked.PublicKey()), func(to *Target) { to.Key, to.Passphrase = encrypted, "x" }, "cannot be decrypted"},
		{"no key at all", passwordConfig("sw0rdfish", false), func(to *Target) { to.Key = "hello" }, "not a private key"},
		{"nothing", passwordConfig("sw0rdfish", false), func(to *Target) { to.Password = "" }, "nothing to log in with"},
		{"no agent", passwordConfig("sw0rdfish", false), func(to *Target) { to.AgentSocket = socket + "x" }, "set SSH_AUTH_SOCK"},
		{"another host key", passwordConfig("sw0rdfish", false), func(to *Target) { to.HostKey = string(ssh.MarshalAuthorizedKey(other.PublicKey())) }, "nothing was sent to it"},
		{"another fingerprint", passwordConfig("sw0rdfish", false), func(to *Target) { to.HostKey = ssh.FingerprintSHA256(other.PublicKey()) }, "which is not the one in hostKey"},
		{"no host key", passwordConfig("sw0rdfish", false), func(to *Target) { to.HostKey = " \n" }, "hostKey is empty"},
		{"an invalid host key", passwordConfig("sw0rdfish", false), func(to *Target) { to.HostKey = "any" }, "hostKey is not a public key"},
		{"via a missing jump host", passwordConfig("sw0rdfish", false), func(to *Target) {
			to.Jump = &Target{Host: "127.0.0.1", Port: 1, User: "me", Password: "x", HostKey: to.HostKey}
		}, "via ssh://me@127.0.0.1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to := newMachine(t, tt.machine).target()
			tt.with(to)
			c, err := Connect(t.Context(), dial, to, func(error) { t.Error("it was retried") })
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("expected an error with %q, got %v", tt.err, err)
				}
				if err != nil && to.Password != "" && strings.Contains(err.Error(), to.Password) {
					t.Errorf("the error shows the password: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if out, _, _ := runCommand(t, c, process.Command{Args: []string{"echo", "hello"}}); out != "hello\n" {
				t.Errorf("got %q", out)
			}
		})
	}
}

func serveAgent(t *testing.T, socket, key string) {
	t.Helper()
	raw, err := ssh.ParseRawPrivateKey([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: raw}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(ring, conn)
		}
	}()
}

// TestRetry checks that a machine that is booting is retried until it responds, and that one
// with another host key, or that refuses the password, is not.
func TestRetry(t *testing.T) {
	t.Parallel()
	m := newMachine(t, passwordConfig("sw0rdfish", false))
	m.mu.Lock()
	m.refuse = 1
	m.mu.Unlock()
	to := m.target()
	to.RetryFor = time.Minute
	waits := 0
	c, err := Connect(t.Context(), dial, to, func(err error) { waits++ })
	if err != nil || waits != 1 {
		t.Fatalf("%v after %d retries", err, waits)
	}
	c.Close()
	for name, change := range map[string]func(*Target){
		"password": func(to *Target) { to.Password = "no" },
		"host key": func(to *Target) { to.HostKey = "SHA256:x" },
		"mistake":  func(to *Target) { to.Key = "x" },
	} {
		to := newMachine(t, passwordConfig("sw0rdfish", false)).target()
		to.RetryFor = time.Minute
		change(to)
		if _, err := Connect(t.Context(), dial, to, func(err error) { t.Errorf("%s is retried: %v", name, err) }); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestSilentMachine checks that a machine that accepts the connection and never responds is
// given up.
func TestSilentMachine(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := machine{address: l.Addr().String(), hostKey: "SHA256:x"}
	to := m.target()
	to.ConnectTimeout = 50 * time.Millisecond
	if _, err := Connect(t.Context(), dial, to, nil); err == nil || !strings.Contains(err.Error(), "no response within 50ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	to.ConnectTimeout = time.Minute
	if _, err := Connect(ctx, dial, to, nil); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	c := mustConnect(t, newMachine(t, passwordConfig("sw0rdfish", false)).target())
	for _, tt := range []struct {
		name           string
		cmd            process.Command
		stdout, stderr string
		exit           process.Exit
	}{
		{"both outputs", process.Command{Args: []string{"sh", "-c", "echo out; echo err >&2"}}, "out\n", "err\n", process.Exit{}},
		{"a code", process.Command{Args: []string{"sh", "-c", "exit 7"}}, "", "", process.Exit{Code: 7}},
		{"a signal", process.Command{Args: []string{"sh", "-c", "kill -KILL $$"}}, "", "", process.Exit{Code: -1, Signal: "SIGKILL"}},
		{"stdin", process.Command{Args: []string{"cat"}, Stdin: strings.NewReader("in\x00\xff")}, "in\x00\xff", "", process.Exit{}},
		{"no stdin", process.Command{Args: []string{"cat"}}, "", "", process.Exit{}},
		{"a folder", process.Command{Args: []string{"pwd"}, Dir: "/"}, "/\n", "", process.Exit{}},
		{"a variable", process.Command{Args: []string{"sh", "-c", `printf %s "$A_1"`}, Env: []string{"A_1=it's $HOME\n"}}, "it's $HOME\n", "", process.Exit{}},
		{"timeout", process.Command{Args: []string{"sleep", "600"}, Timeout: 10 * time.Second, Grace: time.Minute}, "", "", process.Exit{Code: -1, Signal: "SIGTERM", Ended: process.ErrTimeout}},
		{
			"timeout of a command that ignores SIGTERM",
			process.Command{Args: []string{"sh", "-c", "trap '' TERM; echo on; while :; do sleep 1; done"}, Timeout: 10 * time.Second, Grace: 30 * time.Millisecond},
			"on\n", "",
			process.Exit{Code: -1, Signal: "SIGKILL", Ended: process.ErrTimeout},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, exit := runCommand(t, c, tt.cmd)
			if diff := cmp.Diff([]any{tt.stdout, tt.stderr}, []any{stdout, stderr}); diff != "" || exit != tt.exit {
				t.Errorf("%+v, want %+v; (-want +got):\n%s", exit, tt.exit, diff)
			}
		})
	}
	for _, bad := range []process.Command{
		{Args: []string{"a\x00"}},
		{Args: []string{"a"}, Env: []string{"A B=c"}},
		{Args: []string{"a"}, Env: []string{"PATH"}},
		{Args: []string{"a"}, Dir: "\x00"},
		{Args: []string{"-a"}},
	} {
		var start *process.StartError
		if _, err := c.Run(t.Context(), &bad); !errors.As(err, &start) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestBytes checks that arguments, variables and stdin reach the command unchanged.
func TestBytes(t *testing.T) {
	t.Parallel()
	c := mustConnect(t, newMachine(t, passwordConfig("sw0rdfish", false)).target())
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("'\"\\$`!\n\r\t *?[]{}()~#&|;<>=-"))), rapid.StringMatching(`[\x01-\xff]{0,40}`))
	rapid.Check(t, func(rt *rapid.T) {
		clean := func(s string) string { return strings.ReplaceAll(s, "\x00", "") }
		arg, env, stdin := clean(text.Draw(rt, "arg")), clean(text.Draw(rt, "env")), text.Draw(rt, "stdin")
		var out bytes.Buffer
		exit, err := c.Run(t.Context(), &process.Command{
			Args: []string{"sh", "-c", `printf '%s|%s|' "$1" "$V"; cat`, "sh", arg}, Env: []string{"V=" + env}, Stdin: strings.NewReader(stdin), Stdout: &out,
		})
		if err != nil || exit != (process.Exit{}) || out.String() != arg+"|"+env+"|"+stdin {
			rt.Fatalf("%v %+v: %q, want %q", err, exit, out.String(), arg+"|"+env+"|"+stdin)
		}
	})
}

// TestBrokenConnection checks that a command has an unknown outcome if the connection breaks.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	m := newMachine(t, passwordConfig("sw0rdfish", false))
	c := mustConnect(t, m.target())
	out := &firstWrite{first: make(chan struct{})}
	go func() { <-out.first; m.hangUp() }()
	_, err := c.Run(t.Context(), &process.Command{Args: []string{"sh", "-c", "echo; sleep 5"}, Stdout: out})
	if !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
	var start *process.StartError
	if _, err := c.Run(t.Context(), &process.Command{Args: []string{"true"}}); !errors.As(err, &start) {
		t.Errorf("after the break: %v", err)
	}
}

type firstWrite struct {
	once  sync.Once
	first chan struct{}
}

func (s *firstWrite) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.first) })
	return len(p), nil
}

func TestPool(t *testing.T) {
	t.Parallel()
	m := newMachine(t, passwordConfig("sw0rdfish", false))
	p := NewPool()
	var all sync.WaitGroup
	for range 3 * perConnection {
		all.Go(func() {
			c, release, err := p.Get(t.Context(), dial, m.target(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			if _, err := c.Run(t.Context(), &process.Command{Args: []string{"sleep", "0.05"}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	dials := m.dialCount()
	if dials < 1 || dials > 3 {
		t.Errorf("%d connections for %d commands", dials, 3*perConnection)
	}
	m.hangUp()
	deadline := time.Now().Add(time.Minute)
	for p.alive() > 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	c, release, err := p.Get(t.Context(), dial, m.target(), nil)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if m.dialCount() != dials+1 || !c.Alive() {
		t.Errorf("a broken connection is reused")
	}
}

func (p *Pool) alive() int {
	n := 0
	for _, l := range p.targets {
		p.mu.Lock()
		n += len(slices.DeleteFunc(slices.Clone(l.clients), func(h *pooledClient) bool { return !h.Alive() }))
		p.mu.Unlock()
	}
	return n
}

// TestFewSessions checks that a machine that temporarily refuses sessions is asked again, for
// commands and transfers, and that one that never accepts any is an error.
func TestFewSessions(t *testing.T) {
	t.Parallel()
	m := newMachine(t, passwordConfig("sw0rdfish", false))
	m.maxSessions = 1
	c := mustConnect(t, m.target())
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			files, err := c.Files(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			files.Close()
			var out bytes.Buffer
			exit, err := c.Run(t.Context(), &process.Command{Args: []string{"echo", strconv.Itoa(i)}, Stdout: &out, Stderr: io.Discard})
			if err != nil || exit.Code != 0 || out.String() != fmt.Sprintln(i) {
				t.Errorf("%d: %+v, %v, %q", i, exit, err, out.String())
			}
		})
	}
	all.Wait()
	if m.refused.Load() == 0 {
		t.Error("no session was refused, so the test checks nothing")
	}
	m = newMachine(t, passwordConfig("sw0rdfish", false))
	m.maxSessions = -1
	c = mustConnect(t, m.target())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Run(ctx, &process.Command{Args: []string{"true"}}); !errors.As(err, new(*process.StartError)) {
		t.Errorf("got %v", err)
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	c := mustConnect(t, newMachine(t, passwordConfig("sw0rdfish", false)).target())
	f, err := c.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	name := filepath.Join(dir, "a", "b", "it's")
	for i, text := range []string{"one", strings.Repeat("x", 1<<20)} {
		if err := f.Put(t.Context(), name, 0o640, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		info, _ := os.Stat(name)
		if err != nil || string(got) != text || info.Mode().Perm() != 0o640 {
			t.Errorf("%d: %v, %d bytes, %v", i, err, len(got), info.Mode())
		}
	}
	broken := io.MultiReader(strings.NewReader("half"), failingReader{})
	if err := f.Put(t.Context(), name, 0o640, broken); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("a source that fails: %v", err)
	}
	entries, _ := os.ReadDir(filepath.Dir(name))
	if got, _ := os.ReadFile(name); len(got) != 1<<20 || len(entries) != 1 {
		t.Errorf("the old file is gone, or a temporary file remains: %d bytes, %v", len(got), entries)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, fmt.Errorf("no more") }

// TestInputFails checks that a command does not take a part of its stdin for the whole.
func TestInputFails(t *testing.T) {
	t.Parallel()
	c := mustConnect(t, newMachine(t, passwordConfig("sw0rdfish", false)).target())
	var out bytes.Buffer
	exit, err := c.Run(t.Context(), &process.Command{
		Args: []string{"sh", "-c", "cat >/dev/null; echo all"}, Stdout: &out, Stdin: io.MultiReader(strings.NewReader("half"), failingReader{}), Grace: time.Second,
	})
	if err != nil || exit.Ended == nil || out.Len() > 0 {
		t.Errorf("%+v, %v, %q", exit, err, out.String())
	}
}

// TestEndedBeforeItBegan checks that a command that is ended before the machine has started a shell
// never runs.
func TestEndedBeforeItBegan(t *testing.T) {
	m := newMachine(t, passwordConfig("sw0rdfish", false))
	m.slow = make(chan struct{})
	c := mustConnect(t, m.target())
	name := filepath.Join(t.TempDir(), "ran")
	cmd := &process.Command{Args: []string{"touch", name}, Timeout: time.Second, Grace: time.Millisecond}
	if _, err := c.Run(t.Context(), cmd); !errors.As(err, new(*process.StartError)) || !errors.Is(err, process.ErrTimeout) {
		t.Fatalf("got %v", err)
	}
	close(m.slow)
	for deadline := time.Now().Add(time.Minute); m.running.Load() != 0 || m.began.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the shell is still running")
		}
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the command has run")
	}
}
