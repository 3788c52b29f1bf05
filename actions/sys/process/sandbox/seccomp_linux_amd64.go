package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// firstForeignNumber is the first call number of the x32 ABI, which has the same
	// architecture number.
	firstForeignNumber = 0x40000000
)

// archRefusals concern calls that only this architecture has.
func archRefusals() []refusal {
	return []refusal{
		{[]uintptr{unix.SYS_CHMOD, unix.SYS_CREAT, unix.SYS_MKNOD}, []condition{hasAny(1, setIDs)}, unix.EPERM},
		{[]uintptr{unix.SYS_OPEN}, []condition{hasAny(1, unix.O_CREAT|tmpfile), hasAny(2, setIDs)}, unix.EPERM},
		{[]uintptr{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT}, nil, unix.EPERM},
	}
}
