// Package crash kills a provider with SIGKILL at every system call of a write,
// by strace's fault injection, and looks at what is left.
package crash

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/provider"
)

// process is a provider, perhaps watched by strace.
type process struct {
	*provider.Process
	strace *exec.Cmd
}

// start starts the provider "files" of a folder, with a program in dir.
func start(t *testing.T, folder, dir string) *process {
	t.Helper()
	return &process{Process: provider.Configured(t, folder, "files", dir, nil)}
}

// stop ends the provider, and waits for strace to notice.
func (p *process) stop() {
	p.Stop()
	if p.strace != nil {
		p.strace.Wait()
	}
}

// attach lets strace watch the process from here on, and waits until it does.
func (p *process) attach(t *testing.T, strace string, args ...string) {
	t.Helper()
	pid := strconv.Itoa(p.PID)
	p.strace = exec.Command(strace, append([]string{"-f", "-qq", "-p", pid}, args...)...)
	if err := p.strace.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !traced(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("strace did not attach: is ptrace permitted on this machine?")
		}
	}
}

// traced reports whether every thread of a process has a tracer.
func traced(pid string) bool {
	threads, err := filepath.Glob("/proc/" + pid + "/task/*/status")
	if err != nil || len(threads) == 0 {
		return false
	}
	for _, path := range threads {
		status, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(status), "TracerPid:\t0\n") {
			return false
		}
	}
	return true
}

// operation is what is killed: it fails if the provider dies.
type operation func(ctx context.Context, p *process) error

var tracedCall = regexp.MustCompile(`(?m)^\d+ +([a-z0-9_]+)\(`)

// calls are the system calls on files that an operation makes, with how often
// it makes each.
func calls(t *testing.T, strace, folder, dir string, do operation) map[string]int {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	p := start(t, folder, dir)
	p.attach(t, strace, "-o", log, "-e", "trace=%file,%desc")
	if err := do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	p.stop()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range tracedCall.FindAllStringSubmatch(string(data), -1) {
		// Waiting for the network is no part of the write.
		if !strings.HasPrefix(m[1], "epoll") {
			count[m[1]]++
		}
	}
	return count
}

// killAt runs an operation in a provider that dies at the nth call of that
// name, and reports whether it got so far.
func killAt(t *testing.T, strace, folder, dir, name string, n int, do operation) (died bool) {
	t.Helper()
	p := start(t, folder, dir)
	defer p.stop()
	p.attach(t, strace, "-o", "/dev/null", "-e", "trace="+name, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", name, n))
	return do(t.Context(), p) != nil
}
