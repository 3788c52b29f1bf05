package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// NotePID is a script for FolderWithScript: each provider process notes its process id.
const NotePID = `echo $$ >>"$dir/pids"
exec "$real" "$@"`

// RunningPIDs returns the noted processes of a folder that are still running.
func RunningPIDs(folder string) []int {
	text, err := os.ReadFile(filepath.Join(folder, "pids"))
	if err != nil {
		return nil // no process was started yet
	}
	var out []int
	for _, field := range strings.Fields(string(text)) {
		// The id may belong to another process by now.
		exe, err := os.Readlink(filepath.Join("/proc", field, "exe"))
		if pid, wrong := strconv.Atoi(field); err == nil && wrong == nil && strings.HasPrefix(exe, filepath.Join(folder, "real")) {
			out = append(out, pid)
		}
	}
	return out
}

// CLIPID returns the process id of the Pulumi CLI that runs a provider of the folder, or 0.
func CLIPID(folder string) int {
	for _, pid := range RunningPIDs(folder) {
		cli := ParentPID(pid)
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cli))
		if err == nil && filepath.Base(exe) == "pulumi" {
			return cli
		}
	}
	return 0
}

// Signal sends a signal to processes. The error has those that had already ended.
func Signal(signal os.Signal, pids ...int) error {
	var ended error
	for _, pid := range pids {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(signal)
		}
		ended = errors.Join(ended, err)
	}
	return ended
}

// ChildPIDs returns the running children of a process.
func ChildPIDs(pid int) []int {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var out []int
	for _, dir := range all {
		if child, err := strconv.Atoi(filepath.Base(dir)); err == nil && ParentPID(child) == pid {
			out = append(out, child)
		}
	}
	return out
}

// CommandLines returns the arguments of all running processes, NUL-separated, by their file
// in /proc. It is empty if the system has no /proc.
func CommandLines() map[string]string {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	out := map[string]string{}
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil { // the process may have ended
			out[path] = string(text)
		}
	}
	return out
}

// ParentPID returns the parent of a process, or 0 if the process has ended.
func ParentPID(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	ppid, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return ppid
}
