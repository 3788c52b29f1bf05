//go:build !linux

package sandbox

import "runtime"

// Here is what this system can confine: nothing.
func Here() Kernel {
	return Kernel{Name: runtime.GOOS, Why: "its sandbox for them is Landlock, which only Linux has"}
}

// Within is an error: only Linux confines.
func (r Rules) Within(func() error) error { return Here().Unavailable() }
