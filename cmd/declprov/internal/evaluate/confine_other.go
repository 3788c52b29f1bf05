//go:build !linux

package evaluate

import (
	"runtime/debug"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
)

// confine asks the runtime to be thrifty. Only the wall time, which the parent
// enforces, is a hard limit on this system.
func confine(l build.Limits) error {
	debug.SetMemoryLimit(l.Memory)
	return nil
}
