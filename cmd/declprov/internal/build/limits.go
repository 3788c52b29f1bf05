package build

import (
	"fmt"
	"time"
)

// Limits are what evaluating one spec may cost.
type Limits struct {
	// Memory is in bytes of address space beyond what the process starts with;
	// enforced on Linux.
	Memory int64 `json:"memory"`
	// CPU is processor time; enforced on Linux.
	CPU time.Duration `json:"cpu"`
	// Wall is elapsed time; the parent enforces it everywhere. It counts waiting
	// for a processor too, so it is several times CPU: a busy machine is no
	// mistake of the spec's.
	Wall time.Duration `json:"wall"`
	// Output is the most bytes that the answer may have.
	Output int64 `json:"output"`
}

// DefaultLimits are far above what a spec of thousands of resources needs (CUE
// takes about a third of a millisecond a resource), and low enough that a
// hostile one is a nuisance at most.
func DefaultLimits() Limits {
	return Limits{Memory: 1 << 30, CPU: 10 * time.Second, Wall: time.Minute, Output: 64 << 20}
}

// exceeded says which limit a child ran into, as the end of a sentence.
type exceeded string

func tooMuchMemory(l Limits) exceeded {
	return exceeded(fmt.Sprintf("more than %s of memory", size(l.Memory)))
}

func tooMuchCPU(l Limits) exceeded {
	return exceeded(fmt.Sprintf("more than %s of processor time", l.CPU))
}

func tooLong(l Limits) exceeded { return exceeded(fmt.Sprintf("longer than %s", l.Wall)) }

func tooMuchOutput(l Limits) exceeded {
	return exceeded(fmt.Sprintf("more than %s for the result", size(l.Output)))
}

// size is a number of bytes for people.
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
