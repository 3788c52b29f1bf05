package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitByInt80 is machine code that exits with status 0 by a system call of the 32-bit
// architecture, or crashes with an invalid instruction. It works in 32-bit and 64-bit
// programs.
func exitByInt80() []byte {
	return []byte{
		0xb8, 1, 0, 0, 0, // mov eax, 1 (exit)
		0x31, 0xdb, // xor ebx, ebx
		0xcd, 0x80, // int 0x80
		0x0f, 0x0b, // ud2
	}
}

// program returns a program of one segment, of 32 or 64 bits.
func program(bits int, code []byte) ([]byte, error) {
	const base, align = 0x400000, 0x1000
	var out bytes.Buffer
	ident := [16]byte{0x7f, 'E', 'L', 'F', byte(bits / 32), 1, 1}
	var parts []any
	if bits == 32 {
		const size = 52 + 32
		n := uint32(size + len(code))
		parts = []any{ident, uint16(2), uint16(3), uint32(1), uint32(base + size), uint32(52), uint32(0), uint32(0), [6]uint16{52, 32, 1}}
		parts = append(parts, uint32(1), uint32(0), uint32(base), uint32(base), n, n, uint32(5), uint32(align))
	} else {
		const size = 64 + 56
		n := uint64(size + len(code))
		parts = []any{ident, uint16(2), uint16(62), uint32(1), uint64(base + size), uint64(64), uint64(0), uint32(0), [6]uint16{64, 56, 1}}
		parts = append(parts, uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), n, n, uint64(align))
	}
	for _, p := range append(parts, code) {
		if err := binary.Write(&out, binary.LittleEndian, p); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// foreignCalls returns calls by numbers of other ABIs, and calls that only this architecture
// has.
func foreignCalls() map[string]func(args []string) error {
	return map[string]func([]string) error{
		"int80": func(a []string) error {
			bits, err := strconv.Atoi(a[0])
			if err != nil {
				return err
			}
			content, err := program(bits, exitByInt80())
			if err != nil {
				return err
			}
			return inMemory(content, []string{"int80"})
		},
		"descriptors": func([]string) error { b := [16]byte{}; return call(unix.SYS_MODIFY_LDT, 0, at(&b), 16) },
		"x32":         func([]string) error { return call(firstForeignNumber | unix.SYS_GETPID) },
		"allports":    func([]string) error { return call(unix.SYS_IOPL, 3) },
		"ports":       func([]string) error { return call(unix.SYS_IOPERM, 0x80, 1, 1) },
		"chmod":       func(a []string) error { return call(unix.SYS_CHMOD, pathOf(a[0]), 0o4755) },
		"create":      func(a []string) error { return call(unix.SYS_CREAT, pathOf(a[0]), 0o4755) },
		"openold":     func(a []string) error { return call(unix.SYS_OPEN, pathOf(a[0]), unix.O_CREAT|unix.O_WRONLY, 0o4755) },
		"mknodold":    func(a []string) error { return call(unix.SYS_MKNOD, pathOf(a[0]), unix.S_IFREG|0o4755, 0) },
		"rewritten":   rewritten,
	}
}

// rewritten starts a child that calls getppid, and as its tracer changes the call into one
// that limits another process. The filter must check the changed call.
func rewritten(args []string) error {
	pid, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	runtime.LockOSThread() // tracing is bound to a thread
	cmd := exec.Command("/bin/sh", "-c", "exit 0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	child := cmd.Process.Pid
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var status unix.WaitStatus
	if _, err := unix.Wait4(child, &status, 0, nil); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(child, unix.PTRACE_O_TRACESYSGOOD); err != nil {
		return err
	}
	// At the entry of its first call, it is changed to prlimit64 without pointers.
	var regs unix.PtraceRegs
	for step := range 2 {
		if err := unix.PtraceSyscall(child, 0); err != nil {
			return err
		}
		if _, err := unix.Wait4(child, &status, 0, nil); err != nil {
			return err
		}
		if err := unix.PtraceGetRegs(child, &regs); err != nil {
			return err
		}
		if step == 1 {
			break
		}
		regs.Orig_rax, regs.Rdi, regs.Rsi, regs.Rdx, regs.R10 = unix.SYS_PRLIMIT64, uint64(pid), unix.RLIMIT_NOFILE, 0, 0
		if err := unix.PtraceSetRegs(child, &regs); err != nil {
			return err
		}
	}
	if errno := -int64(regs.Rax); errno > 0 && errno < 4096 {
		return fmt.Errorf("the changed call: %w", unix.Errno(errno))
	}
	return nil
}
