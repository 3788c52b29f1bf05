package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// otherNumbers is the first number of a call of the x32 ABI, which the kernel
	// takes under the same architecture.
	otherNumbers = 0x40000000
)

// ownRefusals are about calls that only this architecture has.
func ownRefusals() []refusal {
	return []refusal{
		{[]uintptr{unix.SYS_CHMOD, unix.SYS_CREAT, unix.SYS_MKNOD}, []condition{some(1, setIDs)}, unix.EPERM},
		{[]uintptr{unix.SYS_OPEN}, []condition{some(1, unix.O_CREAT|tmpfile), some(2, setIDs)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_KEXEC_FILE_LOAD}, nil, unix.EPERM},
	}
}
