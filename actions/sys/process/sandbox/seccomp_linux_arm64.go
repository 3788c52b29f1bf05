package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch          = unix.AUDIT_ARCH_AARCH64
	firstForeignNumber = 0x40000000 // above all call numbers
)

// archRefusals concern calls that only this architecture has: none.
func archRefusals() []refusal { return nil }
