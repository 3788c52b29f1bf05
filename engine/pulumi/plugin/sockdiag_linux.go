package plugin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// errNoOwner means that the socket is closed or closing. The kernel has then
// forgotten its owner, and shows root.
var errNoOwner = errors.New("the socket has no owner")

// socketOwner asks the kernel for the user of the socket that is bound to local and
// connected to remote, both IPv4. It uses sock_diag(7) with the addresses of the
// socket. The table in /proc has the same information, but reading it takes
// milliseconds, because the kernel visits every slot of its socket table.
func socketOwner(local, remote *net.TCPAddr) (uid int, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, fmt.Errorf("opening a socket of the kernel's: %w", err)
	}
	defer unix.Close(fd)
	// The kernel has responded when the request returns, so reading does not wait.
	kernel := &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	if err := unix.Sendto(fd, diagRequest(local, remote), 0, kernel); err != nil {
		return 0, fmt.Errorf("asking the kernel for a socket: %w", err)
	}
	answer := make([]byte, 512)
	n, from, err := unix.Recvfrom(fd, answer, unix.MSG_DONTWAIT)
	if err != nil {
		return 0, fmt.Errorf("reading the kernel's response: %w", err)
	}
	if sender, ok := from.(*unix.SockaddrNetlink); !ok || sender.Pid != 0 {
		return 0, errors.New("the response is not from the kernel")
	}
	return diagOwner(answer[:n])
}

// The layout of inet_diag_req_v2 and inet_diag_msg (linux/inet_diag.h). Both contain the
// socket's ports and addresses in network order, an interface, and a cookie. A cookie of
// all ones matches any socket.
const (
	diagRequestSize = unix.SizeofNlMsghdr + 56
	diagSocket      = unix.SizeofNlMsghdr + 8
	diagCookie      = diagSocket + 40

	diagState      = unix.SizeofNlMsghdr + 1
	diagUID        = unix.SizeofNlMsghdr + 64
	diagAnswerSize = unix.SizeofNlMsghdr + 72

	tcpEstablished = 1 // linux/tcp_states.h
)

func diagRequest(local, remote *net.TCPAddr) []byte {
	b := make([]byte, diagRequestSize)
	binary.NativeEndian.PutUint32(b, diagRequestSize)
	binary.NativeEndian.PutUint16(b[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	b[unix.SizeofNlMsghdr], b[unix.SizeofNlMsghdr+1] = unix.AF_INET, unix.IPPROTO_TCP
	binary.NativeEndian.PutUint32(b[unix.SizeofNlMsghdr+4:], ^uint32(0)) // in any state
	binary.BigEndian.PutUint16(b[diagSocket:], uint16(local.Port))
	binary.BigEndian.PutUint16(b[diagSocket+2:], uint16(remote.Port))
	copy(b[diagSocket+4:], local.IP.To4())
	copy(b[diagSocket+20:], remote.IP.To4())
	binary.NativeEndian.PutUint64(b[diagCookie:], ^uint64(0))
	return b
}

// diagOwner parses the kernel's response.
func diagOwner(b []byte) (uid int, err error) {
	if len(b) < unix.SizeofNlMsghdr+4 {
		return 0, errors.New("the kernel's response is truncated")
	}
	switch kind := binary.NativeEndian.Uint16(b[4:]); {
	case kind == unix.NLMSG_ERROR:
		errno := unix.Errno(-int32(binary.NativeEndian.Uint32(b[unix.SizeofNlMsghdr:])))
		if errno == unix.ENOENT {
			return 0, errNoOwner
		}
		return 0, fmt.Errorf("the kernel does not show a socket: %w", errno)
	case kind != unix.SOCK_DIAG_BY_FAMILY || len(b) < diagAnswerSize:
		return 0, fmt.Errorf("the kernel's response has type %d and %d bytes", kind, len(b))
	case b[diagState] != tcpEstablished:
		return 0, errNoOwner
	}
	return int(binary.NativeEndian.Uint32(b[diagUID:])), nil
}
