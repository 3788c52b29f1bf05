//go:build unix

package ssh

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// machine is an SSH server in this process. It does what a real server does not do on demand,
// and accepts passwords without a system account.
type machine struct {
	t       *testing.T
	config  *ssh.ServerConfig
	hostKey string
	address string
	mu      sync.Mutex
	dials   int
	// refuse is how many connections are closed before one is served.
	refuse int
	// silent is what it never responds to: "subsystem" (the start of SFTP) or "sftp"
	// (requests within SFTP).
	silent string
	conns  []net.Conn
	// refusesSignals says that it refuses signals. If slow is set, commands only start when it
	// is closed. began and running count the commands.
	refusesSignals bool
	slow           chan struct{}
	began, running atomic.Int32
	// maxSessions is how many sessions it has at once; 0 is any number, -1 is none. refused
	// counts the refused sessions.
	maxSessions       int32
	sessions, refused atomic.Int32
}

func keyPair(t *testing.T, passphrase string) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return signer, string(pem.EncodeToMemory(block))
}

// newMachine starts a machine with this configuration.
func newMachine(t *testing.T, config *ssh.ServerConfig) *machine {
	t.Helper()
	host, _ := keyPair(t, "")
	config.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := serve(t, config, listener)
	m.hostKey = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(host.PublicKey())))
	return m
}

// serve starts a machine at a listener.
func serve(t *testing.T, config *ssh.ServerConfig, listener net.Listener) *machine {
	t.Helper()
	m := &machine{t: t, config: config, address: listener.Addr().String()}
	t.Cleanup(func() { listener.Close(); m.hangUp() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			m.mu.Lock()
			m.dials++
			refused := m.dials <= m.refuse
			m.conns = append(m.conns, conn)
			m.mu.Unlock()
			if refused {
				conn.Close()
				continue
			}
			go m.serve(conn)
		}
	}()
	return m
}

// dialCount returns the number of connections that were made.
func (m *machine) dialCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dials
}

// hangUp breaks all connections.
func (m *machine) hangUp() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.conns {
		c.Close()
	}
	m.conns = nil
}

func (m *machine) serve(conn net.Conn) {
	_, channels, requests, err := ssh.NewServerConn(conn, m.config)
	if err != nil {
		conn.Close()
		return
	}
	go func() {
		for r := range requests {
			r.Reply(r.Type == "keepalive@openssh.com", nil)
		}
	}()
	for c := range channels {
		switch c.ChannelType() {
		case "session":
			go m.session(c)
		case "direct-tcpip":
			go m.forward(c)
		default:
			c.Reject(ssh.UnknownChannelType, "no")
		}
	}
}

func (m *machine) forward(c ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		From       string
		OriginPort uint32
	}
	if ssh.Unmarshal(c.ExtraData(), &to) != nil {
		return
	}
	conn, err := net.Dial("tcp", net.JoinHostPort(to.Host, itoa(to.Port)))
	if err != nil {
		c.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	channel, requests, err := c.Accept()
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	go func() { io.Copy(channel, conn); channel.Close() }()
	io.Copy(conn, channel)
	conn.Close()
}

func (m *machine) session(c ssh.NewChannel) {
	defer m.sessions.Add(-1)
	if n := m.sessions.Add(1); m.maxSessions != 0 && n > m.maxSessions {
		m.refused.Add(1)
		c.Reject(ssh.Prohibited, "open failed")
		return
	}
	channel, requests, err := c.Accept()
	if err != nil {
		return
	}
	var cmd *exec.Cmd
	for r := range requests {
		if r.Type == m.silent {
			continue
		}
		switch r.Type {
		case "subsystem":
			if m.silent == "sftp" {
				r.Reply(true, nil)
				m.greet(channel)
				continue
			}
			r.Reply(true, nil)
			server, err := sftp.NewServer(channel, sftp.WithServerWorkingDirectory(m.t.TempDir()))
			if err == nil {
				go func() { server.Serve(); channel.Close() }()
			}
		case "exec":
			var line struct{ Text string }
			ssh.Unmarshal(r.Payload, &line)
			cmd = exec.Command("/bin/sh", "-c", line.Text)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
			stdin, _ := cmd.StdinPipe()
			m.running.Add(1)
			r.Reply(true, nil)
			if m.slow != nil {
				<-m.slow
			}
			if err := cmd.Start(); err != nil {
				m.t.Error(err)
				return
			}
			m.began.Add(1)
			go func() { io.Copy(stdin, channel); stdin.Close() }()
			go func() { finish(cmd, channel); m.running.Add(-1) }()
		case "signal":
			var s struct{ Name string }
			ssh.Unmarshal(r.Payload, &s)
			if m.refusesSignals {
				continue
			}
			syscall.Kill(-cmd.Process.Pid, map[string]syscall.Signal{"TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[s.Name])
		default:
			r.Reply(false, nil)
		}
	}
}

// greet begins an SFTP session (draft-ietf-secsh-filexfer-02, 4), and then does nothing.
func (m *machine) greet(channel ssh.Channel) {
	const version = "\x00\x00\x00\x05" + "\x02" + "\x00\x00\x00\x03"
	io.WriteString(channel, version)
	go io.Copy(io.Discard, channel)
}

// finish reports how a command ended.
func finish(cmd *exec.Cmd, channel ssh.Channel) {
	err := cmd.Wait()
	var exited *exec.ExitError
	if errors.As(err, &exited) && exited.Sys().(syscall.WaitStatus).Signaled() {
		name := map[syscall.Signal]string{syscall.SIGTERM: "TERM", syscall.SIGKILL: "KILL"}[exited.Sys().(syscall.WaitStatus).Signal()]
		channel.SendRequest("exit-signal", false, ssh.Marshal(struct {
			Name    string
			Core    bool
			Message string
			Lang    string
		}{Name: name}))
	} else {
		channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(cmd.ProcessState.ExitCode())}))
	}
	channel.Close()
}
