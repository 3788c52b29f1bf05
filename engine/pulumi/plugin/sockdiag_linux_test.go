package plugin

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// dialVariable makes the test binary a process that connects to the address in
// it, says so, and holds the connection until its standard input ends.
const dialVariable = "DECLPROV_TEST_DIAL"

// foreignUser is nobody's on any system that matters.
const foreignUser = 65534

func tcpAddresses(t *testing.T, conn net.Conn) (local, remote *net.TCPAddr) {
	t.Helper()
	local, ok := conn.LocalAddr().(*net.TCPAddr)
	remote, ok2 := conn.RemoteAddr().(*net.TCPAddr)
	if !ok || !ok2 {
		t.Fatalf("%v and %v are no TCP addresses", conn.LocalAddr(), conn.RemoteAddr())
	}
	return local, remote
}

func TestSocketOwner(t *testing.T) {
	server, client := pair(t)
	ours, theirs := tcpAddresses(t, server)
	if uid, err := socketOwner(theirs, ours); err != nil || uid != os.Geteuid() {
		t.Errorf("uid %d, %v; want our own", uid, err)
	}
	nowhere := &net.TCPAddr{IP: theirs.IP, Port: 1}
	if _, err := socketOwner(nowhere, ours); !errors.Is(err, errNoOwner) {
		t.Errorf("error of no socket is %v, want %v", err, errNoOwner)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := socketOwner(theirs, ours); !errors.Is(err, errNoOwner) {
		t.Errorf("error of a closed socket is %v, want %v", err, errNoOwner)
	}
}

// TestSocketOfAnotherUser: what the kernel says of a process that is not ours.
func TestSocketOfAnotherUser(t *testing.T) {
	if address := os.Getenv(dialVariable); address != "" {
		dialAndHold(address)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	startForeign(t, l.Addr().String())
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ours, theirs := tcpAddresses(t, server)
	if uid, err := socketOwner(theirs, ours); err != nil || uid != foreignUser {
		t.Errorf("uid %d, %v; want %d", uid, err, foreignUser)
	}
	if uid, err := socketOwner(ours, theirs); err != nil || uid != 0 {
		t.Errorf("our end: uid %d, %v; want 0", uid, err)
	}
}

// startForeign starts this test binary as another user, and waits until it has
// connected.
func startForeign(t *testing.T, address string) {
	t.Helper()
	// The binary lies in a folder of root's; its open file can be executed by
	// all.
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	cmd := exec.Command("/proc/self/fd/3", "-test.run=^"+t.Name()+"$")
	cmd.Env = []string{dialVariable + "=" + address}
	cmd.ExtraFiles = []*os.File{self}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: foreignUser, Gid: foreignUser}}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "connected\n" {
		t.Fatalf("the other user's process said %q, %v", line, err)
	}
}

func dialAndHold(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	defer conn.Close()
	os.Stdout.WriteString("connected\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestAnswersThatAreNone: nothing that the kernel may say instead of an owner
// is taken for one.
func TestAnswersThatAreNone(t *testing.T) {
	server, _ := pair(t)
	ours, theirs := tcpAddresses(t, server)
	request := diagRequest(theirs, ours)
	refused := make([]byte, 36)
	refused[4] = unix.NLMSG_ERROR
	for name, answer := range map[string][]byte{
		"nothing":     nil,
		"an echo":     request,
		"no error":    refused,
		"a long zero": make([]byte, 200),
	} {
		if uid, err := diagOwner(answer); err == nil {
			t.Errorf("%s: uid %d, want an error", name, uid)
		}
	}
}

func BenchmarkPeer(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	for name, listener := range map[string]*ownListener{
		"asked":        {owner: socketOwner},
		"in the table": {table: connections},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, known := listener.peer(server); !known {
					b.Fatal("not known")
				}
			}
		})
	}
}
