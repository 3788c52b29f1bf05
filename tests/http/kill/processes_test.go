package kill

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// noted is a provider that notes the number of each of its processes.
const noted = `echo $$ >>"$dir/pids"
exec "$real" "$@"`

// providers are the processes of the provider of a folder that run now.
func providers(folder string) []int {
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

// family are the CLI that started a provider, and all that it has started; none
// where that is no CLI.
func family(provider int) []int {
	cli := parent(provider)
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cli))
	if err != nil || filepath.Base(exe) != "pulumi" {
		return nil
	}
	out := []int{cli}
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	for _, dir := range all {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && parent(pid) == cli {
			out = append(out, pid)
		}
	}
	return out
}

// parent is the number of a process's parent; 0 is of one that ended.
func parent(pid int) int {
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

// kill ends processes at once, as a lack of memory does.
func kill(t *testing.T, pids []int) {
	for _, pid := range pids {
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Logf("process %d had ended: %v", pid, err)
		}
	}
}
