package evaluate_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
)

func TestProcessorTimeAlone(t *testing.T) {
	limits := build.DefaultLimits()
	limits.CPU, limits.Wall = time.Second, time.Minute
	s := specFile(t, hostile()["a product of disjunctions"].spec)
	built, err := builder(limits).Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	assertTooCostly(t, built, s, "more than 1s of processor time")
}

func TestLittleMemory(t *testing.T) {
	limits := build.DefaultLimits()
	limits.Memory = 128 << 20
	s := specFile(t, hostile()["text that grows sixteenfold"].spec)
	built, err := builder(limits).Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	assertTooCostly(t, built, s, "more than 128 MiB of memory")
}

// TestLowerLimitStands checks that a lower limit that the shell has set remains.
func TestLowerLimitStands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "child")
	script := "#!/bin/sh\nulimit -t 1\nexec '" + child + "' \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	limits := build.DefaultLimits()
	limits.CPU, limits.Wall = time.Hour, 2*time.Minute // only the shell's limit ends it in time
	b := builder(limits)
	b.Executable = path
	built, err := b.Evaluate(t.Context(), specFile(t, hostile()["a product of disjunctions"].spec))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range built.Findings {
		if built.Container != nil || strings.Contains(d.Summary, "2m0s") {
			t.Errorf("the shell's limit did not end it: %+v", d)
		}
	}
	if len(built.Findings) == 0 {
		t.Error("nothing ended it")
	}
}

// childOf waits for a process to start a child, and returns the process id of the child.
func childOf(t *testing.T, parent int) int {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 5*time.Second; time.Sleep(5 * time.Millisecond) {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range stats {
			stat, _ := os.ReadFile(path) // a process may be gone meanwhile
			_, after, _ := strings.Cut(string(stat), ") ")
			fields := strings.Fields(after)
			if len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(parent) {
				continue
			}
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			if !bytes.HasSuffix(cmdline, []byte("\x00"+build.ChildCommand+"\x00")) {
				continue // not started yet
			}
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
	}
	t.Fatal("no child was started")
	return 0
}

func TestEnvironmentOfTheChild(t *testing.T) {
	t.Setenv("PULUMI_CONFIG", `{"token": "canary"}`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := builder(build.DefaultLimits()).Evaluate(ctx, specFile(t, hostile()["a product of lists"].spec))
		done <- err
	}()
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", childOf(t, os.Getpid())))
	cancel()
	<-done
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range strings.Split(strings.TrimRight(string(environ), "\x00"), "\x00") {
		if name, _, _ := strings.Cut(variable, "="); name != "GOTRACEBACK" && name != "GOCOVERDIR" {
			t.Errorf("the child sees %s", variable)
		}
	}
}

// TestChildDiesWithItsParent checks that the child ends if its parent is killed.
func TestChildDiesWithItsParent(t *testing.T) {
	const marker = "DECLPROV_TEST_PARENT_OF"
	if path := os.Getenv(marker); path != "" {
		_, err := builder(build.DefaultLimits()).Evaluate(t.Context(), build.Spec{Path: path})
		t.Fatalf("it came to an end: %v", err)
	}
	parent := exec.Command(child, "-test.run=^TestChildDiesWithItsParent$")
	parent.Env = append(os.Environ(), marker+"="+specFile(t, hostile()["a product of lists"].spec).Path)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	child := childOf(t, parent.Process.Pid)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := parent.Wait(); err == nil {
		t.Fatal("the parent ended well, though it was killed")
	}
	for begun := time.Now(); time.Since(begun) < 3*time.Second; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("child %d outlives its parent", child)
}
