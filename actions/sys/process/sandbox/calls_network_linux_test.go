package sandbox

import (
	"encoding/binary"
	"fmt"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// networkCalls returns calls about sockets.
func networkCalls() map[string]func(args []string) error {
	return map[string]func([]string) error{
		"mapped": func(a []string) error {
			to, err := ipv4(a[0])
			if err != nil {
				return err
			}
			fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_TCP)
			if err != nil {
				return err
			}
			return unix.Connect(fd, &unix.SockaddrInet6{Port: to.Port, Addr: [16]byte(net.IP(to.Addr[:]).To16())})
		},
		"fastmmsg":    fastMessages,
		"fastconnect": fastConnect,
		"mark": func([]string) error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_TCP)
			if err != nil {
				return err
			}
			return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_MARK, 7)
		},
		"links":    func([]string) error { _, err := syscall.NetlinkRIB(unix.RTM_GETADDR, unix.AF_UNSPEC); return err },
		"link":     changeLink,
		"sockdiag": socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG),
		"sockets": func([]string) error {
			for family := range unix.AF_MAX {
				for kind := range 11 {
					for _, protocol := range protocols() {
						if fd, err := unix.Socket(family, kind, protocol); err == nil {
							fmt.Println(family, kind, protocol)
							_ = unix.Close(fd)
						}
					}
				}
			}
			return nil
		},
	}
}

// protocols returns protocol numbers that are valid in some family.
func protocols() []int {
	all := []int{unix.IPPROTO_MPTCP, unix.IPPROTO_RAW}
	for p := range 150 {
		all = append(all, p)
	}
	return all
}

// fastMessages connects by sendmmsg, without connect.
func fastMessages(args []string) error {
	to, err := ipv4(args[0])
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	address := unix.RawSockaddrInet4{Family: unix.AF_INET, Addr: to.Addr}
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&address.Port))[:], uint16(to.Port))
	data := byte('x')
	part := unix.Iovec{Base: &data, Len: 1}
	message := struct {
		unix.Msghdr
		length uint32
	}{Msghdr: unix.Msghdr{Name: (*byte)(unsafe.Pointer(&address)), Namelen: unix.SizeofSockaddrInet4, Iov: &part, Iovlen: 1}}
	return call(unix.SYS_SENDMMSG, uintptr(fd), at(&message), 1, unix.MSG_FASTOPEN)
}

// fastConnect connects by the first data after a connect that sends nothing.
func fastConnect(args []string) error {
	to, err := ipv4(args[0])
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_FASTOPEN_CONNECT, 1); err != nil {
		return err
	}
	if err := unix.Connect(fd, to); err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("x"))
	return err
}

// changeLink changes the first interface to its current settings, which requires the
// privilege.
func changeLink([]string) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	request := struct {
		unix.NlMsghdr
		unix.IfInfomsg
	}{
		unix.NlMsghdr{Len: unix.SizeofNlMsghdr + unix.SizeofIfInfomsg, Type: unix.RTM_SETLINK, Flags: unix.NLM_F_REQUEST | unix.NLM_F_ACK},
		unix.IfInfomsg{Index: 1},
	}
	if err := unix.Sendto(fd, unsafe.Slice((*byte)(unsafe.Pointer(&request)), unsafe.Sizeof(request)), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 512)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	messages, err := syscall.ParseNetlinkMessage(answer[:n])
	if err != nil {
		return err
	}
	for _, m := range messages {
		if code := int32(binary.NativeEndian.Uint32(m.Data)); m.Header.Type == unix.NLMSG_ERROR && code != 0 {
			return unix.Errno(-code)
		}
	}
	return nil
}
