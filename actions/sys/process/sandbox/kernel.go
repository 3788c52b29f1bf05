package sandbox

import (
	"fmt"
	"strings"
)

// Mode says whether a command is confined: the argument `sandbox` of exec.
type Mode string

const (
	// Auto confines commands of specs with a permissions block, as far as the kernel supports
	// it.
	Auto Mode = "auto"
	// Required always confines commands, and refuses to start them if the kernel does not
	// support it.
	Required Mode = "required"
	// Off does not confine commands.
	Off Mode = "off"
)

// Kernel describes what a kernel can confine.
type Kernel struct {
	// Name is the system and its release: "Linux 6.12.1".
	Name string
	// ABI is the version of Landlock, or 0.
	ABI int
	// Reason says why the ABI is 0 or lower than usual for the release, and what to do about
	// it; or "".
	Reason string
	// Filter reports whether system calls can be filtered (seccomp). NoFilterReason says why
	// not.
	Filter         bool
	NoFilterReason string
}

// Confines reports whether the kernel can confine anything.
func (k Kernel) Confines() bool { return k.ABI > 0 || k.Filter }

// FullABI is the ABI with everything that Required guarantees.
const FullABI = 6

// protections returns what the sandbox refuses in addition to ABI 1, with the ABI and the
// first Linux release that supports it.
func protections() []protection {
	return []protection{
		{3, "6.2", "the truncation of files"},
		{4, "6.7", "TCP connections"},
		{5, "6.10", "the control of devices (ioctl)"},
		{FullABI, "6.12", "signals to other processes, and their abstract sockets"},
	}
}

type protection struct {
	abi            int
	since, refused string
}

// Missing returns the parts of Required that the kernel does not support.
func (k Kernel) Missing() []string {
	var missing []string
	if k.ABI == 0 {
		missing = append(missing, "files and TCP connections ("+k.Reason+")")
	} else {
		for _, p := range protections() {
			if k.ABI < p.abi {
				missing = append(missing, fmt.Sprintf("%s (Landlock ABI %d, Linux %s)", p.refused, p.abi, p.since))
			}
		}
	}
	if !k.Filter {
		missing = append(missing, "other protocols, the limits of other processes, and set-uid programs ("+k.NoFilterReason+")")
	}
	return missing
}

// Required returns an error unless the kernel supports everything that Required guarantees.
func (k Kernel) Required() error {
	if missing := k.DescribeMissing(); missing != "" {
		return fmt.Errorf(`the sandbox is required, but %s. Set sandbox: "auto" to run with partial protection, or use a newer kernel`, missing)
	}
	return nil
}

// DescribeMissing returns a text about what the kernel does not refuse, or "".
func (k Kernel) DescribeMissing() string {
	missing := k.Missing()
	if missing == nil {
		return ""
	}
	text := fmt.Sprintf("%s cannot refuse commands %s", k.Name, strings.Join(missing, "; "))
	if k.ABI > 0 && k.Reason != "" {
		text += ": " + k.Reason
	}
	return text
}

// Unavailable returns the error of a kernel that cannot confine anything.
func (k Kernel) Unavailable() error {
	return fmt.Errorf(`%s cannot confine commands: %s. Set sandbox: "off" to run them unconfined`, k.Name, k.Reason)
}
