package pulumi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// errNoOwner says that nobody has that socket any more, or that it is on its
// way out: then the kernel has forgotten the owner, and shows root.
var errNoOwner = errors.New("the socket has no owner")

// socketOwner asks the kernel whose socket it is that is bound to local and
// connected to remote, both IPv4: sock_diag(7), by the socket's own addresses.
// The table in /proc says the same, but to print it the kernel walks every slot
// for sockets that it has, which takes milliseconds.
func socketOwner(local, remote *net.TCPAddr) (uid int, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, fmt.Errorf("opening a socket of the kernel's: %w", err)
	}
	defer unix.Close(fd)
	// The kernel answers before the request returns; what does not, is no answer.
	kernel := &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	if err := unix.Sendto(fd, diagRequest(local, remote), 0, kernel); err != nil {
		return 0, fmt.Errorf("asking the kernel for a socket: %w", err)
	}
	answer := make([]byte, 512)
	n, from, err := unix.Recvfrom(fd, answer, unix.MSG_DONTWAIT)
	if err != nil {
		return 0, fmt.Errorf("reading the kernel's answer: %w", err)
	}
	if sender, ok := from.(*unix.SockaddrNetlink); !ok || sender.Pid != 0 {
		return 0, errors.New("somebody else than the kernel answered")
	}
	return diagOwner(answer[:n])
}

// The layout of inet_diag_req_v2 and inet_diag_msg (linux/inet_diag.h). Both
// have the socket's addresses in them: ports and addresses in network order, an
// interface, and a cookie, which all ones leave open.
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

// diagOwner reads the kernel's answer.
func diagOwner(b []byte) (uid int, err error) {
	if len(b) < unix.SizeofNlMsghdr+4 {
		return 0, errors.New("the kernel's answer is cut short")
	}
	switch kind := binary.NativeEndian.Uint16(b[4:]); {
	case kind == unix.NLMSG_ERROR:
		errno := unix.Errno(-int32(binary.NativeEndian.Uint32(b[unix.SizeofNlMsghdr:])))
		if errno == unix.ENOENT {
			return 0, errNoOwner
		}
		return 0, fmt.Errorf("the kernel does not tell about a socket: %w", errno)
	case kind != unix.SOCK_DIAG_BY_FAMILY || len(b) < diagAnswerSize:
		return 0, fmt.Errorf("the kernel's answer is of kind %d and %d bytes", kind, len(b))
	case b[diagState] != tcpEstablished:
		return 0, errNoOwner
	}
	return int(binary.NativeEndian.Uint32(b[diagUID:])), nil
}
