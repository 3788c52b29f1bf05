package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func readLine(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

// bootID identifies the running kernel: all containers of a machine have the same.
func bootID() string { return readLine("/proc/sys/kernel/random/boot_id") }

func machineID() string { return readLine("/etc/machine-id") }

// booted returns when the machine was started.
func booted() time.Time {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(info.Uptime) * time.Second)
}

// namespace identifies what process numbers are relative to.
func namespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// startOf returns when a process began, in ticks since the boot; "" if it has
// ended, also where its parent has not waited for it: in a container without an
// init, such a zombie stays for good.
func startOf(pid int) string {
	stat, _ := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	// The fields follow the name in parentheses, which may contain anything: the
	// state is the first after it, the start the 20th. See proc(5).
	if i := bytes.LastIndexByte(stat, ')'); i >= 0 {
		fields := strings.Fields(string(stat[i+1:]))
		if len(fields) > 19 && !strings.ContainsAny(fields[0], "ZXx") {
			return fields[19]
		}
	}
	return ""
}

// running reports whether the process with this number is the one that began then.
func running(pid int, start string) bool { return start != "" && startOf(pid) == start }
