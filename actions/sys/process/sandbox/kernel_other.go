//go:build !linux

package sandbox

import "runtime"

// CurrentKernel returns what this system can confine: nothing.
func CurrentKernel() Kernel {
	return Kernel{Name: runtime.GOOS, Reason: "the sandbox requires Landlock, which only Linux has"}
}

// StartConfined returns an error: only Linux confines commands.
func (r Rules) StartConfined(func() error) error { return CurrentKernel().Unavailable() }
