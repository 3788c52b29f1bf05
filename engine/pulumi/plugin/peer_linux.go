package plugin

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
)

// Every user of a machine can connect to its loopback interface, and a provider runs with
// the permissions of the user who started it. On Linux, the kernel tells which user owns
// the other end of a connection.

// ownPeersOnly closes connections from processes of other users, except root.
func ownPeersOnly(l net.Listener, stderr io.Writer) net.Listener {
	return &ownListener{Listener: l, stderr: stderr, owner: socketOwner, table: connections}
}

// connections is the kernel's table of TCP connections over IPv4.
const connections = "/proc/self/net/tcp"

type ownListener struct {
	net.Listener
	stderr io.Writer
	// owner returns the user of a socket. If it fails, table is used, which is slower. A
	// nil owner always fails.
	owner func(local, remote *net.TCPAddr) (uid int, err error)
	table string
}

// Accept waits for a connection from the same user or root.
func (l *ownListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, known := l.peer(conn)
		if !known || uid == os.Geteuid() || uid == 0 {
			return conn, nil
		}
		_ = conn.Close() // refused
		if uid == nobody {
			continue
		}
		fmt.Fprintf(l.stderr, "declprov: refused a connection from a process of user %d\n", uid)
	}
}

// nobody is the owner of a connection whose other end is closed.
const nobody = -1

// peer returns the user at the other end.
func (l *ownListener) peer(conn net.Conn) (uid int, known bool) {
	ours, okOurs := conn.LocalAddr().(*net.TCPAddr)
	theirs, okTheirs := conn.RemoteAddr().(*net.TCPAddr)
	if l.owner != nil && okOurs && okTheirs {
		if uid, err := l.owner(theirs, ours); err == nil {
			return uid, true
		}
	}
	return l.peerInTable(conn)
}

// peerInTable looks up the user at the other end in the table of connections. It is
// not known if the table cannot be read, or lacks our own end, as in sandboxes that
// emulate the kernel.
func (l *ownListener) peerInTable(conn net.Conn) (uid int, known bool) {
	table, err := os.Open(l.table)
	if err != nil {
		return 0, false
	}
	defer table.Close()
	ours, theirs := hexAddress(conn.LocalAddr()), hexAddress(conn.RemoteAddr())
	if ours == "" || theirs == "" {
		return 0, false
	}
	uid = nobody
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), []byte(theirs)) {
			continue // the table may be long
		}
		// sl local_address rem_address st tx:rx tr:when retrnsmt uid ...
		f := strings.Fields(lines.Text())
		if len(f) < 8 {
			continue
		}
		switch {
		case f[1] == ours && f[2] == theirs:
			known = true
		case f[1] == theirs && f[2] == ours && f[3] == established:
			if n, err := strconv.Atoi(f[7]); err == nil {
				uid = n
			}
		}
	}
	return uid, known
}

// established is the state of an open connection. In other states the kernel has
// forgotten the owner, and shows root.
const established = "01"

// hexAddress returns an IPv4 address in the format of the kernel's table, or "".
func hexAddress(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || tcp.IP.To4() == nil {
		return ""
	}
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(tcp.IP.To4()), tcp.Port)
}
