package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Noted is a script for Behind: each process of the provider notes its number.
const Noted = `echo $$ >>"$dir/pids"
exec "$real" "$@"`

// Running are the processes of a folder of Behind that run now, as they noted
// themselves.
func Running(folder string) []int {
	text, err := os.ReadFile(filepath.Join(folder, "pids"))
	if err != nil {
		return nil // none was started yet
	}
	var out []int
	for _, field := range strings.Fields(string(text)) {
		// The number may be another process's by now.
		exe, err := os.Readlink(filepath.Join("/proc", field, "exe"))
		if pid, wrong := strconv.Atoi(field); err == nil && wrong == nil && strings.HasPrefix(exe, filepath.Join(folder, "real")) {
			out = append(out, pid)
		}
	}
	return out
}

// CLI is the number of Pulumi's CLI that runs a provider of a folder of Behind; 0 where
// none runs.
func CLI(folder string) int {
	for _, pid := range Running(folder) {
		cli := Parent(pid)
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cli))
		if err == nil && filepath.Base(exe) == "pulumi" {
			return cli
		}
	}
	return 0
}

// Signal sends processes a signal. The error is of those that have ended before.
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

// Children are the processes that one has started, and that run now.
func Children(pid int) []int {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var out []int
	for _, dir := range all {
		if child, err := strconv.Atoi(filepath.Base(dir)); err == nil && Parent(child) == pid {
			out = append(out, child)
		}
	}
	return out
}

// CommandLines are the arguments of all processes that run now, each with its NUL, by
// the file that has them; none where the machine has no such table.
func CommandLines() map[string]string {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right
	out := map[string]string{}
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil { // it may have ended
			out[path] = string(text)
		}
	}
	return out
}

// Parent is the number of a process's parent; 0 is of one that ended.
func Parent(pid int) int {
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
