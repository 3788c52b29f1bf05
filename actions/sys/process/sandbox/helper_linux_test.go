package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// helperVariable makes this program a helper, which makes system calls for the scripts.
const helperVariable = "DECLPROV_SANDBOX_HELPER"

// hasty makes a helper exit at once: with the race detector, it would wait a second for races
// of other goroutines.
const hasty = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		if err := help(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	if dir, err := helperDir(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

func help(what string, args []string) error {
	switch what {
	case "truncate":
		return unix.Truncate(args[0], 0)
	case "rename":
		return unix.Rename(args[0], args[1])
	case "exchange":
		return unix.Renameat2(unix.AT_FDCWD, args[0], unix.AT_FDCWD, args[1], unix.RENAME_EXCHANGE)
	case "connect":
		conn, err := net.Dial(args[0], args[1])
		if err == nil {
			err = conn.Close()
		}
		return err
	case "listen":
		// net.Listen would use Multipath TCP, which Landlock does not support.
		return bind()
	case "hostname":
		var name unix.Utsname
		if err := unix.Uname(&name); err != nil {
			return err
		}
		return unix.Sethostname([]byte(unix.ByteSliceToString(name.Nodename[:])))
	case "trace", "peek":
		pid, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		if what == "peek" {
			return peek(pid)
		}
		return trace(pid)
	}
	for _, calls := range []map[string]func([]string) error{calls(), fileCalls(), processCalls(), kernelCalls(), networkCalls(), foreignCalls()} {
		if do := calls[what]; do != nil {
			return do(args)
		}
	}
	return fmt.Errorf("unknown call: %s", what)
}

func bind() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_TCP)
	if err != nil {
		return err
	}
	return unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
}

// trace attaches to a process with PTRACE_SEIZE, which does not stop it.
func trace(pid int) error {
	if err := unix.PtraceSeize(pid); err != nil {
		return fmt.Errorf("ptrace: %w", err)
	}
	return nil // detached when this process ends
}

// peek reads memory of another process at an invalid address. EFAULT says that reading is
// permitted.
func peek(pid int) error {
	var b [1]byte
	local := []unix.Iovec{{Base: &b[0], Len: 1}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0, Len: 1}}, 0)
	if errors.Is(err, unix.EFAULT) {
		return nil
	}
	return fmt.Errorf("process_vm_readv: %w", err)
}
