package plugin

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pair is a connection over the loopback interface, seen from both ends.
func pair(t *testing.T) (server, client net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close(); client.Close() })
	return server, client
}

// TestPeer: the kernel's answer, and the table where it has none.
func TestPeer(t *testing.T) {
	for name, l := range map[string]*ownListener{
		"asked":        {owner: socketOwner},
		"in the table": {table: connections},
		"both":         {owner: socketOwner, table: connections},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := pair(t)
			if uid, known := l.peer(server); !known || uid != os.Geteuid() {
				t.Errorf("uid %d, known %v; want our own", uid, known)
			}
			if err := client.Close(); err != nil {
				t.Fatal(err)
			}
			wantKnown := l.table != ""
			if uid, known := l.peer(server); known != wantKnown || known && uid != nobody {
				t.Errorf("uid %d, known %v after the other end closed; want nobody, %v", uid, known, wantKnown)
			}
		})
	}
}

func TestPeerOfAWrittenTable(t *testing.T) {
	server, _ := pair(t)
	ours, theirs := hexAddress(server.LocalAddr()), hexAddress(server.RemoteAddr())
	line := func(local, remote, state string, uid int) string {
		return fmt.Sprintf("   0: %s %s %s 00000000:00000000 00:00000000 00000000 %5d        0 1 1\n", local, remote, state, uid)
	}
	header := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	cases := []struct {
		name, table string
		uid         int
		known       bool
	}{
		{"foreign", header + line(ours, theirs, "01", 1000) + line(theirs, ours, "01", 4321), 4321, true},
		{"closed already, so the kernel shows root", line(ours, theirs, "08", 1000) + line(theirs, ours, "05", 0), nobody, true},
		{"another connection", line(ours, theirs, "01", 1000) + line(theirs, theirs, "01", 0), nobody, true},
		{"a table without us", header, nobody, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tcp")
			if err := os.WriteFile(path, []byte(c.table), 0o600); err != nil {
				t.Fatal(err)
			}
			uid, known := (&ownListener{table: path}).peer(server)
			if uid != c.uid || known != c.known {
				t.Errorf("uid %d, known %v; want %d, %v", uid, known, c.uid, c.known)
			}
		})
	}
	if _, known := (&ownListener{table: filepath.Join(t.TempDir(), "none")}).peer(server); known {
		t.Error("a peer is known without a table")
	}
}

// TestForeignPeersAreRefused: the connection of another user is closed, and the
// next one is accepted.
func TestForeignPeersAreRefused(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	foreign, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	own, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()

	table := filepath.Join(t.TempDir(), "tcp")
	server := hexAddress(inner.Addr())
	entry := func(peer net.Addr, uid int) string {
		p := hexAddress(peer)
		return fmt.Sprintf("0: %s %s 01 0 0 0 %d\n1: %s %s 01 0 0 0 %d\n", server, p, os.Geteuid(), p, server, uid)
	}
	text := entry(foreign.LocalAddr(), 4321) + entry(own.LocalAddr(), os.Geteuid())
	if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stderr := &strings.Builder{}
	l := &ownListener{Listener: inner, stderr: stderr, table: table}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if conn.RemoteAddr().String() != own.LocalAddr().String() {
		t.Errorf("accepted %v, want %v", conn.RemoteAddr(), own.LocalAddr())
	}
	if !strings.Contains(stderr.String(), "refused a connection from a process of user 4321") {
		t.Errorf("stderr = %q", stderr.String())
	}
	if err := foreign.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the foreign connection is still open")
	}
}
