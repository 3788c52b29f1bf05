//go:build unix

package model

import (
	"context"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// reservePort takes a port of the loopback interface, which nobody else gets until
// release: as long as nobody listens there, connections to it are refused.
func reservePort() (addr string, release func(), err error) {
	syscall.ForkLock.RLock() // no process that is started meanwhile has it
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return "", nil, err
	}
	release = func() { _ = unix.Close(fd) }
	err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		release()
		return "", nil, err
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		release()
		return "", nil, err
	}
	return fmt.Sprintf("127.0.0.1:%d", at.(*unix.SockaddrInet4).Port), release, nil
}

// listenShared listens on a port that reservePort has taken.
func listenShared(addr string) (net.Listener, error) {
	lc := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var set error
		err := raw.Control(func(fd uintptr) { set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
		if err == nil {
			err = set
		}
		return err
	}}
	return lc.Listen(context.Background(), "tcp", addr)
}
