package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch          = unix.AUDIT_ARCH_AARCH64
	firstForeignNumber = 0x40000000 // above all call numbers
)

// archRefusals concern calls that only this architecture has.
func archRefusals() []refusal {
	return []refusal{{[]uintptr{unix.SYS_KEXEC_FILE_LOAD}, nil, unix.EPERM}}
}
