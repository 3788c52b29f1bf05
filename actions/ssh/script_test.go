//go:build unix

package ssh

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/declprov/declprov/actions/sys/process"
)

// shells returns the POSIX shells of this machine.
func shells(t *testing.T) []string {
	t.Helper()
	found := []string{"/bin/sh"}
	for _, name := range []string{"dash", "bash", "ksh", "mksh", "yash"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// TestScriptInShells checks that every shell says that it did not run a command, and says nothing
// if it did; and that it runs nothing of a script of which only a part arrives.
func TestScriptInShells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, made := filepath.Join(dir, "plain"), filepath.Join(dir, "made")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	touch := []string{"touch", made}
	for _, tt := range []struct {
		name string
		cmd  process.Command
		cut  int // bytes of the script that do not arrive
		runs bool
		code int
	}{
		{"it runs", process.Command{Args: touch}, 0, true, 0},
		{"it fails", process.Command{Args: []string{"sh", "-c", `touch "$1"; exit 7`, "sh", made}}, 0, true, 7},
		{"no program", process.Command{Args: []string{"no-such-program"}}, 0, false, 0},
		{"no file", process.Command{Args: []string{dir + "/none"}}, 0, false, 0},
		{"not executable", process.Command{Args: []string{plain}}, 0, false, 0},
		{"a folder", process.Command{Args: []string{dir}}, 0, false, 0},
		{"no folder", process.Command{Args: touch, Dir: dir + "/none"}, 0, false, 0},
		{"too long", process.Command{Args: touch, Env: []string{"A=" + strings.Repeat("x", 300_000)}}, 0, false, 0},
		{"a part of it", process.Command{Args: touch}, 1, false, 0},
		{"half of it", process.Command{Args: touch}, 60, false, 0},
	} {
		for _, shell := range shells(t) {
			for _, leads := range []bool{true, false} {
				os.Remove(made)
				script, err := buildScript(&tt.cmd, "12")
				if err != nil {
					t.Fatal(err)
				}
				var marks []string
				line := exec.Command("/bin/sh", "-c", strings.ReplaceAll(bootstrap("12"), "/bin/sh", shell))
				line.SysProcAttr = &syscall.SysProcAttr{Setpgid: leads}
				line.Stdin = strings.NewReader(strconv.Itoa(len(script)) + "\n" + script[:len(script)-tt.cut])
				var out bytes.Buffer
				stdout := newMarkedStream("12", &out, func(words []string) { marks = append(marks, words[0]) })
				line.Stdout = stdout
				err = line.Run()
				var exited *exec.ExitError
				code := 0
				if errors.As(err, &exited) {
					code = exited.ExitCode()
				}
				_, err = os.Stat(made)
				ran, failed := err == nil, slices.Contains(marks, "fail")
				said := failed == !tt.runs || tt.cut > 0 && code != 0 // the machine is gone if a part arrives
				if !slices.Contains(marks, "start") || !leads && tt.cut == 0 && !slices.Contains(marks, "exit") || ran != tt.runs || !said || ran && code != tt.code {
					t.Errorf("%s, %s, leads %v: marks %q, code %d, ran %v, %q", tt.name, shell, leads, marks, code, ran, out.String())
				}
			}
		}
	}
}
