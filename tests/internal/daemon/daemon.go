// Package daemon runs real servers for tests: on loopback, in a temporary folder, and not
// longer than the test.
package daemon

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// startLimit is how long a server may take until it accepts connections.
	startLimit = time.Minute
	// stopLimit is how long a server may take to end after SIGTERM.
	stopLimit = 5 * time.Second
)

// Start runs a program until the test ends. It returns when something listens on the port.
// The output is shown if the test fails.
func Start(t testing.TB, dir string, port int, program string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	// All files of the server are kept in its folder.
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		stop(cmd, ended)
		log.Close()
		if t.Failed() {
			if printed, err := os.ReadFile(log.Name()); err == nil {
				t.Logf("%s printed:\n%s", filepath.Base(program), printed)
			}
		}
	})
	await(t, port, ended)
}

func stop(cmd *exec.Cmd, ended <-chan struct{}) {
	cmd.Process.Signal(os.Interrupt)
	select {
	case <-ended:
	case <-time.After(stopLimit):
		cmd.Process.Kill()
		<-ended
	}
}

func await(t testing.TB, port int, ended <-chan struct{}) {
	t.Helper()
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline); {
		conn, err := net.DialTimeout("tcp", Loopback(port), time.Second)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-ended:
			t.Fatal("the server ended before it accepted connections")
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatalf("nothing listens on port %d after %s", port, startLimit)
}

// FreePort returns a free port of loopback, for TCP and UDP. It is below the ephemeral ports,
// so that no connection takes it before the server does.
func FreePort(t testing.TB) int {
	t.Helper()
	const first, count, perProcess = 20000, 12000, 40
	for range 100 {
		port := first + (os.Getpid()*perProcess+int(ports.Add(1)))%count
		tcp, err := net.Listen("tcp", Loopback(port))
		if err != nil {
			continue
		}
		udp, err := net.ListenPacket("udp", Loopback(port))
		tcp.Close()
		if err == nil {
			udp.Close()
			return port
		}
	}
	t.Fatalf("no port from %d to %d is free", first, first+count)
	return 0
}

// ports is how many ports this process has tried. Each process takes its own, so that nothing else takes a port
// before the server that it is for listens there.
var ports atomic.Int32

// Loopback returns the address of a port on this machine.
func Loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
