//go:build !linux

package evaluate

import (
	"runtime/debug"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
)

// confine sets a soft memory limit. On this system, only the wall time is a hard limit;
// the parent enforces it.
func confine(l build.Limits) error {
	debug.SetMemoryLimit(l.Memory)
	return nil
}
