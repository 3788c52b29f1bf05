package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	otherNumbers = 0x40000000 // no call has one as large
)

// ownRefusals are about calls that only this architecture has.
func ownRefusals() []refusal {
	return []refusal{{[]uintptr{unix.SYS_KEXEC_FILE_LOAD}, nil, unix.EPERM}}
}
