package pulumi

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

// Every user of a machine can connect to its loopback interface, and a provider
// does as it is told, with the permissions of whoever started it. On Linux the
// kernel tells whose the other end of a connection is.

// ownPeersOnly closes connections from processes of other users, save root's.
func ownPeersOnly(l net.Listener, stderr io.Writer) net.Listener {
	return &ownListener{Listener: l, stderr: stderr, owner: socketOwner, table: connections}
}

// connections is the kernel's table of TCP connections over IPv4.
const connections = "/proc/self/net/tcp"

type ownListener struct {
	net.Listener
	stderr io.Writer
	// owner tells whose a socket is, and is quick. What it cannot tell, the
	// table of connections may; nil tells nothing.
	owner func(local, remote *net.TCPAddr) (uid int, err error)
	table string
}

// Accept waits for a connection of our own user's.
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

// nobody is the owner of a connection whose other end is closed already.
const nobody = -1

// peer is the user at the other end.
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

// peerInTable is the user at the other end as the table of connections has it.
// It is not known where the table cannot be read, or does not show even our own
// end: then there is nothing to tell users by, as on sandboxes that emulate the
// kernel.
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

// established is the state of a connection that is open. In others the kernel
// has forgotten the owner and shows root's.
const established = "01"

// hexAddress is an IPv4 address as the kernel's table shows it, or "".
func hexAddress(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || tcp.IP.To4() == nil {
		return ""
	}
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(tcp.IP.To4()), tcp.Port)
}
