package build

import (
	"fmt"
	"time"
)

// Limits are the limits of evaluating one spec.
type Limits struct {
	// Memory is the address space in bytes, in addition to that of a new process. It is
	// enforced on Linux.
	Memory int64 `json:"memory"`
	// CPU is processor time; enforced on Linux.
	CPU time.Duration `json:"cpu"`
	// Wall is elapsed time; the parent enforces it on all systems. It includes waiting
	// for a processor, so it is several times CPU, to allow for busy machines.
	Wall time.Duration `json:"wall"`
	// Output is the maximum size of the response in bytes.
	Output int64 `json:"output"`
}

// DefaultLimits returns limits that suffice for thousands of resources (CUE takes about a
// third of a millisecond for each), and keep the cost of a hostile spec low.
func DefaultLimits() Limits {
	return Limits{Memory: 1 << 30, CPU: 10 * time.Second, Wall: time.Minute, Output: 64 << 20}
}

// exceededLimit describes the limit that a child exceeded, as the object of "took".
type exceededLimit string

func tooMuchMemory(l Limits) exceededLimit {
	return exceededLimit(fmt.Sprintf("more than %s of memory", size(l.Memory)))
}

func tooMuchCPU(l Limits) exceededLimit {
	return exceededLimit(fmt.Sprintf("more than %s of processor time", l.CPU))
}

func tooLong(l Limits) exceededLimit { return exceededLimit(fmt.Sprintf("longer than %s", l.Wall)) }

func tooMuchOutput(l Limits) exceededLimit {
	return exceededLimit(fmt.Sprintf("more than %s for the result", size(l.Output)))
}

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
