package sandbox

import (
	"fmt"
	"strings"
)

// Mode is when a command is confined: the argument `sandbox` of exec.
type Mode string

const (
	// Auto confines the commands of a spec with a permissions block as far as the
	// kernel can.
	Auto Mode = "auto"
	// Required confines always, and starts nothing where the kernel cannot.
	Required Mode = "required"
	// Off confines nothing.
	Off Mode = "off"
)

// Kernel says what the kernel at hand can confine.
type Kernel struct {
	// Name is the system and its release: "Linux 6.12.1".
	Name string
	// ABI is the version of Landlock, 0 where there is none.
	ABI int
	// Why is the reason for an ABI that is less than the release would have, and
	// what to do about it; or "".
	Why string
	// Filter reports whether system calls can be filtered (seccomp); NoFilter is
	// the reason why not.
	Filter   bool
	NoFilter string
}

// Confines reports whether there is anything that the kernel can refuse commands.
func (k Kernel) Confines() bool { return k.ABI > 0 || k.Filter }

// Full is the ABI that has all that Required promises.
const Full = 6

// promises are what a sandbox refuses beyond the files of ABI 1, with the ABI
// that brought it and the first release of Linux with that.
func promises() []promise {
	return []promise{
		{3, "6.2", "the truncation of files"},
		{4, "6.7", "TCP connections"},
		{5, "6.10", "the control of devices (ioctl)"},
		{Full, "6.12", "signals to other processes, and their abstract sockets"},
	}
}

type promise struct {
	abi           int
	since, refuse string
}

// Missing is what the kernel cannot refuse, of what Required promises; nothing
// where it can all.
func (k Kernel) Missing() []string {
	var missing []string
	if k.ABI == 0 {
		missing = append(missing, "files and TCP connections ("+k.Why+")")
	} else {
		for _, p := range promises() {
			if k.ABI < p.abi {
				missing = append(missing, fmt.Sprintf("%s (Landlock ABI %d, Linux %s)", p.refuse, p.abi, p.since))
			}
		}
	}
	if !k.Filter {
		missing = append(missing, "other protocols, the limits of other processes, and set-uid programs ("+k.NoFilter+")")
	}
	return missing
}

// Required is nil where the kernel can do all that Required promises, and else
// the refusal.
func (k Kernel) Required() error {
	if missing := k.Partial(); missing != "" {
		return fmt.Errorf(`the sandbox is required, and %s. Set sandbox: "auto" to run with what there is, or use a kernel that can`, missing)
	}
	return nil
}

// Partial says what the kernel leaves open, or "" where it leaves nothing.
func (k Kernel) Partial() string {
	missing := k.Missing()
	if missing == nil {
		return ""
	}
	text := fmt.Sprintf("%s cannot refuse commands %s", k.Name, strings.Join(missing, "; "))
	if k.ABI > 0 && k.Why != "" {
		text += ": " + k.Why
	}
	return text
}

// Unavailable is the error of a kernel that confines nothing.
func (k Kernel) Unavailable() error {
	return fmt.Errorf(`%s cannot confine commands: %s. Set sandbox: "off" to run them without`, k.Name, k.Why)
}
