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

// bootID identifies the running kernel. It is the same in all containers of a
// machine.
func bootID() string { return readLine("/proc/sys/kernel/random/boot_id") }

func machineID() string { return readLine("/etc/machine-id") }

// booted returns the time when the machine was started.
func booted() time.Time {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(info.Uptime) * time.Second)
}

// namespace identifies the namespace of process numbers.
func namespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// startOf returns the time when a process began, in ticks since boot. It returns ""
// if the process has ended, even if its parent has not waited for it. In a container
// without an init process, such a zombie remains forever.
func startOf(pid int) string {
	stat, _ := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	// The fields follow the name in parentheses, which may contain any characters. The
	// state is the first field after it, and the start the 20th; see proc(5).
	if i := bytes.LastIndexByte(stat, ')'); i >= 0 {
		fields := strings.Fields(string(stat[i+1:]))
		if len(fields) > 19 && !strings.ContainsAny(fields[0], "ZXx") {
			return fields[19]
		}
	}
	return ""
}

// running reports whether a process with this number and start is running.
func running(pid int, start string) bool { return start != "" && startOf(pid) == start }
