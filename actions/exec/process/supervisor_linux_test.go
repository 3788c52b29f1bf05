package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// asleep are the sleeps of that many seconds that run.
func asleep(t *testing.T, seconds string) (out []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Fatalf("there is no table of processes: %v", err)
	}
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err == nil && string(line) == "sleep\x00"+seconds+"\x00" {
			out = append(out, path)
		}
	}
	return out
}

// TestSupervisorIsHarmed: a command can do to its supervisor what the system does
// when memory is short. What it has started ends then, too, in whatever group it is,
// and nobody waits for long.
func TestSupervisorIsHarmed(t *testing.T) {
	const brood = `set -m; sleep "$1" & sleep "$1" & `
	for name, test := range map[string]struct {
		script  string
		timeout time.Duration
		cancel  time.Duration
		ended   error
	}{
		"killed":                     {script: brood + `sleep 0.2; kill -KILL $PPID; sleep "$1"`},
		"killed at once":             {script: brood + `kill -KILL $PPID; sleep "$1"`},
		"stopped, until its timeout": {script: brood + `kill -STOP $PPID; sleep "$1"`, timeout: 300 * time.Millisecond, ended: ErrTimeout},
		"stopped, and cancelled":     {script: brood + `kill -STOP $PPID; sleep "$1"`, cancel: 300 * time.Millisecond, ended: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seconds := fmt.Sprintf("4711.%09d", rand.IntN(1e9)) // nobody else's sleep
			ctx := t.Context()
			if test.cancel > 0 {
				var stop func()
				ctx, stop = context.WithTimeout(ctx, test.cancel)
				defer stop()
			}
			s, err := startSupervisor(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			s.patience = 300 * time.Millisecond
			c := shell(test.script, seconds)
			var said bytes.Buffer
			c.Timeout, c.Grace, c.Stderr = test.timeout, 100*time.Millisecond, &said
			exit, reusable, err := s.run(ctx, c)
			if reusable || !errors.Is(exit.Ended, test.ended) || (err == nil) != (test.ended != nil) {
				t.Errorf("got %+v, %v, reusable %v: %s", exit, err, reusable, said.String())
			}
			if left := asleep(t, seconds); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}
