//go:build !linux && !darwin

package journal

import "time"

// This package knows no identifiers of the boot and the machine on this system. Processes
// of other machines and earlier boots are judged by their heartbeat.

func bootID() string    { return "" }
func machineID() string { return "" }

// booted returns the zero time, which means unknown.
func booted() time.Time { return time.Time{} }
